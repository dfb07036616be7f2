"""Bench of taco_blake3_compress: whole hashes, keyed hashes and long outputs."""

import itertools

import cocotb
from blake3 import blake3
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.random_stream import ROOT, tree_compressions
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import join, split, start

KEY = b"whats the Elvish word for friend"
IDLE = {"abort_i": 0, "start_valid_i": 0, "out_ready_i": 0}
# Lengths around the borders of blocks and chunks, as the official test vectors choose them.
LENGTHS = (0, 1, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 3072, 3073, 5121)


async def compress(dut, request: tuple) -> list[int]:
    """One compression: (chain, block, counter, length, flags) to 16 output words."""
    chain, block, counter, length, flags = request
    dut.chain_i.value = join(chain, 32)
    dut.block_i.value = join(block, 32)
    dut.counter_i.value = counter
    dut.length_i.value = length
    dut.flags_i.value = flags
    dut.start_valid_i.value = 1
    dut.out_ready_i.value = 0
    await FallingEdge(dut.clk_i)
    dut.start_valid_i.value = 0
    dut.out_ready_i.value = 1
    for _ in range(20):
        await ReadOnly()
        output = int(dut.out_data_o.value) if int(dut.out_valid_o.value) else None
        await FallingEdge(dut.clk_i)
        if output is not None:
            return split(output, 32, 16)
    raise AssertionError("no result")


async def digest(dut, message: bytes, key: bytes | None, length: int) -> bytes:
    """The hash of ``message``, every compression of it done by the design."""
    walk = tree_compressions(message, key)
    request = next(walk)
    while not request[4] & ROOT:
        request = walk.send(await compress(dut, request))
    output = b""
    chain, block, _, size, flags = request
    for counter in range(-(-length // 64)):
        words = await compress(dut, (chain, block, counter, size, flags))
        output += join(words, 32).to_bytes(64, "little")
    return output[:length]


@cocotb.test()
async def equals_the_official_hash(dut):
    """Hash and keyed hash of messages of one block up to a tree, with 131 bytes of output."""
    await start(dut, **IDLE)
    for length in LENGTHS:
        message = bytes(i % 251 for i in range(length))
        for key in (None, KEY):
            expected = blake3(message, key=key).digest(length=131)
            assert await digest(dut, message, key, 131) == expected, (length, key)


@cocotb.test()
async def long_output(dut):
    """Sixteen kilobytes of one message."""
    await start(dut, **IDLE)
    assert await digest(dut, b"taco", KEY, 16384) == blake3(b"taco", key=KEY).digest(16384)


@cocotb.test()
async def wide_counter(dut):
    """Output blocks whose counter does not fit 32 bits."""
    await start(dut, **IDLE)
    request = next(tree_compressions(b"taco", KEY))
    for counter in (2**32 - 1, 2**32, 2**57 + 12345):
        words = await compress(dut, (*request[:2], counter, *request[3:]))
        expected = blake3(b"taco", key=KEY).digest(length=64, seek=64 * counter)
        assert join(words, 32).to_bytes(64, "little") == expected


@cocotb.test()
async def rate(dut):
    """With a start and a reader always waiting, a block every 14 / HalfRounds cycles."""
    await start(dut, **IDLE)
    dut.start_valid_i.value = 1
    dut.out_ready_i.value = 1
    seen = []
    for cycle in range(200):
        await ReadOnly()
        if int(dut.out_valid_o.value):
            seen.append(cycle)
        await FallingEdge(dut.clk_i)
    period = 14 // bench_parameters()["HalfRounds"]
    assert {late - early for early, late in itertools.pairwise(seen)} == {period}
