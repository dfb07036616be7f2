"""Bench of taco_mod_mul: corners and random operands, one a cycle, and stalls."""

import itertools
import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import start

RADIX = 1 << 66


@cocotb.test()
async def equals_python(dut):
    """Products equal Python's, in order, one a cycle, through random stalls."""
    degree, bits, stall = (bench_parameters()[k] for k in ("degree", "bits", "stall_percent"))
    rng = random.Random(bits)
    q = ntt_primes(degree, bits, 1)[0]
    corners_a = [0, 1, q - 1, q, (1 << 64) - 1, 2048, (1 << 64) - 2048]
    corners_b = [0, 1, q - 1, RADIX % q, q // 2]
    pairs = list(itertools.product(corners_a, corners_b))
    pairs += [(rng.randrange(1 << 64), rng.randrange(q)) for _ in range(2000)]
    inverse = pow(RADIX, -1, q)
    expected = [a * b * inverse % q for a, b in pairs]

    await start(dut, modulus_i=q, valid_i=0, enable_i=1)
    got, sent, cycles = [], 0, 0
    while len(got) < len(pairs):
        enable = rng.randrange(100) >= stall
        dut.enable_i.value = enable
        dut.valid_i.value = sent < len(pairs)
        if sent < len(pairs):
            dut.a_i.value, dut.b_i.value = pairs[sent]
        if enable and int(dut.valid_o.value):
            got.append(int(dut.product_o.value))
        sent += enable and sent < len(pairs)
        cycles += 1
        await FallingEdge(dut.clk_i)
    assert got == expected
    if not stall:
        assert cycles <= len(pairs) + 6
