"""Noise budgets of BFV, predicted: one small function per operation that SEAL runs.

The invariant noise of a ciphertext c of the message m is the smallest polynomial v with
(t/q) c(s) = m + v (mod t). Decryption is right while every coefficient of v is below 1/2, and the
noise budget is what is left until then, -log2(2 max|v_i|) bits (Laine, "Simple Encrypted
Arithmetic Library 2.3.1", section on invariant noise; what SEAL's ``invariant_noise_budget``
reports, rounded down).

The analysis is average-case: each operation maps the variance of one coefficient of v to the one
after it (Costache, Laine, Player, ESORICS 2020, ePrint 2019/493; Biasioli, Marcolla, Calderini,
Mono, ePrint 2023/600), here with the terms of SEAL's own RNS algorithms. Coefficients are taken
as independent and normal, and the budget follows from the median of the largest of N.

Symbols of the docstrings: N ring degree; t plaintext modulus; q product of the data primes q_j
left; P key prime; V(e) variance of an error coefficient. Secrets and u are ternary, of variance
2/3. Modulo X^N + 1, the product of polynomials with independent coefficients a_i and b_i, where
b_i has zero mean, has coefficients of variance N E[a_i^2] V(b_i).
"""

from dataclasses import dataclass, replace
from functools import reduce
from math import inf, log2

import numpy as np
from scipy.special import erfinv

from models.errors import ChocoError
from models.parameters import ParameterSet

BINOMIAL_ERROR_VARIANCE = 21 / 2
"""Error variance of SEAL from 3.6 on: a centered binomial of 2 x 21 bits, sigma 3.24."""

_TERNARY_VARIANCE = 2 / 3
_ROUNDING_VARIANCE = 1 / 12
"""Of the error of rounding to the nearest integer, uniform in (-1/2, 1/2)."""


@dataclass(frozen=True)
class Noise:
    """The predicted invariant noise of a ciphertext.

    Attributes:
        parameters: the BFV parameter set.
        residues: data primes left in the ciphertext.
        log2_variance: log2 of the variance of a coefficient of v; -inf is no noise. A logarithm,
            because q^-2 leaves the range of a float.
    """

    parameters: ParameterSet
    residues: int
    log2_variance: float

    @property
    def margin_bits(self) -> float:
        """Median distance to decryption failure in bits; negative where it is expected to fail.

        P(max|v_i| < x) = erf(x / sqrt(2 V))^N is 1/2 at x = sqrt(2 V) erfinv(2^(-1/N)).
        """
        median = float(erfinv(2 ** (-1 / self.parameters.poly_modulus_degree)))
        return -1 - (1 + self.log2_variance) / 2 - log2(median)

    @property
    def budget_bits(self) -> float:
        """Median noise budget in bits, not rounded; 0 where decryption is expected to fail."""
        return max(0.0, self.margin_bits)


def fresh(parameters: ParameterSet, error_variance: float = BINOMIAL_ERROR_VARIANCE) -> Noise:
    """Noise of a public-key encryption.

    SEAL encrypts zero under q P and divides by P with rounding; then it adds the message as the
    rounded q m / t. With u, e, e_0, e_1 of the encryption and its key, and roundings r,

        v = (t/q) ((u e + e_0 + e_1 s) / P + r_0 + r_1 s + r_m),
        V = (t/q)^2 (V(e) (1 + 4N/3) / P^2 + (1 + 2N/3) / 12 + 1/12).

    Without a key prime (one prime in all), P is 1 and nothing is rounded but the message.

    Raises:
        ChocoError: the parameter set is not of BFV.
    """
    if parameters.scheme != "bfv":
        raise ChocoError(f"noise budgets are of BFV; a {parameters.scheme} set has none")
    n = parameters.poly_modulus_degree
    errors = log2(error_variance * (1 + 2 * n * _TERNARY_VARIANCE))
    rounding = log2(_ROUNDING_VARIANCE)
    if parameters.key_residues > 1:
        errors -= 2 * _log2_key_prime(parameters)
        rounding = _log2_sum(rounding, _switching_rounding(n))
    return _added(Noise(parameters, parameters.data_residues, -inf), errors, rounding)


