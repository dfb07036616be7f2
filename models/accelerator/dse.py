"""The design-space study: every point of a sweep, its Pareto front, chosen points, a search.

Figure 7 and Section 4.4 of CHOCO (DOI 10.1145/3503222.3507737).
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from models import paper, provenance
from models.accelerator.costs import Costs, CostSettings, load_costs
from models.accelerator.points import AXES, design_points
from models.accelerator.search import best_of, better_than, search
from models.accelerator.selection import SELECTORS, Selector, hypervolume, pareto
from models.accelerator.simulator import Outcome, Technology, simulate
from models.accelerator.space import (
    QUANTITIES,
    Points,
    Sweep,
    count,
    evaluate,
    evaluate_all,
    load_sweep,
    take,
    with_axes,
)
from models.config import Config
from models.config.platform import Accelerator, DesignSpace
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table

_POINT = {axis: float if axis == "clock_hz" else int for axis in AXES} | {
    quantity: Column(float, Check.gt(0)) for quantity in QUANTITIES
}
SPACE = table_schema(**_POINT, pareto=bool)
"""Every point of a sweep that was simulated."""
SELECTED = table_schema(choice=str, error_distribution=str, **_POINT)
"""Chosen points, by how they were chosen: a rule, a search, or as configured."""
SUMMARY = table_schema(quantity=str, value=float, unit=str)


class Settings(CostSettings):
    """What the stage needs."""

    design_space: DesignSpace = Field(DesignSpace(), description="limits of the chosen design")
    accelerator: Accelerator = Field(Accelerator(), description="the configured design point")
    seed: int = Field(Config().seed, description="of the search")


def source_of(costs: Costs) -> str:
    """Return the provenance of simulated points."""
    return provenance.combine(provenance.model("accelerator"), costs.provenance)


def space_table(sweep: Sweep, points: Points, source: str) -> pd.DataFrame:
    """Return the table ``SPACE`` of evaluated points."""
    front = np.isin(points["number"], pareto(points, sweep.minimize)["number"])
    table = pd.DataFrame(with_axes(sweep, points)).drop(columns="number")
    return table.assign(pareto=front, provenance=source)


def selected_table(
    sweep: Sweep, beyond: Sweep, points: Points, settings: Settings, costs: Costs, goal: Any
) -> pd.DataFrame:
    """Return the table ``SELECTED``.

    Args:
        sweep: the paper's space.
        beyond: the space of the search.
        points: the evaluated ``sweep``.
        settings: limits, configured point, seed.
        costs: of blocks and memories.
        goal: what ``best`` (in the space) and ``search`` (beyond it) minimize.

    A way to choose has no row where it finds no point within the limit of power.
    """
    limits, technology = settings.design_space, costs.technology
    ways: dict[str, tuple[Sweep, Callable[[], Points]]] = {
        name: (sweep, partial(_select, select, points, limits))
        for name, select in SELECTORS.items()
    }
    ways["best"] = sweep, lambda: best_of(points, goal, limits)
    ways["search"] = beyond, lambda: search(beyond, goal, technology, limits, settings.seed)
    chosen = []
    for name, (of, choose) in ways.items():
        try:
            chosen.append((name, of, choose()))
        except ChocoError as reason:  # no point is within the limit: the table says so by no row
            print(f"{name}: {reason}", file=sys.stderr)
    rows = [
        {"choice": name, "error_distribution": of.base.error_distribution}
        | {key: values[0] for key, values in with_axes(of, point).items() if key != "number"}
        for name, of, point in chosen
    ]
    for name, clock_hz in configured_clocks(sweep, settings, technology).items():
        design = design_points(settings.accelerator.model_copy(update={"clock_hz": clock_hz}))
        point = evaluate(design, sweep.operation, sweep.he, technology)
        rows.append(
            {"choice": name, "error_distribution": settings.accelerator.error_distribution}
            | {axis: getattr(design, axis).item() for axis in AXES}
            | {quantity: point[quantity][0] for quantity in QUANTITIES}
        )
    return pd.DataFrame(rows)


def _select(selector: Selector, points: Points, limits: DesignSpace) -> Points:
    return take(points, np.array([selector(points, limits)]))


def configured_clocks(sweep: Sweep, settings: Settings, technology: Technology) -> dict[str, float]:
    """Return clocks in Hz for the configured design.

    ``configured`` is its own; ``fastest_clock`` the fastest that its blocks and memories allow;
    ``clock_at_power_limit`` the fastest that also keeps to the limit of power: dynamic power grows
    with the clock and leakage does not, so two clocks give the line.
    """
    design = settings.accelerator

    def at(clock_hz: float) -> Outcome:
        point = design_points(design.model_copy(update={"clock_hz": clock_hz}))
        return simulate(sweep.operation, sweep.he, point, technology)

    one, two = at(design.clock_hz), at(2 * design.clock_hz)
    slope = float(two.power_w - one.power_w) / design.clock_hz
    standing = float(one.power_w) - slope * design.clock_hz
    fastest = 1 / float(one.min_period_s)
    allowed = (settings.design_space.power_limit_w - standing) / slope
    clocks = {"configured": design.clock_hz, "fastest_clock": fastest}
    return clocks | ({"clock_at_power_limit": min(fastest, allowed)} if allowed > 0 else {})


def summary_table(
    sweep: Sweep, points: Points, limits: DesignSpace, time_s: float, energy_j: float
) -> pd.DataFrame:
    """Return the table ``SUMMARY``: how large the space is, its front, and how far it reaches.

    Args:
        sweep: the space.
        points: the evaluated space.
        limits: gives the limit of power.
        time_s, energy_j: of the paper's point; points that beat both within the limit are counted.
    """
    front = pareto(points, sweep.minimize)
    allowed = points["power_w"] <= limits.power_limit_w
    better = allowed & (points["time_s"] < time_s) & (points["energy_j"] < energy_j)
    values: list[tuple[str, float, str]] = [
        ("points", sweep.size, "1"),
        ("points_simulated", count(points), "1"),
        ("points_within_power", int(allowed.sum()), "1"),
        ("pareto_points", count(front), "1"),
        ("hypervolume", hypervolume(front, sweep.minimize, points), "1"),
        ("points_better_than_paper", int(better.sum()), "1"),
        ("least_time", points["time_s"].min(), "s"),
        ("least_energy", points["energy_j"].min(), "J"),
        ("least_power", points["power_w"].min(), "W"),
    ]
    if sweep.paper_points is not None:
        values.append(("paper_points", sweep.paper_points, "1"))
    return pd.DataFrame(values, columns=["quantity", "value", "unit"])


def stage(job: Job[Settings]) -> None:
    """Explore.

    Inputs: manifest of ``blocks``, ``arrays`` of SRAM, ``sweep``, ``beyond``, ``paper``.
    """
    settings = job.settings
    costs = load_costs(job.inputs["blocks"], job.inputs["arrays"], settings)
    source = source_of(costs)
    sweep, beyond = load_sweep(job.inputs["sweep"]), load_sweep(job.inputs["beyond"])
    claims = paper.load(job.inputs["paper"])
    stated = (
        claims.value("accelerator_encrypt_time") * 1e-3,
        claims.value("accelerator_encrypt_energy") * 1e-3,
    )
    goal = better_than(*stated)
    points = evaluate_all(sweep, costs.technology)
    selected = selected_table(sweep, beyond, points, settings, costs, goal)
    write_table(space_table(sweep, points, source), job.outputs["space"], SPACE)
    write_table(selected.assign(provenance=source), job.outputs["selected"], SELECTED)
    summary = summary_table(sweep, points, settings.design_space, *stated)
    write_table(summary.assign(provenance=source), job.outputs["summary"], SUMMARY)


if __name__ == "__main__":
    run_stage(stage, Settings)
