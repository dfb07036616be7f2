"""Bench of taco_fifo: order and content under random stalls, level, clearing."""

import random

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, start

IDLE = {"clear_i": 0, "in_valid_i": 0, "out_ready_i": 0}


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.5, 0.1), (0.1, 0.5)])
async def keeps_order(dut, stalls):
    """What goes in comes out, in order, whoever waits."""
    rng = random.Random(3)
    width = bench_parameters()["Width"]
    sent = [rng.getrandbits(width) for _ in range(300)]
    await start(dut, **IDLE)
    items = ({"in_data_i": value} for value in sent)
    cocotb.start_soon(drive(dut, "in", items, stall=stalls[0]))
    assert await collect(dut, "out", "out_data_o", len(sent), stall=stalls[1]) == sent


@cocotb.test()
async def fills_and_clears(dut):
    """It takes exactly Depth entries, counts them, and is empty after clear_i."""
    depth = bench_parameters()["Depth"]
    await start(dut, **IDLE)
    for entry in range(depth):
        dut.in_valid_i.value = 1
        dut.in_data_i.value = entry
        await ReadOnly()
        assert int(dut.level_o.value) == entry
        assert int(dut.in_ready_o.value) == 1
        await FallingEdge(dut.clk_i)
    await ReadOnly()
    assert int(dut.in_ready_o.value) == 0
    await FallingEdge(dut.clk_i)
    dut.clear_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.clear_i.value = 0
    dut.in_valid_i.value = 0
    await ReadOnly()
    assert int(dut.level_o.value) == 0
    assert int(dut.out_valid_o.value) == 0
