"""Bench of taco_slot_map: SEAL's batching order at every degree."""

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.message import slot_positions
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import start


@cocotb.test()
@cocotb.parametrize(log_n=[10, 12, 13])
async def equals_the_reference(dut, log_n):
    """Places of all slots, twice, with a clear between."""
    assert log_n <= bench_parameters()["MaxLogN"]
    await start(dut, clear_i=0, next_i=0, log_n_i=log_n)
    positions = slot_positions(1 << log_n)
    for _ in range(2):
        dut.next_i.value = 1
        for slot, position in enumerate(positions):
            await ReadOnly()
            assert int(dut.place_o.value) == position
            assert int(dut.last_o.value) == (slot == len(positions) - 1)
            await FallingEdge(dut.clk_i)
        dut.clear_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.clear_i.value = 0
