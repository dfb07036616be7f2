"""Bench of the polynomial buffer with its reader and writer, also on the buffer at once."""

import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, start

LOG_N = 9


@cocotb.test()
async def reads_what_was_written(dut):
    """A polynomial is read while the next is written over it; neither side may be disturbed."""
    lanes = bench_parameters()["Lanes"]
    beats = (1 << LOG_N) // lanes
    rng = random.Random(lanes)
    polynomials = [[rng.randrange(1 << (64 * lanes)) for _ in range(beats)] for _ in range(4)]
    await start(dut, log_n_i=LOG_N, write_start_i=0, read_start_i=0, in_valid_i=0, out_ready_i=0)

    async def pulse(**ports: int) -> None:
        for name, value in ports.items():
            getattr(dut, name).value = value
        await FallingEdge(dut.clk_i)
        for name in ports:
            getattr(dut, name).value = 0

    def send(number: int, stall: float):
        items = ({"in_data_i": beat} for beat in polynomials[number])
        return cocotb.start_soon(drive(dut, "in", items, stall=stall))

    await pulse(write_start_i=1)
    await send(0, 0.0)
    for number, (write_stall, read_stall) in enumerate([(0.0, 0.0), (0.0, 0.5), (0.5, 0.0)]):
        await pulse(write_start_i=1, read_start_i=1)
        sender = send(number + 1, write_stall)
        assert (
            await collect(dut, "out", "out_data_o", beats, stall=read_stall)
            == (polynomials[number])
        )
        await sender
        assert not int(dut.busy_o.value)


@cocotb.test()
async def no_cycle_is_lost(dut):
    """Reading takes one cycle a beat."""
    lanes = bench_parameters()["Lanes"]
    await start(dut, log_n_i=LOG_N, write_start_i=0, read_start_i=1, in_valid_i=0, out_ready_i=1)
    dut.read_start_i.value = 0
    cycles = 0
    while int(dut.busy_o.value):
        cycles += 1
        await FallingEdge(dut.clk_i)
    assert cycles <= (1 << LOG_N) // lanes + 1
