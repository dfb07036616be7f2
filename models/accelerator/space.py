"""Design spaces: the sweep file, its points, and what they cost, in chunks of bounded memory."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from models.accelerator.points import AXES, Array, DesignPoints, HePoints, design_points, he_points
from models.accelerator.schedule import Operation
from models.accelerator.simulator import Technology, simulate
from models.config.base import Section, one_line
from models.config.platform import Accelerator
from models.errors import ChocoError
from models.parameters import ModulusChain

CHUNK_POINTS = 1 << 17
"""Points evaluated at once: few enough that their arrays stay in the cache."""

TOGETHER = {
    "butterflies": ("ntt_butterflies", "intt_butterflies"),
    "lanes": ("dyadic_multipliers", "adders", "modulus_switch_elements"),
}
"""Axes that set several elements to one value, as the RTL has them."""

Quantity = Literal["time_s", "energy_j", "area_m2", "power_w"]
QUANTITIES: tuple[Quantity, ...] = ("time_s", "energy_j", "area_m2", "power_w")
Points = dict[str, Array]
"""Quantities by name, and where asked for axes, each of shape (M,)."""


class Range(Section):
    """Values from the first to the last, both included, by steps."""

    first: float
    last: float
    step: float = Field(gt=0)

    def values(self) -> tuple[float, ...]:
        """Return the values."""
        steps = round((self.last - self.first) / self.step)
        return tuple(self.first + i * self.step for i in range(steps + 1))


class Sweep(Section):
    """A sweep file: every combination of the values of its axes."""

    description: str = Field(description="what the space is")
    operation: Operation = Field("bfv_encrypt", description="what is simulated")
    parameters: ModulusChain = Field(description="HE parameters")
    base: Accelerator = Field(
        Accelerator(), description="the design point that gives what is no axis"
    )
    axes: dict[str, tuple[float, ...]] = Field(
        min_length=1,
        description="values of each axis, or {first, last, step}: elements of a design point, or "
        "butterflies (NTT and INTT together) and lanes (all elements on streams together)",
    )
    minimize: tuple[Quantity, ...] = Field(
        ("time_s", "energy_j", "area_m2"), description="objectives of the Pareto front"
    )
    check_clock: bool = Field(
        True, description="leave out points whose blocks or memories miss the clock"
    )
    paper_points: int | None = Field(None, description="points of the paper's own space")

    @field_validator("axes", mode="before")
    @classmethod
    def _expanded(cls, axes: Any) -> Any:
        """Write ranges out."""
        if not isinstance(axes, dict):
            return axes
        return {
            axis: Range.model_validate(values).values() if isinstance(values, dict) else values
            for axis, values in axes.items()
        }

    @model_validator(mode="after")
    def _axes_hold_design_points(self) -> Self:
        known = (*AXES, *TOGETHER)
        for axis, values in self.axes.items():
            if axis not in known:
                raise ValueError(f"axes: no axis {axis!r}; there are {', '.join(known)}")
            if not values or len(set(values)) < len(values):
                raise ValueError(f"axes.{axis}: give at least one value, each once")
            for value in values:
                changed = dict.fromkeys(TOGETHER.get(axis, (axis,)), value)
                try:
                    Accelerator.model_validate(self.base.model_dump() | changed)
                except ValidationError as error:
                    raise ValueError(f"axes.{axis}: {one_line(error)}") from None
        names = [name for axis in self.axes for name in TOGETHER.get(axis, (axis,))]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"axes: {min(repeated)} is set by two axes")
        return self

    @property
    def size(self) -> int:
        """Number of points."""
        return prod(map(len, self.axes.values()))

    @property
    def he(self) -> HePoints:
        """The HE parameters as a point that broadcasts."""
        one = he_points([self.parameters])
        return HePoints(one.poly_modulus_degree[0], one.key_residues[0])

    def designs(self, index: Array) -> DesignPoints:
        """Return the points of these numbers, 0 to ``size`` - 1; the last axis changes fastest."""
        lengths = [len(values) for values in self.axes.values()]
        places = np.unravel_index(index, lengths)
        return self._points(
            self._values(axis)[place] for axis, place in zip(self.axes, places, strict=True)
        )

    def grids(self, chunk_points: int) -> Iterator[tuple[int, DesignPoints]]:
        """Yield the space in order, in grids of at most ``chunk_points`` points.

        With each comes the number of its first point. The axes of a grid are open: every one lies
        along a dimension of its own, so that what depends on one axis is computed once for all
        points that share its value.
        """
        values = [self._values(axis) for axis in self.axes]
        inner = len(values)
        while inner and prod(map(len, values[inner - 1 :])) <= chunk_points:
            inner -= 1
        open_axes = np.ix_(*values[inner:])
        step = prod(map(len, values[inner:]))
        for number, outer in enumerate(product(*values[:inner])):
            yield number * step, self._points([*map(np.asarray, outer), *open_axes])

    def _values(self, axis: str) -> Array:
        return np.array(self.axes[axis], dtype=float if axis == "clock_hz" else np.int64)

    def _points(self, values: Iterable[Array]) -> DesignPoints:
        fields: dict[str, Array] = {}
        for axis, numbers in zip(self.axes, values, strict=True):
            fields |= dict.fromkeys(TOGETHER.get(axis, (axis,)), numbers)
        return DesignPoints(**(design_points(self.base).__dict__ | fields))


def load_sweep(path: Path) -> Sweep:
    """Read a sweep file.

    Raises:
        ChocoError: the file is missing, is not YAML or does not validate; one line.
    """
    try:
        return Sweep.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error, Sweep)}") from None


def evaluate(
    design: DesignPoints, operation: Operation, he: HePoints, technology: Technology
) -> Points:
    """Return the quantities of design points; ``runs`` tells which can run at their clock."""
    outcome = simulate(operation, he, design, technology)
    quantities = {quantity: getattr(outcome, quantity) for quantity in QUANTITIES}
    runs = outcome.min_period_s * design.clock_hz <= 1
    shape = np.broadcast_shapes(*(np.shape(values) for values in (*quantities.values(), runs)))
    return {
        name: np.broadcast_to(values, shape).ravel()
        for name, values in (quantities | {"runs": runs}).items()
    }


def chunks(
    sweep: Sweep, technology: Technology, chunk_points: int = CHUNK_POINTS
) -> Iterator[Points]:
    """Evaluate a space a chunk at a time; points that miss their clock are left out if asked for.

    Yields the quantities, and as ``number`` which point of the space each is.
    """
    for first, design in sweep.grids(chunk_points):
        points = evaluate(design, sweep.operation, sweep.he, technology)
        runs = points.pop("runs") | (not sweep.check_clock)
        points["number"] = np.arange(first, first + len(runs))
        yield points if runs.all() else take(points, runs)


def evaluate_all(sweep: Sweep, technology: Technology) -> Points:
    """Evaluate a whole space; see ``chunks``."""
    return concatenate(list(chunks(sweep, technology)))


def with_axes(sweep: Sweep, points: Points) -> Points:
    """Put the values of the design points before their quantities."""
    design = sweep.designs(points["number"])
    shape = points["number"].shape
    return {axis: np.broadcast_to(getattr(design, axis), shape) for axis in AXES} | points


def concatenate(points: list[Points]) -> Points:
    """Join points."""
    return {name: np.concatenate([p[name] for p in points]) for name in points[0]}


def take(points: Points, index: Array) -> Points:
    """Return some of the points."""
    return {name: values[index] for name, values in points.items()}


def count(points: Points) -> int:
    """Return how many points there are."""
    return len(points["time_s"])
