"""Bench of taco_ntt: both directions against the reference, and the cycles they take."""

import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.reference.transform import inverse_ntt, ntt, twiddles
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import start


def words(values: list[int]) -> list[int]:
    """Pack coefficients into 64-byte words."""
    return [
        sum(value << (64 * i) for i, value in enumerate(values[w : w + 8]))
        for w in range(0, len(values), 8)
    ]


@cocotb.test()
async def equals_reference(dut):
    """Forward, inverse and back at every polynomial size up to the largest."""
    parameters = bench_parameters()
    butterflies, bits = parameters["Butterflies"], parameters["bits"]
    coeffs = max(8, 2 * butterflies)
    rng = random.Random(bits)
    await start(dut, start_i=0, load_i=0, load_twiddle_i=0, fetch_i=0, inverse_i=0)

    async def load(values: list[int], port) -> None:
        port.value = 1
        for address, word in enumerate(words(values)):
            dut.load_word_i.value = address
            dut.load_data_i.value = word
            await FallingEdge(dut.clk_i)
        port.value = 0

    async def transform(inverse: bool) -> int:
        dut.inverse_i.value = inverse
        dut.start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.start_i.value = 0
        cycles = 0
        while int(dut.busy_o.value):
            cycles += 1
            await FallingEdge(dut.clk_i)
        return cycles

    async def fetch(degree: int) -> list[int]:
        dut.fetch_i.value = 1
        values = []
        for address in range(degree // coeffs):
            dut.fetch_addr_i.value = address
            await FallingEdge(dut.clk_i)
            word = int(dut.fetch_data_o.value)
            values += [(word >> (64 * i)) & ((1 << 64) - 1) for i in range(coeffs)]
        dut.fetch_i.value = 0
        return values

    for log_n in range(10, parameters["MaxLogN"] + 1):
        degree = 1 << log_n
        q = ntt_primes(degree, bits, 1)[0]
        dut.log_n_i.value = log_n
        dut.modulus_i.value = q
        await load(twiddles(degree, q), dut.load_twiddle_i)
        values = [rng.randrange(q) for _ in range(degree)]
        values[:3] = [0, q - 1, 1]
        await load(values, dut.load_i)
        cycles = await transform(False)
        assert await fetch(degree) == ntt(values, q)
        bound = log_n * (degree // (2 * butterflies) + 16 + 4 // butterflies * 2)
        dut._log.info("CYCLES %d %d %d", butterflies, degree, cycles)
        assert cycles <= bound, (cycles, bound)

        await load(values, dut.load_i)
        await transform(True)
        assert await fetch(degree) == inverse_ntt(values, q)
        await transform(False)
        assert await fetch(degree) == values
