"""Cycles of BFV encryption and decryption on CHOCO-TACO: first analytic model.

Follows the dataflow of CHOCO, Sections 4.2, 4.3 and 4.6, Figures 5 and 6
(DOI 10.1145/3503222.3507737):

- A transform is (N/2) log2 N butterflies; its block does ``butterflies`` of them a cycle. A bank
  of a working buffer reads one 64-byte word and writes one in a cycle, which is what 4 butterflies
  need, so a block of more has its buffer in more banks.
- All modules but the transforms stream; a chain of them runs at the pace of its slowest member.
- The generator takes 1 byte for a coefficient of u and 8 bytes for one of an error polynomial.
  Streaming buffers are below 1 kB, so errors are made while they are added, not ahead of it.
- Residues run in parallel layers, so cycles do not depend on k. What crosses residues (modulus
  switching, base conversion) takes one coefficient of every residue at a time, also in parallel.
- Inputs wait in the accelerator's buffers and results leave as they are made; the time of the host
  interface and the fill of pipelines are not counted (CoFHEE's chip needs 287 cycles for the fill
  on top of 53,248 butterflies, 0.5 %).
"""

from dataclasses import dataclass

import numpy as np

from models.accelerator.points import Array
from models.config.platform import Accelerator

WORDS_PER_ACCESS = 8
"""Coefficients of 8 bytes in one 64-byte access of a buffer (CHOCO, Section 4.2)."""

BUTTERFLIES_PER_BANK = WORDS_PER_ACCESS // 2
"""Butterflies that one read and one write of a bank keep busy: two operands in, two out."""

TERNARY_BYTES, ERROR_BYTES = 1, 8
"""Random bytes for one coefficient of u and of e1, e2 (CHOCO, Section 4.3)."""

MODULES = (
    "random_generator",
    "ntt",
    "dyadic_product",
    "intt",
    "polynomial_addition",
    "modulus_switch",  # base conversion in decryption
    "message_encoding",  # decoding in decryption
)
"""Names in ``Timing``, in the order of the dataflow."""


@dataclass(frozen=True)
class Timing:
    """Cycles of one operation at M points; every array has shape (M,)."""

    total: Array
    """From start to result."""
    busy: dict[str, Array]
    """Cycles in which a module works, by module; modules overlap."""
    critical: dict[str, Array]
    """Cycles by the module that sets the pace; they add up to ``total``."""


def transform_stages(poly_modulus_degree: Array) -> Array:
    """Return log2 N, exact: the passes over the polynomial of one transform."""
    stages: Array = np.round(np.log2(poly_modulus_degree))
    return stages


def transform_cycles(poly_modulus_degree: Array, butterflies: int) -> Array:
    """Return the cycles of one NTT or INTT of one residue polynomial: (N/2) log2 N / P."""
    cycles: Array = transform_stages(poly_modulus_degree) * np.ceil(
        poly_modulus_degree / 2 / butterflies
    )
    return cycles


def buffer_banks(butterflies: int) -> int:
    """Return the banks of a working buffer that feed this many butterflies: a power of two."""
    banks = 1
    while banks * BUTTERFLIES_PER_BANK < butterflies:
        banks *= 2
    return banks


def encryption(poly_modulus_degree: Array, key_residues: Array, design: Accelerator) -> Timing:
    """Time a public-key encryption, message encoding included.

    Args:
        poly_modulus_degree: N, shape (M,).
        key_residues: k, shape (M,).
        design: the design point; its layers are as many as there are residues.
    """
    n = np.asarray(poly_modulus_degree, dtype=float)
    transform = transform_cycles(n, design.butterflies)
    dyadic = _dyadic(n, design)
    ternary = np.ceil(TERNARY_BYTES * n / design.generator_bytes_per_cycle)
    errors = np.ceil(ERROR_BYTES * n / design.generator_bytes_per_cycle)
    addition = np.ceil(n / design.adders)
    # One residue has no key prime to switch away.
    switch = np.where(np.asarray(key_residues) > 1, np.ceil(n / design.modulus_switch_elements), 0)
    encode = _load(n) + transform_cycles(n, design.encode_butterflies)

    tail = {
        "random_generator": errors,
        "polynomial_addition": addition,
        "modulus_switch": switch,
    }
    path = _Path(n)
    path.add("random_generator", ternary)
    path.add("ntt", transform)
    path.add("dyadic_product", dyadic)
    path.add("intt", transform)
    # While c1 drains from the INTT buffer, the product for c0 follows into the freed places.
    path.add_slowest(tail | {"dyadic_product": dyadic})
    path.add("intt", transform)
    path.add("message_encoding", np.maximum(0, encode - path.total))  # c0 needs the message
    path.add_slowest(tail)
    return Timing(
        total=path.total,
        busy={
            "random_generator": ternary + 2 * errors,
            "ntt": transform,
            "dyadic_product": 2 * dyadic,
            "intt": 2 * transform,
            "polynomial_addition": 2 * addition,
            "modulus_switch": 2 * switch,
            "message_encoding": encode,
        },
        critical=path.critical,
    )


def decryption(poly_modulus_degree: Array, key_residues: Array, design: Accelerator) -> Timing:
    """Time a decryption of a ciphertext of two polynomials, message decoding included.

    Args:
        poly_modulus_degree: N, shape (M,).
        key_residues: k, shape (M,); does not matter, as residues run in parallel.
        design: the design point.
    """
    n = np.asarray(poly_modulus_degree, dtype=float) + 0 * np.asarray(key_residues)
    transform = transform_cycles(n, design.butterflies)
    dyadic = _dyadic(n, design)
    addition = np.ceil(n / design.adders)
    conversion = np.ceil(n / design.modulus_switch_elements)
    decode = transform_cycles(n, design.encode_butterflies)

    path = _Path(n)
    path.add("ntt", _load(n) + transform)
    path.add("dyadic_product", dyadic)
    path.add("intt", transform)
    path.add_slowest({"polynomial_addition": addition, "modulus_switch": conversion})
    path.add("message_encoding", decode + _load(n))  # the message leaves as it came in
    return Timing(
        total=path.total,
        busy={
            "random_generator": 0 * n,
            "ntt": _load(n) + transform,
            "dyadic_product": dyadic,
            "intt": transform,
            "polynomial_addition": addition,
            "modulus_switch": conversion,
            "message_encoding": decode + _load(n),
        },
        critical=path.critical,
    )


class _Path:
    """The critical path: phases one after the other, each charged to the module that paces it."""

    def __init__(self, shape_of: Array) -> None:
        self.critical = {module: np.zeros_like(shape_of) for module in MODULES}

    @property
    def total(self) -> Array:
        cycles: Array = np.sum(list(self.critical.values()), axis=0)
        return cycles

    def add(self, module: str, cycles: Array) -> None:
        self.critical[module] = self.critical[module] + cycles

    def add_slowest(self, chain: dict[str, Array]) -> None:
        cycles = np.stack(list(chain.values()))
        slowest = np.argmax(cycles, axis=0)
        for index, module in enumerate(chain):
            self.add(module, np.where(slowest == index, cycles[index], 0))


def _dyadic(n: Array, design: Accelerator) -> Array:
    ports = WORDS_PER_ACCESS * buffer_banks(design.butterflies)
    return np.ceil(n / min(design.dyadic_multipliers, ports))


def _load(n: Array) -> Array:
    """Cycles to write a polynomial to a working buffer, or to read it, 64 bytes a cycle."""
    return np.ceil(n / WORDS_PER_ACCESS)
