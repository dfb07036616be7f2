"""SEAL's evaluators as the workloads use them, with every operation counted.

``CountingEvaluator`` is BFV on the two rows of a batched message. Products and sums of products
happen in NTT form, where a plaintext product is one dyadic product; rotations need coefficient
form. Weights are encoded and transformed once and reused. ``CkksEvaluator`` is CKKS on one vector
of N/2 numbers; its ciphertexts are in NTT form throughout.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal

OPERATIONS = (
    "rotations",
    "plain_multiplications",
    "multiplications",
    "relinearizations",
    "additions",
    "plain_additions",
    "ntts",
    "intts",
    "rescales",
    "modulus_switches",
)
"""What is counted, one per ciphertext operation (an NTT count of 1 is a whole ciphertext)."""


class Evaluator:
    """What the evaluators of both schemes share; holds evaluation keys, never a secret key.

    Attributes:
        counts: operations done since the last ``take_counts``, by name in ``OPERATIONS``.
        galois_keys, relinearization_keys: the client's, None until it has sent them.
        stored: ciphertexts that the client left with the server, by the name of the plan that
            took them; they are forgotten with the client's keys.
        row_size: slots that a rotation goes round, N/2.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._evaluator = seal.Evaluator(context)
        self.row_size: int = context.first_context_data().parms().poly_modulus_degree() // 2
        self.counts: Counter[str] = Counter()
        self.set_keys(None, None)

    def set_keys(self, galois_keys: Any | None, relinearization_keys: Any | None) -> None:
        """Take the evaluation keys of a client, and forget what another one stored."""
        self.galois_keys = galois_keys
        self.relinearization_keys = relinearization_keys
        self.stored: dict[str, list[Any]] = {}

    def take_counts(self) -> dict[str, int]:
        """Return all counts since the last call and start again from zero."""
        taken = {name: self.counts[name] for name in OPERATIONS}
        self.counts.clear()
        return taken

    def rotate(self, ciphertext: Any, step: int) -> Any:
        """Rotate left by ``step`` slots (cyclic; right if negative); in BFV both rows alike."""
        step %= self.row_size
        if step == 0:
            return ciphertext
        if self.galois_keys is None:
            raise ChocoError("no Galois keys: the client must send its evaluation keys first")
        self.counts["rotations"] += 1
        return self._rotate(ciphertext, step)

    def _rotate(self, ciphertext: Any, step: int) -> Any:
        raise NotImplementedError

    def multiply_plain(self, ciphertext: Any, plain: Any) -> Any:
        """Multiply slot by slot; both operands in the same form (BFV: coefficient or NTT)."""
        self.counts["plain_multiplications"] += 1
        return self._evaluator.multiply_plain(ciphertext, plain)

    def multiply(self, left: Any, right: Any) -> Any:
        """Multiply slot by slot; the result has three polynomials until relinearized."""
        self.counts["multiplications"] += 1
        return self._evaluator.multiply(left, right)

    def square(self, ciphertext: Any) -> Any:
        """Square slot by slot; counted as a multiplication."""
        self.counts["multiplications"] += 1
        return self._evaluator.square(ciphertext)

    def relinearize(self, ciphertext: Any) -> Any:
        """Bring a product back to two polynomials."""
        if self.relinearization_keys is None:
            raise ChocoError("no relinearization keys: the client must send them first")
        self.counts["relinearizations"] += 1
        return self._evaluator.relinearize(ciphertext, self.relinearization_keys)

    def add(self, left: Any, right: Any) -> Any:
        """Add two ciphertexts of the same form, level and scale."""
        self.counts["additions"] += 1
        return self._evaluator.add(left, right)

    def subtract(self, left: Any, right: Any) -> Any:
        """Subtract ``right`` from ``left``; counted as an addition."""
        self.counts["additions"] += 1
        return self._evaluator.sub(left, right)

    def accumulate(self, total: Any | None, term: Any) -> Any:
        """Add ``term`` to ``total`` in place; a ``total`` of None starts a sum."""
        if total is None:
            return term
        self.counts["additions"] += 1
        self._evaluator.add_inplace(total, term)
        return total

    def add_plain(self, ciphertext: Any, plain: Any) -> Any:
        """Add a plaintext (BFV: both in coefficient form; CKKS: same level and scale)."""
        self.counts["plain_additions"] += 1
        return self._evaluator.add_plain(ciphertext, plain)

    def subtract_plain(self, ciphertext: Any, plain: Any) -> Any:
        """Subtract a plaintext; counted as an addition of one."""
        self.counts["plain_additions"] += 1
        return self._evaluator.sub_plain(ciphertext, plain)

    def switch_modulus(self, ciphertext: Any, residues: int) -> Any:
        """Drop data primes until ``residues`` are left; values and CKKS scales stay."""
        while ciphertext.coeff_modulus_size() > residues:
            self.counts["modulus_switches"] += 1
            ciphertext = self._evaluator.mod_switch_to_next(ciphertext)
        return ciphertext


