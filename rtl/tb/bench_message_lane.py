"""Bench of taco_message_lane: scaling and the end of decryption, for several moduli."""

import math
import random
from collections.abc import Iterable

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.message import MessageConstants, gamma, scale, scale_and_round
from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import join, split, start

DEGREE = 2048
ARRAYS = {
    16: "modulus_i",
    32: "inverse_plain_i",
    48: "digit_factor_i",
    64: "plain_factor_i",
    80: "gamma_factor_i",
}
SINGLES = {0: "plain_modulus_i", 1: "gamma_i", 2: "negated_q_i", 3: "inverse_gamma_i"}


def constants(plain_bits: int, prime_bits: int) -> MessageConstants:
    """Return the constants for as many primes as the lane has."""
    layers = bench_parameters()["DataLayers"]
    primes = ntt_primes(DEGREE, prime_bits, layers)
    return MessageConstants(DEGREE, primes, ntt_primes(DEGREE, plain_bits, 1)[0])


async def setup(dut, values: MessageConstants, decode: int) -> None:
    """Reset with the constants at the lane's ports."""
    registers = values.registers()
    layers = range(len(values.primes))
    inputs = {name: registers[address] for address, name in SINGLES.items()}
    inputs |= {n: join([registers[base + j] for j in layers], 61) for base, n in ARRAYS.items()}
    await start(dut, **inputs, decode_i=decode, enable_i=1, valid_i=0)


async def run(dut, port: str, items: Iterable[int], output: str, stall: float) -> list[int]:
    """Feed ``items``, with idle cycles and frozen ones, and return what comes out."""
    rng = random.Random(7)
    waiting, made = list(items), []
    expected = len(waiting)
    while len(made) < expected:
        enable = rng.random() >= stall
        offer = bool(waiting) and rng.random() >= stall
        dut.enable_i.value = enable
        dut.valid_i.value = offer
        if offer:
            getattr(dut, port).value = waiting[0]
        await ReadOnly()
        if enable and int(getattr(dut, f"{output}_valid_o").value):
            made.append(int(getattr(dut, f"{output}_o").value))
        await FallingEdge(dut.clk_i)
        if enable and offer:
            waiting.pop(0)
    return made


def borders(values: MessageConstants, rng: random.Random) -> list[list[int]]:
    """Return residues for which a_gamma is the last positive and the first negative value.

    All digits but one are chosen, the last one follows; it must be below its prime, which most are
    if the prime has 60 bits. Empty if none is found.
    """
    q, g = math.prod(values.primes), gamma(DEGREE)
    *others, last = values.primes
    found = []
    for target in (g // 2, g // 2 + 1):
        for _ in range(20):
            digits = [rng.randrange(prime) for prime in others]
            rest = target + sum(z * pow(p, -1, g) for z, p in zip(digits, others, strict=True))
            digit = -rest * last % g
            if digit < last:
                factors = [g * values.plain_modulus * pow(q // p, -1, p) for p in values.primes]
                found.append(
                    [
                        z * pow(factor, -1, prime) % prime
                        for z, factor, prime in zip(
                            [*digits, digit], factors, values.primes, strict=True
                        )
                    ]
                )
                break
    return found


@cocotb.test()
@cocotb.parametrize(moduli=[(17, 36), (20, 58), (30, 60), (59, 60)], stall=[0.0, 0.4])
async def encodes(dut, moduli, stall):
    """Corner values and random ones, among them both neighbours of every rounding border."""
    values = constants(*moduli)
    await setup(dut, values, 0)
    t, q = values.plain_modulus, math.prod(values.primes)
    rng = random.Random(t)
    border = [(t // 2 + d) * pow(q, -1, t) % t for d in (-1, 0, 1, 2)]  # q m mod t around t / 2
    sent = [0, 1, t // 2, t // 2 + 1, t - 1, *border, *(rng.randrange(t) for _ in range(100))]
    got = await run(dut, "coefficient_i", sent, "scaled", stall)
    expected = scale(sent, list(values.primes), t)
    assert [split(word, 64, len(values.primes)) for word in got] == list(
        map(list, zip(*expected, strict=True))
    )


@cocotb.test()
@cocotb.parametrize(moduli=[(17, 36), (20, 58), (30, 60)], stall=[0.0, 0.4])
async def decodes(dut, moduli, stall):
    """Phases of messages with noise, and phases that are just random."""
    values = constants(*moduli)
    await setup(dut, values, 1)
    t, q = values.plain_modulus, math.prod(values.primes)
    rng = random.Random(t)
    messages = [0, 1, t - 1, *(rng.randrange(t) for _ in range(60))]
    noise = q // (4 * t) if len(values.primes) > 1 else q // (8 * t)
    phases = [(q * m // t + rng.randrange(-noise, noise + 1)) % q for m in messages]
    phases += [0, q - 1, q // 2, *(rng.randrange(q) for _ in range(60))]
    residues = [[x % prime for x in phases] for prime in values.primes]
    for column in borders(values, rng):
        for row, residue in zip(residues, column, strict=True):
            row.append(residue)
    sent = [join(column, 64) for column in zip(*residues, strict=True)]
    got = await run(dut, "residue_i", sent, "coefficient", stall)
    assert got == scale_and_round(residues, list(values.primes), t, gamma(DEGREE))
    assert got[: len(messages)] == messages
