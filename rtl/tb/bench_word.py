"""Bench of taco_word_pack and taco_word_unpack: words and streams hold the same coefficients."""

import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, join, split, start

LOG_N = 10


@cocotb.test()
async def same_coefficients(dut):
    """In order, with and without stalls; busy until the last word has left."""
    lanes = bench_parameters()["Lanes"]
    rng = random.Random(lanes)
    packs = hasattr(dut, "start_i")
    for stall in (0.0, 0.4):
        values = [rng.randrange(1 << 64) for _ in range(1 << LOG_N)]
        words = [join(values[i : i + 8], 64) for i in range(0, len(values), 8)]
        beats = [join(values[i : i + lanes], 64) for i in range(0, len(values), lanes)]
        if packs:
            await start(dut, start_i=0, log_n_i=LOG_N, valid_i=0, word_ready_i=0)
            dut.start_i.value = 1
            await FallingEdge(dut.clk_i)
            dut.start_i.value = 0
            sender = cocotb.start_soon(
                drive(dut, "", ({"data_i": beat} for beat in beats), stall=stall)
            )
            assert await collect(dut, "word", "word_o", len(words) - 1, stall=stall) == words[:-1]
            assert int(dut.busy_o.value)
            assert await collect(dut, "word", "word_o", 1) == words[-1:]
            assert not int(dut.busy_o.value)
        else:
            await start(dut, word_valid_i=0, ready_i=0)
            sender = cocotb.start_soon(
                drive(dut, "word", ({"word_i": word} for word in words), stall=stall)
            )
            got = await collect(dut, "", "data_o", len(beats), stall=stall)
            assert [x for beat in got for x in split(beat, 64, lanes)] == values
        await sender
