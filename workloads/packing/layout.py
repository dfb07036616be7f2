"""Layouts: how a tensor lies in the slots of batched ciphertexts, and how a layer computes on it.

A BFV plaintext of N slots is a matrix of two rows of N/2 slots. ``rotate_rows`` rotates both rows
cyclically, ``rotate_columns`` swaps them; no other permutation is used here, and no masks. All
layouts are built on *rotational redundancy* (CHOCO, DOI 10.1145/3503222.3507737, Section 3.3):
where a value would have to wrap around inside a window, the client, which packs anew for every
layer, has packed a copy of it where a plain rotation finds it.

A *plan* is the public geometry of one linear layer: what client and server must agree on. It
packs, unpacks and names the rotations that need keys; it holds no weights. Bound to weights, it
becomes an *operator*, which only the server has.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from models.noise import Noise
from models.parameters import ParameterSet
from workloads.packing.evaluator import CountingEvaluator

Integers = NDArray[np.int64]

ROWS = 2
"""Rows of the batching matrix."""

SWAP_ROWS = 0
"""The rotation step that stands for a swap of the two rows, as in SEAL's Galois keys."""


class LinearOperator(Protocol):
    """A linear layer with its weights encoded, ready for any number of inputs."""

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Map the input ciphertexts to output ciphertexts, in coefficient form."""


class LinearPlan(Protocol):
    """The public geometry of one linear layer."""

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns."""

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, below N/2, that need a Galois key; 0 stands for a swap of the rows."""

    @property
    def products(self) -> int:
        """Plaintext products at most."""

    def noise(self, parameters: ParameterSet) -> Noise:
        """Predict the noise of the results, before primes are dropped."""

    def pack(self, values: Integers) -> list[Integers]:
        """Lay the input tensor out in slots: one (2, N/2) array per ciphertext."""

    def unpack(self, slots: Sequence[Integers]) -> Integers:
        """Collect the output tensor from the slots of the results."""

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers, *, keep: bool = True
    ) -> LinearOperator:
        """Bind the plan to weights and bias.

        Args:
            evaluator: what the operator computes with.
            weights: their shape is the plan's.
            bias: one for each output.
            keep: encode the weights now and keep them for every input to come, at one plaintext
                in NTT form a product; else encode them at each use and drop them.
        """

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""


def power_of_two(at_least: int) -> int:
    """Return the smallest power of two that is not below ``at_least`` (>= 1)."""
    return 1 << (at_least - 1).bit_length()


def check_shape(name: str, array: Integers, expected: tuple[int, ...]) -> None:
    """Raise a ``ChocoError`` that names ``name`` if ``array`` is not of the expected shape."""
    if array.shape != expected:
        raise ChocoError(f"{name}: shape {array.shape} is not {expected}")


def no_product(layer: str, ciphertext: int) -> ChocoError:
    """Return the error for a result that no weight contributes to.

    The server cannot make an encryption of zero from nothing: SEAL refuses the transparent
    ciphertext, as anybody could read it.
    """
    return ChocoError(
        f"{layer}: all weights behind output ciphertext {ciphertext} are zero; "
        "there is nothing to compute on encrypted data"
    )
