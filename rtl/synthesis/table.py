"""Stage: collect the metrics of all blocks into one table.

Inputs are directories of metrics, one a library, named by it. With an output ``manifest`` the table
is one to be committed: its rows say so, rows of other stages (``post_route``) that it has already
are kept, and the manifest is written beside it.
"""

import json
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from pydantic import BaseModel

from models import provenance
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table
from rtl.synthesis.blocks import Block, block_list, blocks
from rtl.synthesis.mapping import sources

BLOCKS = table_schema(
    block=str,
    parameters=Column(str, nullable=True),
    library=str,
    stage=Column(str, Check.isin(["synthesis", "post_route"])),
    cells=Column(int, Check.gt(0)),
    area_m2=Column(float, Check.gt(0)),
    min_period_s=Column(float, Check.gt(0)),
    leakage_w=Column(float, Check.gt(0)),
    active_energy_j=Column(float, Check.gt(0)),
    idle_energy_j=Column(float, Check.ge(0)),
    activity=str,
)
"""One row a block at its parameters, a library and a stage. Energies are dynamic, of one cycle in
which the block works, and of one in which it does not (clock pins included in both)."""
SIGNIFICANT = 5


class Settings(BaseModel):
    """Nothing to set."""


def row(metrics: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the row of a block."""
    return {
        "block": metrics["choco__block"],
        "parameters": metrics["choco__parameters"],
        "library": metrics["choco__library"],
        "stage": "synthesis",
        "cells": metrics["design__instance__count"],
        **{
            name: float(f"{value:.{SIGNIFICANT}g}")
            for name, value in (
                ("area_m2", metrics["design__instance__area"] * 1e-12),
                ("min_period_s", metrics["choco__min_period_s"]),
                ("leakage_w", metrics["choco__leakage_w"]),
                ("active_energy_j", metrics["choco__active_energy_j"]),
                ("idle_energy_j", metrics["choco__idle_energy_j"]),
            )
        },
        "activity": metrics["choco__activity"],
        "provenance": source,
    }


def collect(directory: Path, listed: list[Block]) -> list[dict[str, Any]]:
    """Return the metrics of the blocks in a directory, in the order of the list.

    Raises:
        ChocoError: a block has none.
    """
    found = []
    for block in listed:
        path = directory / block.name / "metrics.json"
        if not path.is_file():
            raise ChocoError(f"{path}: {block.name} has not been synthesized")
        found.append(json.loads(path.read_text(encoding="utf-8")))
    return found


def stage(job: Job[Settings]) -> None:
    """Write the table, and its manifest if there is to be one."""
    today = date.today()
    manifest = job.outputs.get("manifest")
    rows, versions = [], set()
    for directory in job.inputs.values():
        for metrics in collect(directory, list(blocks())):
            source = metrics["choco__provenance"]
            versions.add(source.replace("live ", ""))
            if manifest:
                tools = [text.removeprefix("live ").rsplit(" ", 1) for text in source.split(" + ")]
                source = provenance.combine(
                    *(provenance.recorded(name, v, today.isoformat()) for name, v in tools)
                )
            rows.append(row(metrics, source))
    table = pd.DataFrame(rows)
    target = job.outputs["blocks"]
    if manifest and target.exists():
        kept = read_table(target)
        table = pd.concat([table, kept[kept.stage != "synthesis"]], ignore_index=True)
    write_table(table, target, BLOCKS)
    if manifest:
        _write_manifest(manifest, target, sorted(versions), list(job.inputs), today)


def _write_manifest(
    manifest: Path, table: Path, versions: list[str], libraries: list[str], today: date
) -> None:
    entry: dict[str, Any] = {
        "id": "blocks",
        "version": ", ".join(versions),
        "date": today,
        "command": "snakemake synthesis --config 'pdk={...}', once a library; "
        "then python -m rtl.synthesis.table",
        "machine": "any; libraries " + ", ".join(libraries) + ", typical corner, 100 MHz",
        "note": "before layout: wires estimated by rtl/lib/wires.lib; SRAM not included; "
        f"activity of {block_list().machine.describe()}",
        "parameters": {"rtl_sha256": _digest(*sources("taco_top"))},
        "files": [{"path": table.name, "sha256": _digest(table)}],
    }
    runs = [entry]
    if manifest.exists():
        known = yaml.safe_load(manifest.read_text(encoding="utf-8"))["runs"]
        runs += [run for run in known if run["id"] != "blocks"]
    text = yaml.safe_dump({"tool": "Yosys and OpenSTA", "runs": runs}, sort_keys=False, width=100)
    manifest.write_text(text, encoding="utf-8")


def _digest(*files: Path) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


if __name__ == "__main__":
    run_stage(stage, Settings)
