"""Bench of taco_slot_map: SEAL's batching order, eight slots at a time."""

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.message import slot_positions
from rtl.tb.stream import split, start


@cocotb.test()
@cocotb.parametrize(log_n=[10, 11, 13])
async def equals_the_reference(dut, log_n):
    """Words and lanes of all slots, twice, with a clear between."""
    await start(dut, clear_i=0, next_i=0, log_n_i=log_n)
    degree = 1 << log_n
    positions = slot_positions(degree)
    for _ in range(2):
        dut.next_i.value = 1
        for group in range(degree // 8):
            row, slot = divmod(group, degree // 16)
            await ReadOnly()
            assert (int(dut.row_o.value), int(dut.slot_o.value)) == (row, slot)
            places = [positions[row * degree // 2 + j * degree // 16 + slot] for j in range(8)]
            assert {place // 8 for place in places} == {int(dut.word_o.value)}
            lanes = [place % 8 for place in places]
            assert split(int(dut.lane_of_o.value), 3, 8) == lanes
            assert split(int(dut.slot_in_o.value), 3, 8) == [lanes.index(lane) for lane in range(8)]
            assert int(dut.last_o.value) == (group == degree // 8 - 1)
            await FallingEdge(dut.clk_i)
        dut.clear_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.clear_i.value = 0
