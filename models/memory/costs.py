"""Costs of SRAM arrays with one read and one write port, over any shape of capacities.

A capacity that DESTINY was run for is exact. Between two runs, costs are interpolated;
``results/memory/interpolation.csv`` has the error. Word widths are never interpolated, and nothing
is extrapolated. The second port is a set of factors on
DESTINY's single-port array (``models.config.memory.TwoPorts``).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from models import provenance
from models.config.memory import DeviceRoadmap, Memory, OptimizationTarget, TwoPorts
from models.errors import ChocoError
from models.memory.arrays import QUANTITIES, SRAM_ARRAYS
from models.tables import read_table

Floats = NDArray[np.float64]
Ports = Literal["1r1w", "1rw"]
"""One read and one write port, or one port for both as DESTINY models it."""

_RUNS = 6
"""Runs that an interpolated cost rests on."""

_FACTOR = {
    "area_m2": "area",
    "read_latency_s": "latency",
    "write_latency_s": "latency",
    "precharge_latency_s": "latency",
    "read_energy_j": "read_energy",
    "write_energy_j": "write_energy",
    "leakage_w": "leakage",
}
"""Which of ``TwoPorts`` a quantity is multiplied by."""


@dataclass(frozen=True)
class SramCosts:
    """Costs of M arrays, each field of shape (M,) or whatever shape the capacities had.

    Energies are of one access to a whole word.
    """

    area_m2: Floats
    read_energy_j: Floats
    write_energy_j: Floats
    leakage_w: Floats
    read_latency_s: Floats
    write_latency_s: Floats
    precharge_latency_s: Floats
    exact: NDArray[np.bool_]
    """False where costs are interpolated."""

    @property
    def cycle_time_s(self) -> Floats:
        """Return the time from one access to the next: the slower access, then precharge."""
        slower = np.maximum(self.read_latency_s, self.write_latency_s)
        cycle: Floats = slower + self.precharge_latency_s
        return cycle

    @property
    def max_clock_hz(self) -> Floats:
        """Return the fastest clock at which an array does an access every cycle.

        Addresses come from registers and data go to registers: logic before or behind the array
        in the same cycle has to be added to the cycle time.
        """
        clock: Floats = 1 / self.cycle_time_s
        return clock


class SramModel:
    """Costs of arrays of one device roadmap and optimization target; call it."""

    def __init__(
        self,
        table: pd.DataFrame,
        device_roadmap: DeviceRoadmap = "LOP",
        optimization_target: OptimizationTarget = "ReadDynamicEnergy",
        two_ports: TwoPorts | None = None,
    ) -> None:
        """Take the arrays of one kind from a table with the columns of ``SRAM_ARRAYS``.

        Raises:
            ChocoError: the table has no array of this kind.
        """
        self.device_roadmap = device_roadmap
        self.optimization_target = optimization_target
        factors = TwoPorts() if two_ports is None else two_ports
        chosen = table[
            (table.device_roadmap == device_roadmap)
            & (table.optimization_target == optimization_target)
        ]
        if chosen.empty:
            known = sorted(set(zip(table.device_roadmap, table.optimization_target, strict=True)))
            raise ChocoError(
                f"no SRAM array of {device_roadmap} devices optimized for {optimization_target}; "
                f"there are {', '.join(f'{roadmap} {target}' for roadmap, target in known)}"
            )
        self._sizes: dict[int, NDArray[np.int64]] = {}
        self._costs: dict[tuple[int, Ports], dict[str, Floats]] = {}
        for bits, rows in chosen.groupby("word_bits", sort=True):
            by_size = rows.sort_values("capacity_bytes")
            self._sizes[int(bits)] = by_size.capacity_bytes.to_numpy(dtype=np.int64)
            single = {q: by_size[q].to_numpy(dtype=float) for q in QUANTITIES}
            self._costs[int(bits), "1rw"] = single
            self._costs[int(bits), "1r1w"] = {
                name: costs * getattr(factors, _FACTOR[name]) for name, costs in single.items()
            }
        self.provenance = provenance.combine(*dict.fromkeys(chosen.provenance))

    @property
    def word_bits(self) -> tuple[int, ...]:
        """Word widths that there are arrays of."""
        return tuple(self._sizes)

    def capacities(self, word_bits: int) -> NDArray[np.int64]:
        """Return the exact capacities in bytes of a word width, ascending.

        Raises:
            ChocoError: no arrays have words of that width.
        """
        if word_bits not in self._sizes:
            raise ChocoError(
                f"no SRAM array with {word_bits}-bit words ({self.device_roadmap}, "
                f"{self.optimization_target}); there are {', '.join(map(str, self._sizes))} bits"
            )
        return self._sizes[word_bits]

    def __call__(
        self, capacity_bytes: ArrayLike, word_bits: int, ports: Ports = "1r1w"
    ) -> SramCosts:
        """Return the costs of arrays.

        Args:
            capacity_bytes: capacity of each array, any shape.
            word_bits: bits of one access.
            ports: one read and one write port, or DESTINY's single port.

        Raises:
            ChocoError: no arrays have words of that width, or a capacity is outside the table.
        """
        sizes = self.capacities(word_bits)
        shape = np.shape(capacity_bytes)
        wanted = np.asarray(capacity_bytes, dtype=np.int64).ravel()
        outside = (wanted < sizes[0]) | (wanted > sizes[-1])
        if np.any(outside):
            raise ChocoError(
                f"an SRAM array of {wanted[outside][0]} bytes in {word_bits}-bit words is "
                f"outside the table ({sizes[0]} to {sizes[-1]} bytes, {self.device_roadmap}, "
                f"{self.optimization_target}); it is not extrapolated"
            )
        above = np.searchsorted(sizes, wanted)
        exact = sizes[above] == wanted
        known = self._costs[word_bits, ports]
        values = {name: costs[above] for name, costs in known.items()}
        if not np.all(exact):
            between = ~exact
            for name, value in values.items():
                value[between] = interpolate(sizes, known[name], wanted[between], above[between])
        shaped = {name: value.reshape(shape) for name, value in values.items()}
        return SramCosts(**shaped, exact=exact.reshape(shape))


def interpolate(
    sizes: NDArray[np.int64], costs: Floats, wanted: NDArray[np.int64], above: NDArray[np.int64]
) -> Floats:
    """Interpolate costs between two sizes each.

    DESTINY's optima follow the capacity in steps, as it divides arrays by powers of two. So the
    estimate is a parabola in the logarithms, fitted to the runs nearest to the gap (three on each
    side where there are as many), and no more and no less than the costs at the ends of the gap.

    Args:
        sizes: known capacities, ascending, shape (S,).
        costs: their costs, above zero, shape (S,).
        wanted: capacities between the first and the last of ``sizes``, shape (M,).
        above: index of the next larger known size of each, 1 to S - 1, shape (M,).
    """
    x, y = np.log2(sizes), np.log2(costs)
    between = np.empty(len(wanted))
    for gap in np.unique(above):
        here = above == gap
        first = max(0, min(gap - _RUNS // 2, len(sizes) - _RUNS))
        near = slice(first, first + _RUNS)
        degree = min(2, len(x[near]) - 1)
        trend = np.polyfit(x[near] - x[gap], y[near], degree)
        ends = sorted((y[gap - 1], y[gap]))
        between[here] = np.clip(np.polyval(trend, np.log2(wanted[here]) - x[gap]), *ends)
    costs_between: Floats = np.exp2(between)
    return costs_between


def load_sram(arrays: Path, memory: Memory) -> SramModel:
    """Load the costs of the configured kind from ``results/memory/arrays.csv``.

    Raises:
        ChocoError: there is no such table, or it has no arrays of that kind.
    """
    return SramModel(
        read_table(arrays, SRAM_ARRAYS),
        memory.device_roadmap,
        memory.optimization_target,
        memory.two_ports,
    )
