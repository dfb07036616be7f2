"""Choosing among design points: Pareto front, hypervolume, and rules with a name.

The front and its hypervolume are computed by moocore. All quantities are minimized.
"""

from collections.abc import Callable, Iterable, Sequence

import moocore
import numpy as np

from models.accelerator.points import Array
from models.accelerator.space import Points, Quantity, concatenate, count, take
from models.config.platform import DesignSpace
from models.errors import ChocoError

_SIEVE = 24
"""Points of the front that a chunk is compared with before its front is computed."""

Selector = Callable[[Points, DesignSpace], int]


def objectives(points: Points, minimize: Sequence[Quantity]) -> Array:
    """Return the objectives as an array of shape (M, len(minimize))."""
    return np.stack([points[quantity] for quantity in minimize], axis=1)


def pareto(points: Points, minimize: Sequence[Quantity]) -> Points:
    """Return the points that no other beats in one objective without losing in another."""
    return take(points, moocore.is_nondominated(objectives(points, minimize)))


def streamed_pareto(chunks: Iterable[Points], minimize: Sequence[Quantity]) -> Points:
    """Return the Pareto front of chunks, in memory for one chunk and the front so far.

    Points that some of the front so far dominate are dropped first, which leaves few of a chunk.

    Raises:
        ChocoError: there are no points.
    """
    front: Points | None = None
    for chunk in chunks:
        if not count(chunk):
            continue
        if front is None:
            front = pareto(chunk, minimize)
            continue
        kept = take(chunk, ~_dominated(chunk, front, minimize))
        if count(kept):
            front = pareto(concatenate([front, kept]), minimize)
    if front is None:
        raise ChocoError("no point of the space runs at its clock")
    return front


def _dominated(points: Points, front: Points, minimize: Sequence[Quantity]) -> Array:
    """Return which points are no better in anything than one of a few of the front."""
    few = np.unique(np.linspace(0, count(front) - 1, _SIEVE).astype(np.int64))
    few = np.argsort(front[minimize[0]], kind="stable")[few]
    dominated = np.zeros(count(points), dtype=bool)
    for i in few:
        worse = points[minimize[0]] >= front[minimize[0]][i]
        for quantity in minimize[1:]:
            worse &= points[quantity] >= front[quantity][i]
        dominated |= worse
    return dominated


def hypervolume(front: Points, minimize: Sequence[Quantity], reference: Points) -> float:
    """Return the share of the box from the best to the worst values that a front dominates.

    Args:
        front: the front.
        minimize: objectives.
        reference: the points whose best and worst values span the box.
    """
    whole = objectives(reference, minimize)
    low, high = whole.min(axis=0), whole.max(axis=0)
    scaled = (objectives(front, minimize) - low) / np.where(high > low, high - low, 1)
    return float(moocore.hypervolume(scaled, ref=np.ones(len(minimize))))


def select_paper(points: Points, limits: DesignSpace) -> int:
    """Choose as the paper does (Section 4.4).

    At most so much power; of those, within a margin of the shortest time; of those, the smallest.
    """
    return _smallest(points, _within_power(points, limits), limits.time_margin)


def select_fastest(points: Points, limits: DesignSpace) -> int:
    """Choose the fastest within the limit of power; among equals the one of least energy."""
    allowed = _within_power(points, limits)
    order = np.lexsort((points["energy_j"][allowed], points["time_s"][allowed]))
    return int(allowed[order[0]])


def select_least_energy(points: Points, limits: DesignSpace) -> int:
    """Choose the point of least energy within the limit of power."""
    allowed = _within_power(points, limits)
    return int(allowed[np.argmin(points["energy_j"][allowed])])


def select_smallest(points: Points, limits: DesignSpace) -> int:
    """Choose the smallest point within the limit of power."""
    allowed = _within_power(points, limits)
    return int(allowed[np.argmin(points["area_m2"][allowed])])


SELECTORS: dict[str, Selector] = {
    "paper": select_paper,
    "fastest": select_fastest,
    "least_energy": select_least_energy,
    "smallest": select_smallest,
}


def selector(name: str) -> Selector:
    """Return the selection rule of a name.

    Raises:
        ChocoError: there is none; lists those there are.
    """
    if name not in SELECTORS:
        raise ChocoError(f"no selection rule {name!r}; there are {', '.join(SELECTORS)}")
    return SELECTORS[name]


def _within_power(points: Points, limits: DesignSpace) -> Array:
    allowed = np.flatnonzero(points["power_w"] <= limits.power_limit_w)
    if not len(allowed):
        least = points["power_w"].min() if count(points) else float("nan")
        raise ChocoError(
            f"no point keeps to {limits.power_limit_w:g} W; the least power is {least:.4g} W"
        )
    return allowed


def _smallest(points: Points, allowed: Array, margin: float) -> int:
    time_s = points["time_s"][allowed]
    near = allowed[time_s <= time_s.min() * (1 + margin)]
    return int(near[np.argmin(points["area_m2"][near])])
