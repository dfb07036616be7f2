"""BFV message encoding, decoding and the end of decryption, as SEAL 4.4 computes them."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.reference.transform import bit_reverse, inverse_ntt, montgomery, ntt

GAMMA_BITS = 61


@lru_cache
def slot_positions(degree: int) -> tuple[int, ...]:
    """Return where SEAL's BatchEncoder puts slot i in the transformed polynomial.

    Row 0 (slots 0 .. N/2 - 1) runs through the powers of 3 modulo 2N, row 1 through their
    negatives.
    """
    bits = degree.bit_length() - 1
    row0, row1 = [], []
    power = 1
    for _ in range(degree // 2):
        row0.append(bit_reverse((power - 1) // 2, bits))
        row1.append(bit_reverse((2 * degree - power - 1) // 2, bits))
        power = power * 3 % (2 * degree)
    return (*row0, *row1)


def encode(slots: list[int], plain_modulus: int) -> list[int]:
    """Return the coefficients of the plaintext polynomial for N slot values below t."""
    placed = [0] * len(slots)
    for position, value in zip(slot_positions(len(slots)), slots, strict=True):
        placed[position] = value
    return inverse_ntt(placed, plain_modulus)


def decode(coefficients: list[int], plain_modulus: int) -> list[int]:
    """Return the N slot values of a plaintext polynomial."""
    values = ntt(coefficients, plain_modulus)
    return [values[position] for position in slot_positions(len(coefficients))]


def scale(coefficients: list[int], primes: list[int], plain_modulus: int) -> list[list[int]]:
    """Return floor((q m + floor((t + 1) / 2)) / t) modulo every prime: (prime, coefficient)."""
    q, half = prod(primes), (plain_modulus + 1) // 2
    scaled = [(q * m + half) // plain_modulus for m in coefficients]
    return [[value % prime for value in scaled] for prime in primes]


def gamma(degree: int) -> int:
    """Return the auxiliary prime of SEAL's decryption, the second largest of 61 bits."""
    return ntt_primes(degree, GAMMA_BITS, 2)[1]


def scale_and_round(
    residues: list[list[int]], primes: list[int], plain_modulus: int, gamma: int
) -> list[int]:
    """Return round(t x / q) mod t as RNSTool::decrypt_scale_and_round does it (BEHZ, 2016/510).

    Base conversion to t and gamma without its correction, then the correction by gamma; the result
    is the rounded quotient wherever decryption is correct, and SEAL's value everywhere.
    """
    t, q = plain_modulus, prod(primes)
    digits = []  # of x gamma t in the base q, not reduced modulo q
    for prime, residue in zip(primes, residues, strict=True):
        factor = gamma * t * pow(q // prime, -1, prime) % prime
        digits.append([x * factor % prime for x in residue])
    parts = []
    for modulus in (t, gamma):
        factors = [q // prime % modulus for prime in primes]
        negated = -pow(q, -1, modulus)
        sums = [
            sum(z * f for z, f in zip(zs, factors, strict=True)) for zs in zip(*digits, strict=True)
        ]
        parts.append([total * negated % modulus for total in sums])
    inverse = pow(gamma, -1, t)
    return [
        (at + (gamma - ag) if ag > gamma // 2 else at - ag) * inverse % t
        for at, ag in zip(*parts, strict=True)
    ]


@dataclass(frozen=True)
class MessageConstants:
    """What the host writes into taco_message for a parameter set; products in Montgomery form.

    ``primes`` are the data primes, without the key prime.
    """

    degree: int
    primes: tuple[int, ...]
    plain_modulus: int

    def registers(self) -> dict[int, int]:
        """Return configuration address to value (addresses: rtl/taco/taco_message_config.sv)."""
        t, g, q = self.plain_modulus, gamma(self.degree), prod(self.primes)
        values = {
            0: t,
            1: g,
            2: montgomery(-q % t, t),
            3: montgomery(pow(g, -1, t), t),
        }
        for j, prime in enumerate(self.primes):
            values[16 + j] = prime
            values[32 + j] = montgomery(pow(t, -1, prime), prime)
            values[48 + j] = montgomery(g * t * pow(q // prime, -1, prime) % prime, prime)
            values[64 + j] = montgomery(-pow(prime * g, -1, t) % t, t)
            values[80 + j] = montgomery(-pow(prime, -1, g) % g, g)
        return values
