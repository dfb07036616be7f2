"""Encryption of zero by a public key, as SEAL 4.4 computes it from given randomness."""

import numpy as np
from numpy.typing import NDArray

from rtl.tb.reference.transform import inverse_ntt, ntt


def encrypt_zero(
    public_key: NDArray[np.uint64],
    primes: list[int],
    u: NDArray[np.int64],
    errors: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    ntt_form: bool = False,
) -> list[list[list[int]]]:
    """Return pk u + e with the key prime dropped and rounded: (polynomial, prime, coefficient).

    Args:
        public_key: residues in NTT form, (2, k, N).
        primes: the k primes, key prime last; a single prime is not dropped.
        u: ternary polynomial.
        errors: error polynomials of c0 and c1.
        ntt_form: return the result in NTT form (CKKS).

    Source: SEAL 4.4 rlwe.cpp ``encrypt_zero_asymmetric`` and rns.cpp
    ``divide_and_round_q_last_inplace``.
    """
    result = []
    for i in range(2):
        residues = []
        for j, q in enumerate(primes):
            transformed = ntt([int(x) % q for x in u], q)
            products = [a * int(b) % q for a, b in zip(transformed, public_key[i][j], strict=True)]
            coefficients = inverse_ntt(products, q)
            residues.append(
                [(c + int(e)) % q for c, e in zip(coefficients, errors[i], strict=True)]
            )
        if len(primes) > 1:
            residues = drop_last(residues, primes)
        if ntt_form:
            residues = [ntt(r, q) for r, q in zip(residues, primes, strict=False)]
        result.append(residues)
    return result


def drop_last(residues: list[list[int]], primes: list[int]) -> list[list[int]]:
    """Divide by the last prime and round, as SEAL does."""
    p = primes[-1]
    half = p >> 1
    last = [(x + half) % p for x in residues[-1]]
    dropped = []
    for residue, q in zip(residues[:-1], primes[:-1], strict=True):
        inverse = pow(p, -1, q)
        pairs = zip(residue, last, strict=True)
        dropped.append([(c - (x - half)) * inverse % q for c, x in pairs])
    return dropped
