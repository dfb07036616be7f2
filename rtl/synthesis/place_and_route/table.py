"""Stage: costs of blocks after place and route, and how far those before are from them."""

from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel

from models.errors import ChocoError
from models.recorded import open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from rtl.synthesis.place_and_route.costs import memory_energy_j, read_metrics, row
from rtl.synthesis.table import BLOCKS

COMPARED = ("cells", "area_m2", "min_period_s", "leakage_w", "active_energy_j", "idle_energy_j")

POST_ROUTE = table_schema(
    block=str,
    parameters=Column(str, nullable=True),
    library=str,
    **{
        name: Column(float, Check.gt(0))
        for quantity in COMPARED
        for name in (f"synthesis_{quantity}", f"post_route_{quantity}", f"{quantity}_ratio")
    },
    utilization=Column(float, Check.in_range(0, 1)),
    wirelength_m=Column(float, Check.gt(0)),
    clock_skew_s=Column(float, Check.ge(0)),
    setup_slack_s=float,
    hold_slack_s=float,
    broken_rules=Column("Int64", Check.ge(0), nullable=True),
    antenna_nets=Column(int, Check.ge(0)),
    parasitics=Column(str, Check.isin(["extracted", "estimated"])),
    memory_active_energy_j=Column(float, Check.ge(0)),
    memory_idle_energy_j=Column(float, Check.ge(0)),
    activity=str,
)
"""One row a block: the same netlist before it has wires, and placed and routed; their ratio.

``broken_rules``: design rules that detailed routing left broken; empty where only global routing
was run. ``parasitics``: extracted from the wires, or estimated from global routing.
"""


class Settings(BaseModel):
    """Nothing to set."""


def recorded_metrics(directory: Path) -> list[tuple[dict[str, Any], str]]:
    """Return the metrics of every recorded block, checked, with their provenance.

    Raises:
        ChocoError: nothing is recorded, or a file is missing or has changed.
    """
    store = open_recorded(directory)
    return [(read_metrics(store.file(run.id)), store.provenance(run.id)) for run in store.runs]


def live_metrics(directory: Path) -> list[tuple[dict[str, Any], str]]:
    """Return the metrics of the blocks that were routed here.

    Raises:
        ChocoError: there are none.
    """
    found = [read_metrics(path) for path in sorted(directory.glob("*/metrics.json"))]
    if not found:
        raise ChocoError(f"{directory}: no block was placed and routed here")
    return [(metrics, metrics["choco__provenance"]) for metrics in found]


def compare(metrics: dict[str, Any], provenance: str) -> dict[str, Any]:
    """Return the row of ``POST_ROUTE`` of one block."""
    before = row(metrics, "synthesis", provenance)
    after = row(metrics, "post_route", provenance)
    found = {name: after[name] for name in ("block", "parameters", "library", "activity")}
    for name in COMPARED:
        found[f"synthesis_{name}"] = before[name]
        found[f"post_route_{name}"] = after[name]
        found[f"{name}_ratio"] = after[name] / before[name]
    macros = metrics["finish__design__instance__area__macros"]
    free = metrics["floorplan__design__core__area"] - macros
    return found | {
        "utilization": after["area_m2"] * 1e12 / free,
        "wirelength_m": metrics["detailedroute__route__wirelength"] * 1e-6,
        "clock_skew_s": abs(metrics["finish__clock__skew__setup"]) * 1e-9,
        "setup_slack_s": metrics["finish__timing__setup__ws"] * 1e-9,
        "hold_slack_s": metrics["finish__timing__hold__ws"] * 1e-9,
        "broken_rules": metrics.get("detailedroute__route__drc_errors"),
        "antenna_nets": int(metrics["globalroute__antenna__violating__nets"]),
        "parasitics": metrics["finish__parasitics"],
        "memory_active_energy_j": memory_energy_j(metrics, "active"),
        "memory_idle_energy_j": memory_energy_j(metrics, "idle"),
        "provenance": provenance,
    }


def stage(job: Job[Settings]) -> None:
    """Write the rows of costs and the comparison.

    Inputs: ``recorded``, the manifest of the recorded blocks, or ``live``, the directory with those
    that were routed here.
    """
    if "live" in job.inputs:
        blocks = live_metrics(job.inputs["live"])
    else:
        blocks = recorded_metrics(job.inputs["recorded"].parent)
    blocks.sort(key=lambda found: (found[0]["choco__block"], found[0]["choco__parameters"]))
    rows = pd.DataFrame([row(metrics, "post_route", source) for metrics, source in blocks])
    write_table(rows, job.outputs["blocks"], BLOCKS)
    write_table(
        pd.DataFrame([compare(*block) for block in blocks]), job.outputs["post_route"], POST_ROUTE
    )


if __name__ == "__main__":
    run_stage(stage, Settings)
