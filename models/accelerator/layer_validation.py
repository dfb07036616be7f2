"""Power of a residue layer composed of its blocks, beside that of the layer as one block.

The simulator adds up blocks that were synthesized one by one. A whole layer was synthesized too,
and where it was placed and routed its row of stage ``post_route`` has its wires and clock tree.
Both run the operations whose signals the activity of blocks comes from.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from models import provenance
from models.accelerator.blocks import BlockTable, Stage, load_blocks
from models.accelerator.machine import parts
from models.accelerator.points import HePoints, design_points
from models.accelerator.schedule import OPERATIONS
from models.accelerator.timing import operation_timing
from models.config import platform
from models.config.base import Section
from models.config.platform import Accelerator
from models.errors import ChocoError
from models.recorded import RecordedStore, open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table

LANES, DEGREE = 2, 1024
"""Of the layers that were synthesized, and of the operations whose signals were recorded."""

LAYER_POWER = table_schema(
    butterflies=int,
    lanes=int,
    stage=Column(str, Check.isin(["synthesis", "post_route"])),
    composed_w=Column(float, Check.gt(0)),
    layer_w=Column(float, Check.gt(0)),
    error=float,
    composed_area_m2=Column(float, Check.gt(0)),
    layer_area_m2=Column(float, Check.gt(0)),
)
"""Average power over all four operations, memories left out; ``error`` is the composed power's."""

_IN_LAYER = (
    "ntt block",
    "intt block",
    "multipliers",
    "adders",
    "expansion to residues",
    "in layers",
)


class Settings(Section):
    """What the stage needs."""

    technology: platform.Technology = Field(
        platform.Technology(), description="library of the blocks"
    )
    clock_hz: float = Field(100e6, description="clock of the layer")


def layer_power(store: RecordedStore, library: str, clock_hz: float) -> Iterator[dict[str, Any]]:
    """Yield rows of ``LAYER_POWER`` for every layer that was synthesized, or placed and routed."""
    blocks = load_blocks(store, library)
    stages: tuple[Stage, ...] = ("synthesis", "post_route")
    for stage in stages:
        try:
            whole = load_blocks(store, library, stage)
        except ChocoError:  # nothing was placed and routed in this library
            continue
        for butterflies in whole.sizes("taco_layer", "Butterflies"):
            layer = whole.costs("taco_layer", Butterflies=butterflies, Lanes=LANES)
            composed_j, composed_m2, cycles, busy = _composed(butterflies, blocks, clock_hz)
            seconds = cycles / clock_hz
            layer_j = busy * layer.active_energy_j + (cycles - busy) * layer.idle_energy_j
            layer_w = float(layer_j / seconds + layer.leakage_w)
            yield {
                "butterflies": butterflies,
                "lanes": LANES,
                "stage": stage,
                "composed_w": composed_j / seconds,
                "layer_w": layer_w,
                "error": composed_j / seconds / layer_w - 1,
                "composed_area_m2": composed_m2,
                "layer_area_m2": float(layer.area_m2),
                "provenance": provenance.combine(
                    provenance.model("accelerator"), blocks.provenance, whole.provenance
                ),
            }


def _composed(
    butterflies: int, blocks: BlockTable, clock_hz: float
) -> tuple[float, float, float, float]:
    """Return energy, area, cycles and busy cycles of one layer over all four operations."""
    machine = Accelerator(
        transform_units=1,
        ntt_butterflies=butterflies,
        intt_butterflies=butterflies,
        encode_butterflies=4,
        dyadic_multipliers=LANES,
        adders=LANES,
        modulus_switch_elements=LANES,
        error_distribution="centered binomial",
    )
    design = design_points(machine)
    he = HePoints(np.asarray(DEGREE), np.asarray(1))  # one residue: the layer takes part in all
    energy, area, cycles, busy = 0.0, 0.0, 0.0, 0.0
    for operation in OPERATIONS:
        timing = operation_timing(operation, he, design)
        total = float(timing.total)
        cycles += total
        busy += total - sum(float(timing.phases[p]) for p in ("encode", "decode", "control"))
        area = 0.0
        for part in parts(operation, he, design, timing, blocks):
            if part.name not in _IN_LAYER:
                continue
            costs, count = part.costs, float(part.count)
            idle_j = float(costs.idle_energy_j)
            work = sum(map(float, part.work.values()))
            energy += work * (float(costs.active_energy_j) - idle_j) + count * total * idle_j
            energy += count * float(costs.leakage_w) * total / clock_hz
            area += count * float(costs.area_m2)
    return energy, area, cycles, busy


def stage(job: Job[Settings]) -> None:
    """Compare; input: the manifest of the synthesized ``blocks``."""
    store = open_recorded(job.inputs["blocks"].parent)
    rows = list(layer_power(store, job.settings.technology.library, job.settings.clock_hz))
    write_table(pd.DataFrame(rows), job.outputs["power"], LAYER_POWER)


if __name__ == "__main__":
    run_stage(stage, Settings)
