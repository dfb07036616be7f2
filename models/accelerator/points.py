"""HE parameters as arrays, the form in which the accelerator model takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class HePoints:
    """Parameters of M points; every field is an array of shape (M,).

    The work on a residue grows with the width of its prime: linearly for additions and with the
    square for multiplications, so the sums over primes are all that the model needs.
    """

    poly_modulus_degree: Array
    key_residues: Array
    data_residues: Array
    key_bits: Array
    """Sum of the bits of all k primes."""
    key_bits_squared: Array
    """Sum of the squared bits of all k primes."""
    data_bits: Array
    """Sum of the bits of the data primes (all but the last; the only one where k = 1)."""
    data_bits_squared: Array
    plain_bits: Array
    """Bits of the plaintext modulus."""


def he_points(points: Sequence[tuple[int, Sequence[int], int]]) -> HePoints:
    """Gather points of (poly_modulus_degree, coeff_modulus_bits, plain_modulus_bits)."""
    data = [bits[:-1] if len(bits) > 1 else bits for _, bits, _ in points]
    return HePoints(
        poly_modulus_degree=np.array([n for n, _, _ in points]),
        key_residues=np.array([len(bits) for _, bits, _ in points]),
        data_residues=np.array([len(bits) for bits in data]),
        key_bits=np.array([sum(bits) for _, bits, _ in points]),
        key_bits_squared=np.array([sum(b * b for b in bits) for _, bits, _ in points]),
        data_bits=np.array([sum(bits) for bits in data]),
        data_bits_squared=np.array([sum(b * b for b in bits) for bits in data]),
        plain_bits=np.array([t for _, _, t in points]),
    )
