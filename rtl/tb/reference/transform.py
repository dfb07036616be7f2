"""The negacyclic transform as SEAL computes it, and what the hardware's tables hold."""

import numpy as np

from rtl.tb.reference.primes import minimal_root

MONTGOMERY_BITS = 66
"""Constants of products are stored as c * 2^66 mod q (rtl/taco/taco_pkg.sv)."""


def montgomery(value: int, modulus: int) -> int:
    """Return ``value`` as the hardware stores a constant."""
    return (value << MONTGOMERY_BITS) % modulus


def bit_reverse(value: int, bits: int) -> int:
    """Return the lowest ``bits`` of ``value`` in reverse order."""
    return int(f"{value:0{bits}b}"[::-1], 2) if bits else 0


def root_powers(degree: int, modulus: int) -> list[int]:
    """Return powers of the minimal 2N-th root of unity in bit-reversed order (N of them)."""
    root, bits = minimal_root(degree, modulus), degree.bit_length() - 1
    powers = [1] * degree
    power = 1
    for i in range(degree):
        powers[bit_reverse(i, bits)] = power
        power = power * root % modulus
    return powers


def twiddles(degree: int, modulus: int) -> list[int]:
    """Return the contents of a twiddle memory: powers of the root in Montgomery form."""
    return [montgomery(power, modulus) for power in root_powers(degree, modulus)]


def ntt(values: list[int], modulus: int) -> list[int]:
    """Return the forward transform: natural order in, bit-reversed order out."""
    degree = len(values)
    powers = np.array(root_powers(degree, modulus), dtype=object)
    data = np.array(values, dtype=object)
    groups = 1
    while groups < degree:
        blocks = data.reshape(groups, 2, degree // (2 * groups))
        u = blocks[:, 0].copy()
        v = blocks[:, 1] * powers[groups : 2 * groups, None] % modulus
        blocks[:, 0] = (u + v) % modulus
        blocks[:, 1] = (u - v) % modulus
        groups *= 2
    return [int(x) for x in data]


def inverse_ntt(values: list[int], modulus: int) -> list[int]:
    """Return the inverse transform, with the factor 1/N."""
    degree = len(values)
    powers = root_powers(degree, modulus)
    data = np.array(values, dtype=object)
    groups = degree // 2
    while groups:
        inverse = np.array([pow(p, -1, modulus) for p in powers[groups : 2 * groups]], dtype=object)
        blocks = data.reshape(groups, 2, degree // (2 * groups))
        u, v = blocks[:, 0].copy(), blocks[:, 1].copy()
        blocks[:, 0] = (u + v) % modulus
        blocks[:, 1] = (u - v) * inverse[:, None] % modulus
        groups //= 2
    scale = pow(degree, -1, modulus)
    return [int(x) * scale % modulus for x in data]
