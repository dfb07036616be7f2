"""Bench of taco_random: its stream is BLAKE3's keyed output; seeding starts it again."""

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.random_stream import random_blocks
from rtl.tb.stream import collect, start

IDLE = {"seed_valid_i": 0, "block_ready_i": 0}


async def seed(dut, key: bytes, nonce: int) -> None:
    """Give the generator a seed and a nonce."""
    dut.seed_i.value = int.from_bytes(key, "little")
    dut.nonce_i.value = nonce
    dut.seed_valid_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.seed_valid_i.value = 0


@cocotb.test()
async def silent_before_the_first_seed(dut):
    """No seed, no output."""
    await start(dut, **IDLE)
    dut.block_ready_i.value = 1
    for _ in range(50):
        await ReadOnly()
        assert int(dut.block_valid_o.value) == 0
        await FallingEdge(dut.clk_i)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.9])
async def equals_blake3(dut, stall):
    """Blocks of several seeds and nonces; each seeding cuts off the stream before it."""
    await start(dut, **IDLE)
    for number, nonce in enumerate((0, 1, 2**64 - 1)):
        key = bytes((7 * i + number) % 256 for i in range(32))
        await seed(dut, key, nonce)
        got = await collect(dut, "block", "block_o", 20, stall=stall)
        expected = [int.from_bytes(block, "little") for block in random_blocks(key, nonce, 0, 20)]
        assert got == expected
