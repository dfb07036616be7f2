"""HE parameter sets of BFV and CKKS: sizes, security, primes.

Sizes follow the RNS representation that SEAL uses: a residue polynomial is N words of 8 bytes;
keys live modulo all k primes, fresh ciphertexts modulo the k - 1 data primes, as the last prime
is reserved for key switching (CHOCO, DOI 10.1145/3503222.3507737, Section 2.1 and Table 3).
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from math import log2
from typing import Annotated, Literal, Self

from gmpy2 import is_prime
from pydantic import BaseModel, ConfigDict, Field, model_validator

Scheme = Literal["bfv", "ckks"]
SecurityBits = Literal[128, 192, 256]

WORD_BYTES = 8
"""Bytes of one residue coefficient in memory and on the wire."""

MIN_PRIME_BITS, MAX_PRIME_BITS = 2, 60
"""Bit sizes that SEAL accepts for a coefficient modulus prime (SEAL_USER_MOD_BIT_COUNT_*)."""

MAX_COEFF_MODULUS_BITS: dict[SecurityBits, dict[int, int]] = {
    128: {1024: 27, 2048: 54, 4096: 109, 8192: 218, 16384: 438, 32768: 881},
    192: {1024: 19, 2048: 37, 4096: 75, 8192: 152, 16384: 305, 32768: 611},
    256: {1024: 14, 2048: 29, 4096: 58, 8192: 118, 16384: 237, 32768: 476},
}
"""Largest log2 q, key prime included, by security level and N, against classical attacks with
ternary secrets: HomomorphicEncryption.org Security Standard (2018), Table 1, as in SEAL."""

POLY_MODULUS_DEGREES = tuple(MAX_COEFF_MODULUS_BITS[128])


class ModulusChain(BaseModel):
    """N and the coefficient modulus: all that sizes and security depend on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    poly_modulus_degree: int = Field(
        description="polynomial modulus degree N (coefficients per polynomial): "
        + ", ".join(map(str, POLY_MODULUS_DEGREES))
    )
    coeff_modulus_bits: tuple[Annotated[int, Field(ge=MIN_PRIME_BITS, le=MAX_PRIME_BITS)], ...] = (
        Field(
            min_length=1,
            description="bits of each coefficient modulus prime {k}; the last is the key prime",
        )
    )
    security_bits: SecurityBits = Field(
        default=128, description="security level that it must reach: 128, 192 or 256"
    )

    @model_validator(mode="after")
    def _check_chain(self) -> Self:
        n = self.poly_modulus_degree
        if n not in POLY_MODULUS_DEGREES:
            raise ValueError(
                f"poly_modulus_degree: {n} is not allowed; "
                f"use a power of two: {', '.join(map(str, POLY_MODULUS_DEGREES))}"
            )
        if self.log2_q > self.max_log2_q:
            raise ValueError(
                f"coeff_modulus_bits: log2 q = {self.log2_q} is insecure at N = {n}; "
                f"at most {self.max_log2_q} bits for {self.security_bits}-bit security"
            )
        for bits in set(self.coeff_modulus_bits):
            if bits <= log2(2 * n):
                raise ValueError(
                    f"coeff_modulus_bits: no prime of {bits} bits is 1 modulo 2N = {2 * n}; "
                    f"use at least {int(log2(2 * n)) + 1} bits"
                )
        for bits, count in Counter(self.coeff_modulus_bits).items():
            if len(found := ntt_primes(n, bits, count)) < count:
                raise ValueError(
                    f"coeff_modulus_bits: {count} primes of {bits} bits asked for at N = {n}, "
                    f"but there are {len(found)}; use more bits"
                )
        return self

    @property
    def log2_q(self) -> int:
        """Nominal bits of the whole coefficient modulus, key prime included."""
        return sum(self.coeff_modulus_bits)

    @property
    def max_log2_q(self) -> int:
        """Largest log2 q, key prime included, that reaches ``security_bits`` at this N."""
        return MAX_COEFF_MODULUS_BITS[self.security_bits][self.poly_modulus_degree]

    @property
    def key_residues(self) -> int:
        """Number of primes k in the coefficient modulus."""
        return len(self.coeff_modulus_bits)

    @property
    def data_residues(self) -> int:
        """Primes of a fresh ciphertext: k - 1, or 1 where there is no key prime (k = 1)."""
        return max(1, self.key_residues - 1)

    @property
    def log2_data_q(self) -> int:
        """Nominal bits of the coefficient modulus of a fresh ciphertext."""
        return sum(self.coeff_modulus_bits[: self.data_residues])

    @property
    def coeff_modulus(self) -> tuple[int, ...]:
        """The primes themselves, as SEAL picks and orders them: the largest of their bits.

        Among primes of equal size the smaller ones come first (``CoeffModulus::Create``).
        """
        n, left = self.poly_modulus_degree, Counter(self.coeff_modulus_bits)
        pools = {bits: list(ntt_primes(n, bits, count)) for bits, count in left.items()}
        return tuple(pools[bits].pop() for bits in self.coeff_modulus_bits)

    @property
    def polynomial_bytes(self) -> int:
        """Size of one residue polynomial in bytes: 8 N."""
        return WORD_BYTES * self.poly_modulus_degree

    def ciphertext_bytes(self, residues: int | None = None, polynomials: int = 2) -> int:
        """Size of a ciphertext in bytes, without serialization header.

        Args:
            residues: primes left in the ciphertext; ``data_residues`` for a fresh one.
            polynomials: 2 for a fresh ciphertext, 3 after an unrelinearized product.
        """
        left = self.data_residues if residues is None else residues
        return polynomials * left * self.polynomial_bytes

    @property
    def public_key_bytes(self) -> int:
        """Size of the public key in bytes: two polynomials modulo all k primes."""
        return 2 * self.key_residues * self.polynomial_bytes

    @property
    def secret_key_bytes(self) -> int:
        """Size of the secret key in bytes: one polynomial modulo all k primes."""
        return self.key_residues * self.polynomial_bytes

    @property
    def key_switching_key_bytes(self) -> int:
        """Size in bytes of one key-switching key (relinearization, or one Galois element).

        One public-key-sized pair for each of the k - 1 digits of the RNS decomposition.
        """
        return self.data_residues * self.public_key_bytes


