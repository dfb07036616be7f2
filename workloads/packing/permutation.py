"""Windowed rotation: rotate inside sub-ranges of the slots, in two ways (CHOCO, Figure 4).

SEAL rotates whole rows. To rotate inside *windows* of a row, so that what leaves a window at one
end comes back at its other,

- *masking* (Figure 4 A) rotates twice, once for the values that stay inside and once for those that
  wrap around, keeps what is wanted of each with a plaintext product, and adds: two rotations, two
  products, one addition. It works on any ciphertext, any number of times, while there is noise
  budget;
- *rotational redundancy* (Figure 4 B, DOI 10.1145/3503222.3507737, Section 3.3) has the client pack
  copies of the values that will wrap around beside the window, so that one plain rotation is all.
  Each copy takes a slot. Rotations in sequence use copies up, but two windows less a slot are
  enough for any sequence: turn back by a window where the copies on one side end.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.errors import ChocoError
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layout import ROWS, Integers, check_shape


@dataclass(frozen=True)
class Windows:
    """Windows of equal length in the rows of a batched message of N = 2 ``row_size`` slots.

    Values of windows have shape (rows, windows, length).

    Args:
        row_size: slots of a row, N/2.
        length: slots of a window.
        starts: first slot of each window, the same in every row.
        before, after: copies packed on either side; 0 for masking.
        rows: rows that have windows; the other holds zeros.

    Raises:
        ChocoError: windows with their copies overlap or leave the row; more copies than values.
    """

    row_size: int
    length: int
    starts: tuple[int, ...] = (0,)
    before: int = 0
    after: int = 0
    rows: tuple[int, ...] = (0, 1)

    def __post_init__(self) -> None:
        if not 0 <= self.before < self.length or not 0 <= self.after < self.length:
            raise ChocoError(
                f"a window of {self.length} slots has 0 to {self.length - 1} copies on a side, "
                f"not {self.before} before and {self.after} after"
            )
        if not self.rows or not set(self.rows) <= set(range(ROWS)):
            raise ChocoError(f"rows {self.rows} of a batched message, which has {ROWS}")
        free = 0
        for start in self.starts:
            if start - self.before < free:
                raise ChocoError(f"the window at slot {start} overlaps what is before it")
            free = start + self.length + self.after
        if not self.starts or free > self.row_size:
            raise ChocoError(f"windows reach slot {free} of a row of {self.row_size}")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the values: (rows, windows, length)."""
        return len(self.rows), len(self.starts), self.length

    @property
    def slots_per_value(self) -> float:
        """Slots that a value takes, its share of the copies included."""
        return (self.before + self.length + self.after) / self.length

    def pack(self, values: Integers) -> Integers:
        """Lay values and copies out in (2, N/2) slots; all others hold zero."""
        check_shape("windows", values, self.shape)
        return self._place(np.arange(-self.before, self.length + self.after), values)

    def unpack(self, slots: Integers) -> Integers:
        """Collect the values from (2, N/2) slots."""
        rows, places = self._index(np.arange(self.length))
        found: Integers = slots[rows, places]
        return found

    def mask(self, first: int, last: int) -> Integers:
        """Return (2, N/2) slots with ones at positions ``first`` to ``last`` - 1 of each window."""
        return self._place(np.arange(first, last), np.ones(self.shape, dtype=np.int64))

    def _place(self, positions: Integers, values: Integers) -> Integers:
        slots = np.zeros((ROWS, self.row_size), dtype=np.int64)
        slots[self._index(positions)] = values[..., positions % self.length]
        return slots

    def _index(self, positions: Integers) -> tuple[Integers, Integers]:
        rows = np.array(self.rows)[:, None, None]
        return rows, np.array(self.starts)[:, None] + positions


def roll(values: Integers, step: int) -> Integers:
    """Rotate values of windows left by ``step``: what both ways compute."""
    return np.roll(values, -step, axis=-1)


class MaskedRotation:
    """Rotate inside windows to the left by ``step``, whatever lies around them.

    Slots outside the windows come out as zero, so that it can be repeated. The masks are encoded
    once, in NTT form, and the sum is formed there, so that it costs one transform back.

    Args:
        evaluator: BFV evaluator that has, when ``apply`` runs, the Galois keys.
        windows: where the windows are.
        step: slots to the left, modulo the length.
        like: ciphertext whose primes left its input will have; fresh ones by default.
    """

    def __init__(
        self, evaluator: CountingEvaluator, windows: Windows, step: int, like: Any | None = None
    ) -> None:
        self._run = evaluator
        length = windows.length
        self._step = step % length
        stays = windows.mask(0, length - self._step)
        wraps = windows.mask(length - self._step, length)
        self._terms = [
            (by, evaluator.encode_ntt(mask, like))
            for by, mask in ((self._step, stays), (self._step - length, wraps))
            if mask.any()
        ]

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        return frozenset(by % self._run.row_size for by, _ in self._terms) - {0}

    def apply(self, ciphertext: Any) -> Any:
        """Rotate; input and output in coefficient form."""
        total = None
        for by, mask in self._terms:
            rotated = self._run.to_ntt(self._run.rotate(ciphertext, by))
            total = self._run.accumulate(total, self._run.multiply_plain(rotated, mask))
        return self._run.from_ntt(total)


class RedundantRotation:
    """Rotate inside windows that were packed with copies: one rotation of the whole row.

    Args:
        evaluator: evaluator that has, when ``apply`` runs, the Galois keys.
        windows: where the windows are, and their copies.
        step: slots to the left, modulo the length.
        offset: where an earlier rotation left the ciphertext, its ``end``; 0 as packed.

    Raises:
        ChocoError: there are too few copies on both sides.
    """

    def __init__(
        self, evaluator: CountingEvaluator, windows: Windows, step: int, offset: int = 0
    ) -> None:
        self._run = evaluator
        wanted = (offset + step) % windows.length
        reachable = [
            end
            for end in (wanted, wanted - windows.length)
            if -windows.before <= end <= windows.after
        ]
        if not reachable:
            raise ChocoError(
                f"a rotation by {step} after one by {offset} in windows of {windows.length} needs "
                f"{wanted} copies after or {windows.length - wanted} before the window; there are "
                f"{windows.after} and {windows.before}"
            )
        self.end = min(reachable, key=lambda end: (abs(end - offset), -end))
        self._step = self.end - offset

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        return frozenset({self._step % self._run.row_size} - {0})

    def apply(self, ciphertext: Any) -> Any:
        """Rotate; input and output in coefficient form."""
        return self._run.rotate(ciphertext, self._step)
