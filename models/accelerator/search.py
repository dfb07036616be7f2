"""A search in spaces that are too large to enumerate: differential evolution (SciPy).

The space is a sweep; a candidate is one value of each of its axes. Whole populations are simulated
in one call.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import differential_evolution

from models.accelerator.points import Array
from models.accelerator.simulator import Technology
from models.accelerator.space import Points, Sweep, evaluate, take
from models.config.platform import DesignSpace
from models.errors import ChocoError

Goal = Callable[[Points], Array]
"""What is minimized, as a number for each point."""

_GENERATIONS, _POPULATION = 150, 12


def search(
    sweep: Sweep, goal: Goal, technology: Technology, limits: DesignSpace, seed: int
) -> Points:
    """Return the best point found within the limit of power; quantities and ``number``.

    Args:
        sweep: the space.
        goal: what is minimized; positive.
        technology: costs.
        limits: gives the limit of power.
        seed: of the random choices; the same seed finds the same point.

    Raises:
        ChocoError: no point was found that keeps to the limit.
    """
    lengths = [len(values) for values in sweep.axes.values()]

    def number(candidates: Array) -> Array:
        places = np.clip(np.rint(candidates).astype(np.int64), 0, np.array(lengths)[:, None] - 1)
        numbers: Array = np.ravel_multi_index(tuple(places), lengths)
        return numbers

    def cost(candidates: Array) -> Array:
        points = _simulated(sweep, number(candidates.reshape(len(lengths), -1)), technology)
        # Too much power, or a clock that is missed: worse than anything allowed, by how much.
        excess = np.maximum(0, points["power_w"] / limits.power_limit_w - 1)
        excess = excess + np.where(points["runs"] | (not sweep.check_clock), 0, 10)
        value: Array = goal(points) * np.where(excess > 0, 1e6 * (1 + excess), 1)
        return value

    found = differential_evolution(
        cost,
        bounds=[(0, length - 1) for length in lengths],
        integrality=np.ones(len(lengths), dtype=bool),
        maxiter=_GENERATIONS,
        popsize=_POPULATION,
        rng=np.random.default_rng(seed),
        polish=False,
        vectorized=True,
        updating="deferred",
    )
    best = number(found.x[:, None])
    points = _simulated(sweep, best, technology) | {"number": best}
    runs = points.pop("runs")[0] or not sweep.check_clock
    if points["power_w"][0] > limits.power_limit_w or not runs:
        raise ChocoError(f"the search found no point that keeps to {limits.power_limit_w:g} W")
    return points


def best_of(points: Points, goal: Goal, limits: DesignSpace) -> Points:
    """Return the best of enumerated points within the limit of power."""
    allowed = np.flatnonzero(points["power_w"] <= limits.power_limit_w)
    if not len(allowed):
        raise ChocoError(f"no point keeps to {limits.power_limit_w:g} W")
    return take(points, allowed[[np.argmin(goal(points)[allowed])]])


def better_than(time_s: float, energy_j: float) -> Goal:
    """Return the goal of beating a design in time and energy at once: below 1, it does."""
    return lambda points: np.maximum(points["time_s"] / time_s, points["energy_j"] / energy_j)


def _simulated(sweep: Sweep, number: Array, technology: Technology) -> Points:
    return evaluate(sweep.designs(number), sweep.operation, sweep.he, technology)
