"""Layouts of an encrypted rank vector: dense and sparse in turn, so that sets need no repacking.

A product of a matrix and an encrypted vector moves the vector into another layout (Brutzkus,
Elisha, Gilad-Bachrach, LoLa, ICML 2019, Section 4): rows times a *dense* vector, summed up, leave
each element repeated through slots, a *sparse* vector; columns times a sparse vector add up to a
dense one. Alternating the two, iterations follow each other without masks and without the client
(CHOCO, DOI 10.1145/3503222.3507737, Section 5.1).

Here both are one ciphertext. n is the number of nodes, padded to a power of two; a row of slots
is cut into C blocks of 2n, repeated as often as they fit; K = n / C.

- dense: slot j of every block holds element j mod n;
- sparse: slot j < n + K of block c holds element c K + (j mod K); the other slots hold garbage.

That a block is twice as wide as the vector is rotational redundancy (CHOCO, Section 3.3): plain
rotations then act as windowed ones. For dense to sparse, slot j of block c adds the products of
output c K + (j mod K) over K rotations by one (as in ``workloads.packing.matvec``), and rotations
by K, 2K, ... n/2 sum them; all n + K first slots come out right. For sparse to dense, slot j < n
adds the products of output j with the K elements of its block, weights at the garbage are zero,
and rotations by 2n, 4n, ... sum the blocks in every block; a last one by n fills second halves.
A product is one plaintext multiplication deep and costs about 2 K + log2 C rotations; with n^2
slots for each of the two halves, K is 1.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from models.parameters import ParameterSet, Scheme
from workloads.packing.layout import ROWS, power_of_two

Values = NDArray[Any]


@dataclass(frozen=True)
class RankPlan:
    """Public geometry of a set of ``iterations`` PageRank iterations on one ciphertext.

    The client packs densely; an odd number of iterations comes back sparse.

    Raises:
        ChocoError: the graph does not fit a row of N/2 slots.
    """

    scheme: Scheme
    nodes: int
    row_size: int
    iterations: int

    def __post_init__(self) -> None:
        if 2 * self.size > self.row_size:
            raise ChocoError(
                f"pagerank: {self.nodes} nodes do not fit N = {2 * self.row_size}; "
                f"at most {self.row_size // 2}"
            )

    @property
    def size(self) -> int:
        """Nodes n, padded to a power of two."""
        return power_of_two(self.nodes)

    @property
    def width(self) -> int:
        """Slots of a block, 2n."""
        return 2 * self.size

    @property
    def blocks(self) -> int:
        """Different blocks C."""
        return min(self.size, self.row_size // self.width)

    @property
    def elements(self) -> int:
        """Elements K of a block in the sparse layout, and rotations by one of a product."""
        return self.size // self.blocks

    @property
    def period(self) -> int:
        """Slots after which a row repeats."""
        return self.blocks * self.width

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""
        return 1

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns."""
        return 1

    def fold_steps(self, sparse: bool) -> tuple[int, ...]:
        """Left rotations that sum up a product of a vector in the sparse (or dense) layout."""
        if sparse:
            return (*_doubling(self.width, self.period), self.size)
        return _doubling(self.elements, self.size)

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations that need a Galois key."""
        steps = set(self.fold_steps(False)) | ({1} if self.elements > 1 else set())
        if self.iterations > 1:
            steps |= set(self.fold_steps(True))
        return frozenset(steps)

    def element_of_slot(self, sparse: bool) -> Values:
        """Return the element in each slot of a block, shape (C, 2n); garbage is unspecified."""
        block, slot = np.ogrid[: self.blocks, : self.width]
        if sparse:
            found: Values = block * self.elements + slot % self.elements
        else:
            found = np.broadcast_to(slot % self.size, (self.blocks, self.width))
        return found

    def diagonals(self, matrix: Values, sparse: bool) -> list[Values]:
        """Return what meets the vector rotated left by 0 ... K - 1: K arrays of slots.

        Args:
            matrix: shape (nodes, nodes).
            sparse: layout of the vector that is multiplied.
        """
        padded = np.zeros((self.size, self.size), dtype=matrix.dtype)
        padded[: self.nodes, : self.nodes] = matrix
        output, element = self.element_of_slot(not sparse), self.element_of_slot(sparse)
        garbage = np.arange(self.width) >= self.size
        found = []
        for k in range(self.elements):
            weights = padded[output, np.roll(element, -k, axis=1)]
            found.append(self.spread(np.where(sparse & garbage, 0, weights)))
        return found

    def vector(self, values: Values, sparse: bool) -> Values:
        """Lay a (nodes,) vector out in slots, padding with zero."""
        padded = np.zeros(self.size, dtype=values.dtype)
        padded[: self.nodes] = values
        return self.spread(padded[self.element_of_slot(sparse)])

    def spread(self, blocks: Values) -> Values:
        """Repeat (C, 2n) values through a row; BFV has two rows, which hold the same."""
        row = np.tile(blocks.reshape(-1), self.row_size // self.period)
        return np.tile(row, (ROWS, 1)) if self.scheme == "bfv" else row

    def pack(self, values: Values) -> list[Values]:
        """Lay the (nodes,) ranks out densely."""
        if values.shape != (self.nodes,):
            raise ChocoError(f"pagerank: ranks of shape {values.shape} are not ({self.nodes},)")
        return [self.vector(values, sparse=False)]

    def unpack(self, slots: Sequence[Values]) -> Values:
        """Collect the (nodes,) ranks."""
        row = slots[0][0] if self.scheme == "bfv" else slots[0]
        if self.iterations % 2 == 0:
            return row[: self.nodes]
        block, place = np.divmod(np.arange(self.nodes), self.elements)
        collected: Values = row[block * self.width + place]
        return collected

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": "pagerank"} | asdict(self)


def rank_plan(parameters: ParameterSet, nodes: int, iterations: int) -> RankPlan:
    """Return the plan for the ring and the scheme of a parameter set."""
    return RankPlan(parameters.scheme, nodes, parameters.poly_modulus_degree // 2, iterations)


def _doubling(first: int, end: int) -> tuple[int, ...]:
    """Return first, 2 first, 4 first, ... below ``end``."""
    steps = []
    while first < end:
        steps.append(first)
        first *= 2
    return tuple(steps)
