"""Five ways to pack a distance kernel: squared Euclidean distances of queries to points.

A query (a new point of K-nearest neighbours, a centroid of K-means) is the client's and encrypted;
the points are the server's. CHOCO, DOI 10.1145/3503222.3507737, Section 5.1 and Figure 9, after
the matrix-vector products of LoLa (Brutzkus et al., ICML 2019). A ciphertext is one vector of
N/2 slots; D and P are dimensions and points, rounded up to powers of two.

- *Point-major*: a ciphertext holds one point, D slots. The sum of a result goes over slots, by
  rotations; each point makes a result with one distance in it.
- *Stacked point-major*: the query is repeated every D slots and meets N/2/D points at a time. A
  result has a distance every D slots; what lies between is of no use.
- *Collapsed point-major*: the same, but the server masks what is of no use and shifts D results
  into each other, so that a result is full of distances.
- *Dimension-major*: a ciphertext holds one dimension of the query, repeated for every point. The
  sum goes over ciphertexts, without rotations; one result holds all distances.
- *Stacked dimension-major*: several dimensions in one ciphertext, N/2/P at a time; their sum goes
  over slots again.

Several queries lie side by side: in point-major inputs query by query (not in the plain variant,
which has one point in a ciphertext), in dimension-major inputs block after block.

Values lie between 0 and 1, so that every slot of every result is at most D. Rotations never meet
a wrong value: unused slots are zero in queries and points, and sums are read where they are whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from models.config.workloads import Packing
from models.errors import ChocoError
from workloads.packing.layout import power_of_two

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class _DistancePlan:
    """What all packings share: a kernel for (queries, dimensions) against (points, dimensions)."""

    KIND: ClassVar[Packing]

    name: str
    row_size: int
    queries: int
    points: int
    dimensions: int

    def __post_init__(self) -> None:
        for what in ("queries", "points", "dimensions"):
            if getattr(self, what) < 1:
                raise ChocoError(f"{self.name}: {what} = {getattr(self, what)}; at least 1")
        if self.block > self.row_size:
            raise ChocoError(
                f"{self.name}: {self.dimensions} dimensions need {self.block} slots; "
                f"a ciphertext has {self.row_size} at N = {2 * self.row_size}"
            )

    @property
    def block(self) -> int:
        """Slots of one point, a power of two: D."""
        return power_of_two(self.dimensions)

    @property
    def largest(self) -> int:
        """Upper bound of every slot of a result, for values between 0 and 1."""
        return self.block

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": self.KIND} | asdict(self)

    def _checked(self, what: str, values: Reals, count: int) -> Reals:
        """Return the values padded to ``block`` columns.

        Raises:
            ChocoError: wrong shape, or values outside 0..1 (the scale would not hold the sums).
        """
        if values.shape != (count, self.dimensions):
            raise ChocoError(
                f"{self.name}: {what} of shape {values.shape}; expected {(count, self.dimensions)}"
            )
        if not (np.min(values) >= 0 and np.max(values) <= 1):  # also refuses NaN
            raise ChocoError(
                f"{self.name}: {what} hold values from {np.min(values):.3g} to "
                f"{np.max(values):.3g}; scale them to 0..1"
            )
        padded = np.zeros((count, self.block))
        padded[:, : self.dimensions] = values
        return padded


@dataclass(frozen=True)
class PointMajorPlan(_DistancePlan):
    """Points side by side, D slots each, query after query.

    Slot block b of input g holds query ``g queries_per_input + b mod queries_per_input`` and meets
    point ``b div queries_per_input`` of a chunk of points. Result r is that of input
    ``r div chunks`` and chunk ``r mod chunks``.
    """

    KIND: ClassVar[Packing] = "stacked_point_major"

    @property
    def queries_per_input(self) -> int:
        """Different queries in one ciphertext, a power of two."""
        return min(power_of_two(self.queries), self.row_size // self.block)

    @property
    def points_per_chunk(self) -> int:
        """Points that one ciphertext of queries meets at a time."""
        return self.row_size // (self.block * self.queries_per_input)

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""
        return -(-self.queries // self.queries_per_input)

    @property
    def chunks(self) -> int:
        """Ciphertexts' worth of points."""
        return -(-self.points // self.points_per_chunk)

    @property
    def results(self) -> int:
        """Ciphertexts of distances that the server computes."""
        return self.input_ciphertexts * self.chunks

    @property
    def results_per_output(self) -> int:
        """Results that share a ciphertext on the way back."""
        return 1

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns."""
        return -(-self.results // self.results_per_output)

    @property
    def masked(self) -> bool:
        """Whether results are masked and shifted into each other."""
        return self.output_ciphertexts < self.results

    @property
    def fold_steps(self) -> tuple[int, ...]:
        """Left rotations that sum the D slots of a point into the first, largest first."""
        return tuple(1 << bit for bit in reversed(range(self.block.bit_length() - 1)))

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        return frozenset(self.fold_steps) | ({self.row_size - 1} if self.masked else set())

    def pack(self, values: Reals) -> list[Reals]:
        """Lay (queries, dimensions) out; repeat them for all points of a chunk."""
        padded = self._checked("queries", values, self.queries)
        groups = np.zeros((self.input_ciphertexts * self.queries_per_input, self.block))
        groups[: self.queries] = padded
        return [
            np.tile(group.reshape(-1), self.points_per_chunk)
            for group in np.split(groups, self.input_ciphertexts)
        ]

    def pack_points(self, points: Reals) -> Iterator[Reals]:
        """Yield the slots of every chunk of (points, dimensions)."""
        padded = self._checked("points", points, self.points)
        for chunk in range(self.chunks):
            part = np.zeros((self.points_per_chunk, self.block))
            here = padded[chunk * self.points_per_chunk :][: self.points_per_chunk]
            part[: len(here)] = here
            yield np.repeat(part, self.queries_per_input, axis=0).reshape(-1)

    def mask(self) -> Reals:
        """Return the slots that keep the first slot of every point."""
        kept: Reals = (np.arange(self.row_size) % self.block == 0).astype(np.float64)
        return kept

    def unpack(self, slots: Sequence[Reals]) -> Reals:
        """Collect the (queries, points) distances."""
        group, query = np.divmod(np.arange(self.queries)[:, None], self.queries_per_input)
        chunk, point = np.divmod(np.arange(self.points)[None, :], self.points_per_chunk)
        output, shift = np.divmod(group * self.chunks + chunk, self.results_per_output)
        slot = (point * self.queries_per_input + query) * self.block + shift
        found: Reals = np.stack(slots)[output, slot]
        return found


@dataclass(frozen=True)
class SinglePointMajorPlan(PointMajorPlan):
    """One point in a ciphertext."""

    KIND: ClassVar[Packing] = "point_major"

    @property
    def queries_per_input(self) -> int:
        """One query in a ciphertext."""
        return 1

    @property
    def points_per_chunk(self) -> int:
        """One point at a time."""
        return 1

    def pack(self, values: Reals) -> list[Reals]:
        """Lay (queries, dimensions) out, one query in a ciphertext."""
        return [_first_slots(row, self.row_size) for row in super().pack(values)]

    def pack_points(self, points: Reals) -> Iterator[Reals]:
        """Yield the slots of every point of (points, dimensions)."""
        for row in super().pack_points(points):
            yield _first_slots(row, self.row_size)


@dataclass(frozen=True)
class CollapsedPointMajorPlan(PointMajorPlan):
    """Stacked point-major, with D results masked and shifted into one."""

    KIND: ClassVar[Packing] = "collapsed_point_major"

    @property
    def results_per_output(self) -> int:
        """Results that share a ciphertext: as many as there are unused slots, plus one."""
        return self.block


@dataclass(frozen=True)
class DimensionMajorPlan(_DistancePlan):
    """Dimensions one after the other; all points side by side in each.

    Slot block b, of ``chunk_points`` slots, of input (g, i) holds dimension
    ``i dimensions_per_input + b div queries_per_input`` of query
    ``g queries_per_input + b mod queries_per_input``. Inputs are ordered by g, then i; results by
    g, then chunk of points.
    """

    KIND: ClassVar[Packing] = "dimension_major"

    @property
    def chunk_points(self) -> int:
        """Points in a ciphertext, a power of two."""
        return min(power_of_two(self.points), self.row_size)

    @property
    def chunks(self) -> int:
        """Ciphertexts' worth of points."""
        return -(-self.points // self.chunk_points)

    @property
    def queries_per_input(self) -> int:
        """Different queries in one ciphertext, a power of two."""
        return min(power_of_two(self.queries), self.row_size // self.chunk_points)

    @property
    def dimensions_per_input(self) -> int:
        """Different dimensions in one ciphertext, a power of two."""
        return 1

    @property
    def groups(self) -> int:
        """Ciphertexts' worth of queries."""
        return -(-self.queries // self.queries_per_input)

    @property
    def inputs_per_group(self) -> int:
        """Ciphertexts that hold all dimensions of a group of queries."""
        return -(-self.dimensions // self.dimensions_per_input)

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""
        return self.groups * self.inputs_per_group

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns."""
        return self.groups * self.chunks

    @property
    def fold_steps(self) -> tuple[int, ...]:
        """Left rotations that sum the dimensions in a ciphertext, largest first."""
        stride = self.chunk_points * self.queries_per_input
        bits = self.dimensions_per_input.bit_length() - 1
        return tuple(stride << bit for bit in reversed(range(bits)))

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        return frozenset(self.fold_steps)

    def pack(self, values: Reals) -> list[Reals]:
        """Lay (queries, dimensions) out; repeat every value for all points of a chunk."""
        padded = self._checked("queries", values, self.queries)
        groups = np.zeros((self.groups * self.queries_per_input, self.block))
        groups[: self.queries] = padded
        return [
            _first_slots(np.repeat(part.T.reshape(-1), self.chunk_points), self.row_size)
            for group in np.split(groups, self.groups)
            for part in self._inputs(group)
        ]

    def pack_points(self, points: Reals) -> Iterator[Reals]:
        """Yield the slots of (points, dimensions) for every chunk, then input of a group."""
        padded = np.zeros((self.chunks * self.chunk_points, self.block))
        padded[: self.points] = self._checked("points", points, self.points)
        for chunk in np.split(padded, self.chunks):
            for part in self._inputs(chunk):
                blocks = np.repeat(part.T, self.queries_per_input, axis=0)
                yield _first_slots(blocks.reshape(-1), self.row_size)

    def _inputs(self, rows: Reals) -> list[Reals]:
        """Split the columns of (rows, D) by input; those of padding alone are left out."""
        width = self.dimensions_per_input
        return [rows[:, i * width : (i + 1) * width] for i in range(self.inputs_per_group)]

    def unpack(self, slots: Sequence[Reals]) -> Reals:
        """Collect the (queries, points) distances."""
        group, query = np.divmod(np.arange(self.queries)[:, None], self.queries_per_input)
        chunk, point = np.divmod(np.arange(self.points)[None, :], self.chunk_points)
        slot = query * self.chunk_points + point
        found: Reals = np.stack(slots)[group * self.chunks + chunk, slot]
        return found


@dataclass(frozen=True)
class StackedDimensionMajorPlan(DimensionMajorPlan):
    """Several dimensions in a ciphertext."""

    KIND: ClassVar[Packing] = "stacked_dimension_major"

    @property
    def dimensions_per_input(self) -> int:
        """Different dimensions in one ciphertext, a power of two."""
        room = self.row_size // (self.chunk_points * self.queries_per_input)
        return min(self.block, room)


DistancePlan = PointMajorPlan | DimensionMajorPlan

PACKINGS: dict[Packing, type[DistancePlan]] = {
    plan.KIND: plan
    for plan in (
        SinglePointMajorPlan,
        DimensionMajorPlan,
        PointMajorPlan,
        StackedDimensionMajorPlan,
        CollapsedPointMajorPlan,
    )
}
"""The five packings by name, in the paper's order."""


def _first_slots(values: Reals, row_size: int) -> Reals:
    """Put the values into the first slots of an otherwise empty ciphertext."""
    slots = np.zeros(row_size)
    slots[: values.size] = values
    return slots
