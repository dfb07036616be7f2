"""SEAL's evaluator as the linear layers use it, with every operation counted.

Products and sums of products happen in NTT form, where a plaintext product is one dyadic product;
rotations need coefficient form. Weights are encoded and transformed once and reused.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from workloads.he import seal

OPERATIONS = (
    "rotations",
    "plain_multiplications",
    "additions",
    "plain_additions",
    "ntts",
    "intts",
    "modulus_switches",
)
"""What is counted, one per ciphertext operation (an NTT count of 1 is a whole ciphertext)."""


class CountingEvaluator:
    """Arithmetic on ciphertexts of one context; holds evaluation keys, never a secret key.

    Attributes:
        counts: operations done since the last ``take_counts``, by name in ``OPERATIONS``.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._evaluator = seal.Evaluator(context)
        self._encoder = seal.BatchEncoder(context)
        self._level = context.first_parms_id()
        self.galois_keys: Any = None
        self.row_size: int = self._encoder.slot_count() // 2
        self.counts: Counter[str] = Counter()

    def take_counts(self) -> dict[str, int]:
        """Return all counts since the last call and start again from zero."""
        taken = {name: self.counts[name] for name in OPERATIONS}
        self.counts.clear()
        return taken

    def encode(self, slots: NDArray[np.int64]) -> Any:
        """Batch a (2, N/2) array of integers, |value| < t/2, into a plaintext."""
        return self._encoder.encode(np.ascontiguousarray(slots.reshape(-1)))

    def encode_ntt(self, slots: NDArray[np.int64]) -> Any | None:
        """Batch weights into a plaintext in NTT form; None where all are zero.

        SEAL refuses the product with a zero plaintext, as its result would be transparent.
        """
        if not slots.any():
            return None
        return self._evaluator.transform_to_ntt(self.encode(slots), self._level)

    def rotate(self, ciphertext: Any, step: int) -> Any:
        """Rotate both rows left by ``step`` slots (cyclic; right if negative)."""
        step %= self.row_size
        if step == 0:
            return ciphertext
        if self.galois_keys is None:
            raise ChocoError("no Galois keys: the client must send its evaluation keys first")
        self.counts["rotations"] += 1
        return self._evaluator.rotate_rows(ciphertext, step, self.galois_keys)

    def to_ntt(self, ciphertext: Any) -> Any:
        """Return the ciphertext in NTT form."""
        self.counts["ntts"] += 1
        return self._evaluator.transform_to_ntt(ciphertext)

    def from_ntt(self, ciphertext: Any) -> Any:
        """Return the ciphertext in coefficient form."""
        self.counts["intts"] += 1
        return self._evaluator.transform_from_ntt(ciphertext)

    def multiply_plain(self, ciphertext: Any, plain: Any) -> Any:
        """Multiply slot by slot; both operands in NTT form."""
        self.counts["plain_multiplications"] += 1
        return self._evaluator.multiply_plain(ciphertext, plain)

    def add(self, left: Any, right: Any) -> Any:
        """Add two ciphertexts of the same form."""
        self.counts["additions"] += 1
        return self._evaluator.add(left, right)

    def accumulate(self, total: Any | None, term: Any) -> Any:
        """Add ``term`` to ``total`` in place; a ``total`` of None starts a sum."""
        if total is None:
            return term
        self.counts["additions"] += 1
        self._evaluator.add_inplace(total, term)
        return total

    def add_plain(self, ciphertext: Any, plain: Any) -> Any:
        """Add a plaintext; both in coefficient form."""
        self.counts["plain_additions"] += 1
        return self._evaluator.add_plain(ciphertext, plain)

    def switch_modulus(self, ciphertext: Any, residues: int) -> Any:
        """Drop data primes until ``residues`` are left."""
        while ciphertext.coeff_modulus_size() > residues:
            self.counts["modulus_switches"] += 1
            ciphertext = self._evaluator.mod_switch_to_next(ciphertext)
        return ciphertext


def make_galois_keys(key_generator: Any, steps: Iterable[int]) -> Any:
    """Generate Galois keys for exactly these left rotations."""
    keys = seal.GaloisKeys()
    key_generator.create_galois_keys(sorted(steps), keys)
    return keys


def galois_element(step: int, row_size: int) -> int:
    """Return the Galois element of a left rotation: 3^step modulo 2N, N = 2 row_size."""
    return pow(3, step, 4 * row_size)
