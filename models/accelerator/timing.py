"""Cycles of each operation, closed form, from the schedule of the RTL.

The parts of a step run at the same time and stream, so a step takes what its slowest part takes.
With all stream elements equal to ``lanes`` and equal butterflies this is the machine of ``rtl/``
(``docs/validation.md``). The paper's
structure (CHOCO, Section 4.2, DOI 10.1145/3503222.3507737) has a number of elements of its own in
every module and a transform unit for each direction; the same formulas hold.

Not in the RTL, and therefore not validated: different elements in different modules, more than one
generator, a stream buffer that collects samples while a transform runs.
"""

from dataclasses import dataclass

import numpy as np

from models.accelerator.points import Array, DesignPoints, HePoints
from models.accelerator.schedule import PHASES, SCHEDULES, Operation, Phase, Step

WORD_COEFFICIENTS = 8
"""Coefficients of 8 bytes in a word of 64 bytes: an access of a buffer, a cycle of the host."""

BUTTERFLY_CYCLES = 7
"""From operands to results of taco_butterfly: selection, product of five cycles, sum."""

BLOCK_CYCLES, BLOCK_BYTES = 7, 64
"""A generator makes a block of BLAKE3 in 7 cycles (taco_blake3_compress)."""

SAMPLE_BYTES = {"ternary": 64 / 62, "centered binomial": 64 / 12, "clipped normal": 64 / 8}
"""Random bytes a sample takes: a block serves 62 ternary samples on average (taco_draw)."""

TERNARY_BLOCK_CYCLES = 9
"""Eight draws and the load of the next block; drawing errors is faster than the generator."""

STREAM_SAMPLE_BYTES = 1
"""A sample in the stream buffer: 8 bits, as one small integer serves every residue."""

FILL_CYCLES: dict[Operation, int] = {
    "bfv_encrypt": 41,
    "bfv_decrypt": 40,
    "ckks_encrypt": 60,
    "ckks_decrypt": 14,
}
"""Filling of pipelines and changing of steps in a whole operation, from the RTL's counters."""


@dataclass(frozen=True)
class Timing:
    """Cycles of one operation at M points; every array broadcasts to shape (M,)."""

    phases: dict[Phase, Array]
    """Cycles by phase; they add up to ``total``."""
    total: Array
    """From the command to the last word at the host."""
    encode_busy: Array
    """Cycles of the message unit's transform and slots, encoding or decoding."""


def transform_stages(poly_modulus_degree: Array) -> Array:
    """Return log2 N, exact: the passes over the polynomial of one transform."""
    stages: Array = np.round(np.log2(poly_modulus_degree)).astype(np.int64)
    return stages


def buffer_banks(butterflies: Array) -> Array:
    """Return the 64-byte banks side by side that feed a transform: two operands a butterfly."""
    banks: Array = np.maximum(1, np.asarray(butterflies) // 4)
    return banks


def transform_cycles(poly_modulus_degree: Array, butterflies: Array) -> Array:
    """Return the cycles of a negacyclic transform, as taco_ntt runs it.

    A stage moves N / C words of C = max(8, 2 P) coefficients, one every max(1, 4 / P) cycles, and
    the next begins when the last is written. In the log2 C last stages both operands of a butterfly
    are in one word, which shortens the tail.

    Args:
        poly_modulus_degree: N, at least C.
        butterflies: P, a power of two.
    """
    n, p = np.asarray(poly_modulus_degree), np.asarray(butterflies)
    word = WORD_COEFFICIENTS * buffer_banks(p)
    slot = np.maximum(1, 4 // p)
    inner = transform_stages(word)
    moving = n // word * slot - slot
    outer_cycles = moving + word // p + BUTTERFLY_CYCLES + 4
    inner_cycles = moving + word // (2 * p) + BUTTERFLY_CYCLES + 3
    cycles: Array = (transform_stages(n) - inner) * outer_cycles + inner * inner_cycles
    return cycles


def sample_rate(design: DesignPoints, *, error: bool) -> Array:
    """Return samples a cycle of all generators together."""
    if not error:
        return (
            design.generator_units * (BLOCK_BYTES / SAMPLE_BYTES["ternary"]) / TERNARY_BLOCK_CYCLES
        )
    bytes_each = SAMPLE_BYTES[design.error_distribution]
    return design.generator_units * BLOCK_BYTES / bytes_each / BLOCK_CYCLES


def operation_timing(operation: Operation, he: HePoints, design: DesignPoints) -> Timing:
    """Time one operation.

    Args:
        operation: BFV includes encoding and decoding of the message; CKKS takes and gives
            polynomials in NTT form.
        he: N and k; cycles depend on k only where the host's port is the limit.
        design: the design points.
    """
    n = he.poly_modulus_degree
    phases: dict[Phase, Array] = dict.fromkeys(PHASES, np.zeros(()))
    encode = n // WORD_COEFFICIENTS + transform_cycles(n, design.encode_butterflies)
    encode_busy: Array = np.zeros(())
    for step in SCHEDULES[operation]:
        if step.message:
            elapsed = np.sum(np.broadcast_arrays(*phases.values()), axis=0)
            phases["encode"] = np.maximum(0, encode - elapsed)
            encode_busy = encode
        phases[step.phase] = phases[step.phase] + step_cycles(step, he, design)
        if step.target == "message":
            phases["decode"] = encode
            encode_busy = encode
    phases["control"] = np.asarray(FILL_CYCLES[operation])
    total = np.zeros(())
    for cycles in phases.values():
        total = total + cycles
    return Timing(phases, total, encode_busy)


def step_cycles(step: Step, he: HePoints, design: DesignPoints) -> Array:
    """Return the cycles of one step, filling of pipelines aside."""
    n = he.poly_modulus_degree
    if step.transform:
        inverse = step.transform == "intt"
        return transform_cycles(n, design.intt_butterflies if inverse else design.ntt_butterflies)
    parts: list[Array] = []
    if step.product:
        parts.append(n / design.dyadic_multipliers)
    if step.load or step.drain:
        parts.append(n / design.adders)
    if step.load == "ternary":
        parts.append(n / sample_rate(design, error=False))
    if step.addend == "error":
        ahead = design.stream_buffer_bytes // STREAM_SAMPLE_BYTES
        parts.append((n - np.minimum(n, ahead)) / sample_rate(design, error=True))
    if step.switch:
        parts.append(n / design.modulus_switch_elements)
    if (words := host_words(step, he)) is not None:
        parts.append(words)
    slowest = parts[0]
    for part in parts[1:]:
        slowest = np.maximum(slowest, part)
    return np.ceil(slowest)


def host_words(step: Step, he: HePoints) -> Array | None:
    """Return the words that cross the host's port in a step: it moves one a cycle, in or out."""
    polynomials = (step.load == "external") + (step.addend == "external") + (step.target == "host")
    if not polynomials:
        return None
    return polynomials * he.data_residues * he.poly_modulus_degree // WORD_COEFFICIENTS
