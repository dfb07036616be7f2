"""Benches of taco_mod_add and taco_mod_sub: corner cases and random operands."""

import itertools
import random

import cocotb
from cocotb.triggers import Timer

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters


def operands(width: int):
    """Yield (modulus, a, b): all corners, then random values, for primes of several sizes."""
    rng = random.Random(width)
    moduli = [ntt_primes(1, min(width, 61), 1)[0], ntt_primes(1, max(3, width // 2), 1)[0], 3]
    for q in moduli:
        corners = sorted({0, 1, q // 2, q - 2, q - 1})
        for a, b in itertools.product(corners, corners):
            yield q, a, b
        for _ in range(300):
            yield q, rng.randrange(q), rng.randrange(q)


@cocotb.test()
async def equals_python(dut):
    """Every result equals Python's."""
    subtract = hasattr(dut, "difference_o")
    for q, a, b in operands(bench_parameters()["Width"]):
        dut.modulus_i.value = q
        dut.a_i.value = a
        dut.b_i.value = b
        await Timer(1, "ns")
        got = int((dut.difference_o if subtract else dut.sum_o).value)
        assert got == ((a - b) if subtract else (a + b)) % q, (q, a, b, got)