class ParameterSet(ModulusChain):
    """One choice of HE parameters, checked for correctness and security.

    Security is checked against ``security_bits`` of the set itself, which the configuration
    fills in from its global level.
    """

    scheme: Scheme = Field(description="HE scheme: bfv (integers) or ckks (fixed point)")
    plain_modulus_bits: int | None = Field(
        default=None, description="bits of the plaintext modulus t; SEAL picks the prime (bfv)"
    )
    plain_modulus: int | None = Field(
        default=None, description="the plaintext modulus t itself, instead of its bits (bfv)"
    )
    scale_bits: int | None = Field(default=None, description="log2 of the encoding scale (ckks)")

    @model_validator(mode="after")
    def _check_scheme(self) -> Self:
        if self.scheme == "bfv":
            self._check_plain_modulus()
        elif self.plain_modulus is not None or self.plain_modulus_bits is not None:
            raise ValueError("plain_modulus: CKKS has no plaintext modulus; set scale_bits")
        elif self.scale_bits is None:
            raise ValueError("scale_bits: CKKS needs the log2 of its encoding scale")
        return self

    def _check_plain_modulus(self) -> None:
        n = self.poly_modulus_degree
        if self.scale_bits is not None:
            raise ValueError("scale_bits: BFV has no scale; set plain_modulus_bits")
        t = self.plain_modulus
        if t is not None and not is_batching_modulus(t, n):
            raise ValueError(
                f"plain_modulus: {t} cannot batch at N = {n}; "
                f"it must be a prime that is 1 modulo 2N = {2 * n}"
            )
        if (t is None) == (self.plain_modulus_bits is None):
            raise ValueError("plain_modulus: give one of plain_modulus and plain_modulus_bits")
        if self.plain_modulus_bits is not None and not (
            log2(2 * n) < self.plain_modulus_bits <= MAX_PRIME_BITS
        ):
            raise ValueError(
                f"plain_modulus_bits: {self.plain_modulus_bits} is out of range at N = {n}; "
                f"use {int(log2(2 * n)) + 1} to {MAX_PRIME_BITS}"
            )
        elif self.plain_modulus_bits is not None and not ntt_primes(n, self.plain_modulus_bits, 1):
            raise ValueError(
                f"plain_modulus_bits: no prime of {self.plain_modulus_bits} bits can batch "
                f"at N = {n}; use more bits"
            )
        t = self.batching_modulus
        if t in self.coeff_modulus:
            raise ValueError(
                f"plain_modulus: {t} is also a coefficient modulus prime; use a different size"
            )
        if t.bit_length() >= self.log2_data_q:
            raise ValueError(
                f"plain_modulus: {t} has {t.bit_length()} bits and leaves no room for noise; "
                f"a fresh ciphertext has {self.log2_data_q} bits"
            )

    @property
    def log2_t(self) -> float:
        """Bits of the plaintext modulus (BFV): nominal, or exact where t itself is given."""
        if self.plain_modulus is not None:
            return log2(self.plain_modulus)
        if self.plain_modulus_bits is None:
            raise ValueError("CKKS has no plaintext modulus")
        return float(self.plain_modulus_bits)

    @property
    def batching_modulus(self) -> int:
        """The plaintext modulus t itself: as given, or the prime that SEAL picks for its bits."""
        if self.plain_modulus is not None:
            return self.plain_modulus
        if self.plain_modulus_bits is None:
            raise ValueError("CKKS has no plaintext modulus")
        return ntt_primes(self.poly_modulus_degree, self.plain_modulus_bits, 1)[0]


def is_batching_modulus(t: int, poly_modulus_degree: int) -> bool:
    """Tell whether t allows SIMD batching: a prime with t = 1 modulo 2N."""
    return t > 2 and t % (2 * poly_modulus_degree) == 1 and bool(is_prime(t))


@lru_cache
def ntt_primes(poly_modulus_degree: int, bits: int, count: int) -> tuple[int, ...]:
    """Return up to ``count`` primes of exactly ``bits`` bits that are 1 modulo 2N, largest first.

    They are what SEAL takes for ``CoeffModulus::Create`` and ``PlainModulus::Batching``.
    """
    return tuple(islice(_ntt_primes(poly_modulus_degree, bits), count))


def _ntt_primes(poly_modulus_degree: int, bits: int) -> Iterator[int]:
    step = 2 * poly_modulus_degree
    highest = ((1 << bits) - 2) // step * step + 1
    for candidate in range(highest, 1 << (bits - 1), -step):
        if is_prime(candidate):
            yield candidate