class CountingEvaluator(Evaluator):
    """Arithmetic on BFV ciphertexts: integers modulo t in two rows of N/2 slots."""

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self._encoder = seal.BatchEncoder(context)
        self._level = context.first_parms_id()

    def encode(self, slots: NDArray[np.int64]) -> Any:
        """Batch a (2, N/2) array of integers, |value| < t/2, into a plaintext."""
        return self._encoder.encode(np.ascontiguousarray(slots.reshape(-1)))

    def encode_ntt(self, slots: NDArray[np.int64], like: Any | None = None) -> Any | None:
        """Batch weights into a plaintext in NTT form; None where all are zero.

        SEAL refuses the product with a zero plaintext, as its result would be transparent.

        Args:
            slots: (2, N/2) integers.
            like: ciphertext whose primes left the plaintext must have; fresh ones by default.
        """
        if not slots.any():
            return None
        level = self._level if like is None else like.parms_id()
        return self._evaluator.transform_to_ntt(self.encode(slots), level)

    def _rotate(self, ciphertext: Any, step: int) -> Any:
        return self._evaluator.rotate_rows(ciphertext, step, self.galois_keys)

    def swap_rows(self, ciphertext: Any) -> Any:
        """Exchange the two rows; counted as a rotation."""
        if self.galois_keys is None:
            raise ChocoError("no Galois keys: the client must send its evaluation keys first")
        self.counts["rotations"] += 1
        return self._evaluator.rotate_columns(ciphertext, self.galois_keys)

    def to_ntt(self, ciphertext: Any) -> Any:
        """Return the ciphertext in NTT form."""
        self.counts["ntts"] += 1
        return self._evaluator.transform_to_ntt(ciphertext)

    def from_ntt(self, ciphertext: Any) -> Any:
        """Return the ciphertext in coefficient form."""
        self.counts["intts"] += 1
        return self._evaluator.transform_from_ntt(ciphertext)


class CkksEvaluator(Evaluator):
    """Arithmetic on CKKS ciphertexts: a vector of N/2 real numbers, times a scale.

    Attributes:
        scale: of fresh ciphertexts, 2^scale_bits.
    """

    def __init__(self, context: Any, scale: float) -> None:
        super().__init__(context)
        self._encoder = seal.CKKSEncoder(context)
        self.scale = scale

    def encode(
        self,
        values: NDArray[np.float64] | float,
        like: Any | None = None,
        scale: float | None = None,
    ) -> Any:
        """Encode (N/2,) real values, or one for all slots, into a plaintext.

        Args:
            values: the numbers.
            like: ciphertext whose level, and scale unless given, the plaintext must have to be
                added or multiplied; the level and scale of fresh ciphertexts by default.
            scale: of the plaintext, e.g. ``dropped_prime(like)`` for a product that keeps its
                scale through ``rescale``.
        """
        if scale is None:
            scale = self.scale if like is None else like.scale()
        numbers = values if np.isscalar(values) else np.ascontiguousarray(values, dtype=np.float64)
        plain = self._encoder.encode(numbers, scale)
        return plain if like is None else self._evaluator.mod_switch_to(plain, like.parms_id())

    def dropped_prime(self, ciphertext: Any) -> int:
        """Return the prime that ``rescale`` divides this ciphertext by."""
        level = self._context.get_context_data(ciphertext.parms_id())
        return int(level.parms().coeff_modulus()[-1].value())

    def rescale(self, ciphertext: Any) -> Any:
        """Drop a prime and divide value and scale by it."""
        self.counts["rescales"] += 1
        return self._evaluator.rescale_to_next(ciphertext)

    def _rotate(self, ciphertext: Any, step: int) -> Any:
        return self._evaluator.rotate_vector(ciphertext, step, self.galois_keys)


def make_evaluator(parameters: ParameterSet, context: Any | None = None) -> Evaluator:
    """Return the evaluator of the set's scheme; ``context`` saves making it again."""
    made = he.context(parameters) if context is None else context
    if parameters.scale_bits is None:
        return CountingEvaluator(made)
    return CkksEvaluator(made, 2.0**parameters.scale_bits)


def make_galois_keys(key_generator: Any, steps: Iterable[int]) -> Any:
    """Generate Galois keys for exactly these left rotations."""
    keys = seal.GaloisKeys()
    key_generator.create_galois_keys(sorted(steps), keys)
    return keys


def galois_element(step: int, row_size: int) -> int:
    """Return the Galois element of a left rotation: 3^step modulo 2N, N = 2 row_size.

    Step 0 stands for the swap of the two rows (BFV), element 2N - 1.
    """
    return pow(3, step, 4 * row_size) if step else 4 * row_size - 1
