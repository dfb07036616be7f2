"""Bench of taco_dyadic and taco_poly_add: two stalling streams in, one stalling stream out."""

import random

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import join, split, start

RADIX = 1 << 66
BEATS = 200


@cocotb.test()
async def equals_python(dut):
    """Every lane of every beat, in order, with and without stalls."""
    parameters = bench_parameters()
    lanes, product = parameters["Lanes"], parameters["product"]
    rng = random.Random(lanes)
    for bits, stall in ((61, 0.0), (36, 0.4)):
        q = ntt_primes(4096, bits, 1)[0]
        inverse = pow(RADIX, -1, q)
        await start(dut, modulus_i=q, a_valid_i=0, b_valid_i=0, ready_i=0)
        a, b = ([[rng.randrange(q) for _ in range(lanes)] for _ in range(BEATS)] for _ in "ab")
        a[0], b[0] = [0] * lanes, [q - 1] * lanes
        a[1] = [q - 1] * lanes
        width = 64 if product else 61
        # One loop for all three streams, as each ready may depend on the other operand's valid.
        sent, got = [0, 0], []
        while len(got) < BEATS:
            offered = [sent[i] < BEATS and rng.random() >= stall for i in range(2)]
            willing = rng.random() >= stall
            dut.a_valid_i.value, dut.b_valid_i.value = map(int, offered)
            dut.ready_i.value = int(willing)
            dut.a_data_i.value = join(a[min(sent[0], BEATS - 1)], width)
            dut.b_data_i.value = join(b[min(sent[1], BEATS - 1)], 61)
            await ReadOnly()
            sent[0] += offered[0] and int(dut.a_ready_o.value)
            sent[1] += offered[1] and int(dut.b_ready_o.value)
            if willing and int(dut.valid_o.value):
                got.append(int(dut.data_o.value))
            await FallingEdge(dut.clk_i)
        expected = [
            [x * y * inverse % q if product else (x + y) % q for x, y in zip(*beat, strict=True)]
            for beat in zip(a, b, strict=True)
        ]
        for number, beat in enumerate(got):
            assert split(beat, 64, lanes) == expected[number], (number, q, a[number], b[number])
