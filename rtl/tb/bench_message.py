"""Bench of taco_message: whole messages encoded and scaled, and decrypted phases decoded."""

import random

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.message import (
    MessageConstants,
    decode,
    encode,
    gamma,
    scale,
    scale_and_round,
)
from rtl.tb.reference.primes import ntt_primes
from rtl.tb.reference.transform import twiddles
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import join, split, start

IDLE = dict.fromkeys(
    [
        *("cfg_valid_i", "message_write_i", "twiddle_write_i", "message_read_i"),
        *("encode_start_i", "decode_start_i", "scaled_ready_i", "residue_valid_i"),
    ],
    0,
)


class Unit:
    """A message unit loaded with the constants of a parameter set."""

    def __init__(self, dut, log_n: int, layers: int, plain_bits: int, prime_bits: int) -> None:
        self.dut = dut
        self.degree, self.layers = 1 << log_n, layers
        self.lanes = bench_parameters()["Lanes"]
        self.t = ntt_primes(self.degree, plain_bits, 1)[0]
        self.primes = ntt_primes(self.degree, prime_bits, layers)
        self.rng = random.Random(self.t)

    async def load(self) -> None:
        """Reset and write everything the host writes once."""
        dut, mask = self.dut, (1 << self.layers) - 1
        log_n = self.degree.bit_length() - 1
        await start(dut, **IDLE, log_n_i=log_n, data_layers_i=mask)
        registers = MessageConstants(self.degree, self.primes, self.t).registers()
        dut.cfg_valid_i.value = 1
        for address, value in registers.items():
            dut.cfg_addr_i.value = address
            dut.cfg_data_i.value = value
            await FallingEdge(dut.clk_i)
        dut.cfg_valid_i.value = 0
        await self.write(dut.twiddle_write_i, twiddles(self.degree, self.t))

    async def write(self, strobe, values: list[int]) -> None:
        """Write words of eight values."""
        strobe.value = 1
        for word in range(len(values) // 8):
            self.dut.host_addr_i.value = word
            self.dut.host_data_i.value = join(values[8 * word : 8 * word + 8], 64)
            await FallingEdge(self.dut.clk_i)
        strobe.value = 0

    async def read_message(self) -> list[int]:
        """Read the message memory."""
        slots = []
        self.dut.message_read_i.value = 1
        for word in range(self.degree // 8):
            self.dut.host_addr_i.value = word
            await FallingEdge(self.dut.clk_i)
            slots += split(int(self.dut.message_data_o.value), 64, 8)
        self.dut.message_read_i.value = 0
        return slots

    async def encode(self, slots: list[int], stall: float) -> tuple[list[list[int]], int]:
        """Encode a message; return the residues (prime, coefficient) and the cycles it took."""
        dut, beat_width = self.dut, 64 * self.lanes
        all_layers = bench_parameters()["DataLayers"]
        await self.write(dut.message_write_i, slots)
        streams: list[list[int]] = [[] for _ in range(all_layers)]
        dut.encode_start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.encode_start_i.value = 0
        cycles = 0
        while True:
            ready = [self.rng.random() >= stall for _ in range(all_layers)]
            dut.scaled_ready_i.value = join(ready, 1)
            await ReadOnly()
            if not int(dut.encode_busy_o.value):
                break
            valid = int(dut.scaled_valid_o.value)
            if valid:
                beats = split(int(dut.scaled_data_o.value), beat_width, all_layers)
                for j, beat in enumerate(beats):
                    if ready[j] and valid >> j & 1:
                        streams[j] += split(beat, 64, self.lanes)
            await FallingEdge(dut.clk_i)
            cycles += 1
        await FallingEdge(dut.clk_i)
        assert not any(streams[self.layers :])
        return streams[: self.layers], cycles

    async def decode(self, residues: list[list[int]], stall: float) -> tuple[list[int], int]:
        """Decode residues (prime, coefficient); return the slots and the cycles it took."""
        dut, beat_width = self.dut, 64 * self.lanes
        left = [
            [join(row[at : at + self.lanes], 64) for at in range(0, self.degree, self.lanes)][::-1]
            for row in residues
        ]
        dut.decode_start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.decode_start_i.value = 0
        cycles, offered = 0, [False] * self.layers
        while True:
            offered = [
                bool(beats) and (was or self.rng.random() >= stall)
                for was, beats in zip(offered, left, strict=True)
            ]
            dut.residue_valid_i.value = join(offered, 1)
            heads = [beats[-1] if beats else 0 for beats in left]
            dut.residue_data_i.value = join(heads, beat_width)
            await ReadOnly()
            if not int(dut.decode_busy_o.value):
                break
            ready = int(dut.residue_ready_o.value)
            await FallingEdge(dut.clk_i)
            cycles += 1
            for j in range(self.layers):
                if offered[j] and ready >> j & 1:
                    left[j].pop()
                    offered[j] = False
        await FallingEdge(dut.clk_i)
        assert not any(left)
        return await self.read_message(), cycles

    def message(self) -> list[int]:
        """Return random slots, with the largest values among them."""
        return [0, self.t - 1, *(self.rng.randrange(self.t) for _ in range(self.degree - 2))]


@cocotb.test()
@cocotb.parametrize(case=[(10, 2, 17, 36, 0.4), (10, 1, 30, 58, 0.0), (11, 2, 20, 60, 0.0)])
async def encodes_and_decodes(dut, case):
    """Messages one way, phases with noise and random phases the other way, in turn."""
    log_n, layers, plain_bits, prime_bits, stall = case
    if log_n > bench_parameters()["MaxLogN"]:
        return
    unit = Unit(dut, log_n, layers, plain_bits, prime_bits)
    await unit.load()
    slots = unit.message()
    scaled, cycles = await unit.encode(slots, stall)
    assert scaled == scale(encode(slots, unit.t), list(unit.primes), unit.t)
    cocotb.log.info("encoding: %d cycles", cycles)

    noisy = [[(x + 3) % q for x in row] for row, q in zip(scaled, unit.primes, strict=True)]
    got, cycles = await unit.decode(noisy, stall)
    assert got == slots
    cocotb.log.info("decoding: %d cycles", cycles)

    if log_n == 10:
        phase = [[unit.rng.randrange(q) for _ in range(unit.degree)] for q in unit.primes]
        rounded = scale_and_round(phase, list(unit.primes), unit.t, gamma(unit.degree))
        got, _ = await unit.decode(phase, stall)
        assert got == decode(rounded, unit.t)