def rotate(noise: Noise, error_variance: float = BINOMIAL_ERROR_VARIANCE) -> Noise:
    """Noise after one rotation: an automorphism, which moves noise only, and a key switch.

    The digit of prime q_j is the residue itself, in 0 ... q_j - 1 and so of second moment
    q_j^2 / 3; it multiplies the errors of its part of the key, and the sum is divided by P:

        V' = V + (t/q)^2 (N V(e) sum_j q_j^2 / (3 P^2) + (1 + 2N/3) / 12).

    Relinearization adds the same. (SEAL: hybrid key switching with one key prime.)

    Raises:
        ChocoError: there is no key prime to switch keys with.
    """
    parameters = noise.parameters
    if parameters.key_residues == 1:
        raise ChocoError("coeff_modulus_bits: a rotation needs a key prime, so two primes or more")
    n = parameters.poly_modulus_degree
    digits = _log2_sum(*(2 * log2(prime) for prime in parameters.coeff_modulus[: noise.residues]))
    errors = log2(n * error_variance / 3) + digits - 2 * _log2_key_prime(parameters)
    return _added(noise, errors, _switching_rounding(n))


def multiply_plain(noise: Noise, plain_variance: float | None = None) -> Noise:
    """Noise after the product with a plaintext polynomial p: v' = v p, so V' = N V V(p).

    Args:
        noise: of the ciphertext.
        plain_variance: mean square of the coefficients of p, centered modulo t. Batching turns
            all but constant vectors, 0/1 masks included, into coefficients that look uniform
            modulo t; without a value it is theirs, t^2 / 12.
    """
    parameters = noise.parameters
    log2_plain = (
        2 * log2(parameters.batching_modulus) - log2(12)
        if plain_variance is None
        else log2(plain_variance)
    )
    growth = log2(parameters.poly_modulus_degree) + log2_plain
    return replace(noise, log2_variance=noise.log2_variance + growth)


def add(*terms: Noise) -> Noise:
    """Noise of a sum of ciphertexts with independent noise: variances add up.

    Raises:
        ChocoError: the ciphertexts differ in parameters or primes left, so SEAL cannot add them.
    """
    if len({(term.parameters, term.residues) for term in terms}) != 1:
        raise ChocoError("only ciphertexts of one parameter set and modulus can be added")
    return replace(terms[0], log2_variance=_log2_sum(*(term.log2_variance for term in terms)))


def switch_modulus(noise: Noise, residues: int) -> Noise:
    """Noise after dropping data primes until ``residues`` are left, q' their product.

    v is relative to the modulus and stays; each division by a prime, rounded, adds its share:
    V' = V + (t/q')^2 (1 + 2N/3) / 12 for one prime.

    Raises:
        ChocoError: the ciphertext does not have that many primes, or none would be left.
    """
    if not 1 <= residues <= noise.residues:
        raise ChocoError(f"residues: {residues} of {noise.residues} primes cannot be kept")
    for left in range(noise.residues - 1, residues - 1, -1):
        fewer = replace(noise, residues=left)
        noise = _added(fewer, _switching_rounding(noise.parameters.poly_modulus_degree))
    return noise


def rotate_window(noise: Noise) -> Noise:
    """Noise after a windowed rotation by masking: two rotations, two masks, one addition."""
    masked = multiply_plain(rotate(noise))
    return add(masked, masked)


def _added(noise: Noise, *log2_variances: float) -> Noise:
    """Add errors, given as log2 of their variance in units of the modulus, to c(s)."""
    parameters = noise.parameters
    log2_q = sum(map(log2, parameters.coeff_modulus[: noise.residues]))
    scale = 2 * (log2(parameters.batching_modulus) - log2_q)
    terms = (scale + variance for variance in log2_variances)
    return replace(noise, log2_variance=_log2_sum(noise.log2_variance, *terms))


def _switching_rounding(n: int) -> float:
    """Return log2 of the variance of r_0 + r_1 s, the rounding of both polynomials."""
    return log2(_ROUNDING_VARIANCE * (1 + n * _TERNARY_VARIANCE))


def _log2_key_prime(parameters: ParameterSet) -> float:
    return log2(parameters.coeff_modulus[-1])


def _log2_sum(*log2_terms: float) -> float:
    return float(reduce(np.logaddexp2, log2_terms))
