"""Whether what a DESTINY says makes sense: programs of that name differ.

There are forks of DESTINY whose search does not find what it looks for (one reports 487 pJ as the
smallest read energy of a 64 kB array where the author's version reports 4.6 pJ). Three checks:
the optimum of a target is no worse on that target than the optima of the others; area, leakage,
energy and latency follow the capacity within reason; and no quantity is far from the recorded one.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from models.config.memory import OptimizationTarget
from models.errors import ChocoError
from models.memory.arrays import KEY, QUANTITIES
from models.memory.destiny import Optimum, Request

ROUNDING = 0.02
"""Largest relative error of what DESTINY prints: 0.025 pJ in steps of 0.001 pJ, twice."""

GROWTH = {
    "area_m2": (1.0, 4.0),
    "leakage_w": (1.0, 4.0),
    "read_energy_j": (0.2, 8.0),
    "write_energy_j": (0.1, 8.0),
    "read_latency_s": (0.5, 4.0),
    "write_latency_s": (0.5, 4.0),
}
"""By how much a quantity may grow when the capacity doubles, least and most. Energy and latency may
fall, as the search only knows powers of two."""

UNSTEADY = {
    "ReadEDP": set(GROWTH),
    "WriteEDP": set(GROWTH),
    "LeakagePower": {"read_energy_j", "write_energy_j"},
    "Area": {"read_energy_j", "write_energy_j"},
}
"""What jumps, target by target, because organizations of quite different kind are equally good."""

AGREEMENT = 3.0
"""Factor within which another version must agree with the recorded one."""

_OBJECTIVES: Mapping[OptimizationTarget, tuple[str, Callable[[Optimum], float]]] = {
    "ReadLatency": ("s", lambda a: a.read_latency_s),
    "WriteLatency": ("s", lambda a: a.write_latency_s),
    "ReadDynamicEnergy": ("J", lambda a: a.read_energy_j),
    "WriteDynamicEnergy": ("J", lambda a: a.write_energy_j),
    "ReadEDP": ("J s", lambda a: a.read_energy_j * a.read_latency_s),
    "WriteEDP": ("J s", lambda a: a.write_energy_j * a.write_latency_s),
    "LeakagePower": ("W", lambda a: a.leakage_w),
    "Area": ("m2", lambda a: a.area_m2),
}


def check_optima(request: Request, found: Mapping[OptimizationTarget, Optimum]) -> None:
    """Check that the optimum of every target is the best for it among all that were reported.

    Raises:
        ChocoError: a target is missing, or another's optimum is better.
    """
    for target, (unit, objective) in _OBJECTIVES.items():
        if target not in found:
            raise ChocoError(
                f"DESTINY, {request}: reports {', '.join(found)}, but not the optimum of {target}; "
                "this version does not know -PrintAllOptimals"
            )
        own = objective(found[target])
        other = min(found, key=lambda name: objective(found[name]))
        best = objective(found[other])
        if own > best * (1 + ROUNDING):
            raise ChocoError(
                f"DESTINY, {request}: its optimum of {target} has {own:.3g} {unit}, "
                f"its optimum of {other} only {best:.3g} {unit}; {_OTHER_VERSION}"
            )


def check_growth(table: pd.DataFrame) -> None:
    """Check that arrays of twice the capacity cost as much more as makes sense.

    Args:
        table: rows of ``SRAM_ARRAYS``.

    Raises:
        ChocoError: names the two arrays and the quantity.
    """
    kinds = ["device_roadmap", "word_bits", "optimization_target"]
    for (roadmap, bits, target), rows in table.groupby(kinds, sort=True):
        steady = {q: limits for q, limits in GROWTH.items() if q not in UNSTEADY.get(target, ())}
        by_size = rows.set_index("capacity_bytes").sort_index()
        for size in by_size.index[:-1]:
            if 2 * size not in by_size.index:
                continue
            for name, (least, most) in steady.items():
                growth = by_size[name][2 * size] / by_size[name][size]
                if not least / (1 + ROUNDING) <= growth <= most * (1 + ROUNDING):
                    raise ChocoError(
                        f"DESTINY, {bits}-bit words, {roadmap}, {target}: {name} grows by a factor "
                        f"of {growth:.3g} from {size} to {2 * size} bytes; {least} to {most} would "
                        f"make sense; {_OTHER_VERSION}"
                    )


def check_agreement(table: pd.DataFrame, recorded: pd.DataFrame) -> None:
    """Check that no quantity is far from that of the recorded run of the same array.

    Raises:
        ChocoError: names the array, the quantity and both values.
    """
    both = table.merge(recorded, on=list(KEY), suffixes=("", "_recorded"))
    for row in both.to_dict("records"):
        for name in QUANTITIES:
            value, known = row[name], row[f"{name}_recorded"]
            if not 1 / AGREEMENT <= value / known <= AGREEMENT:
                raise ChocoError(
                    f"DESTINY, {row['capacity_bytes']} bytes in {row['word_bits']}-bit words, "
                    f"{row['device_roadmap']}, {row['optimization_target']}: {name} is "
                    f"{value:.3g}, {row['provenance_recorded']} gives {known:.3g}; "
                    f"{_OTHER_VERSION}"
                )


_OTHER_VERSION = (
    "use the version of DESTINY's author, or the recorded runs (providers: {destiny: recorded})"
)
