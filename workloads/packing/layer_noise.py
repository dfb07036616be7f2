"""Noise of a packed linear layer, predicted from how many operations it takes."""

from dataclasses import replace

from models import noise
from models.noise import Noise
from models.parameters import ParameterSet

MARGIN_BITS = 3.0
"""Budget that must remain after primes are dropped, by prediction."""


def layer_noise(
    parameters: ParameterSet,
    *,
    rotations_before: int,
    terms: int,
    rotations_after: int,
    folds: int,
    masked: bool = False,
) -> Noise:
    """Return the noise of a result ciphertext at all data primes.

    Args:
        parameters: a BFV set.
        rotations_before: of an input, one after the other.
        terms: products that are added up in one result.
        rotations_after: of sums of products, before they are added up.
        folds: times that a result is rotated and added to itself.
        masked: an input goes through a windowed rotation by masking.
    """
    rotated = noise.fresh(parameters)
    if masked:
        rotated = noise.rotate_window(rotated)
    for _ in range(rotations_before):
        rotated = noise.rotate(rotated)
    result = noise.add(*[noise.multiply_plain(rotated)] * terms)
    for _ in range(rotations_after):
        result = noise.rotate(result)
    for _ in range(folds):
        # Rotations leave coefficients like the constant one where they are, so that their noise
        # doubles while that of the others grows by a root: doubled amplitude is the safe side.
        rotated = noise.rotate(result)
        result = replace(rotated, log2_variance=rotated.log2_variance + 2)
    return result


def download_residues(result: Noise) -> int:
    """Return the fewest data primes that leave a result ``MARGIN_BITS`` of budget.

    Dropping a prime scales message and noise down alike and adds a rounding error; the prediction
    is the median, so the margin covers the spread. What really is left is checked at decryption.
    """
    for residues in range(1, result.residues):
        if noise.switch_modulus(result, residues).budget_bits >= MARGIN_BITS:
            return residues
    return result.residues
