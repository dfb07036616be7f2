"""Stage: cycles of networks without encryption, and of the client's plain operations, by layer.

Every layer runs alone in the fast model of the client's core: once to warm its caches, then as it
is measured. Layers of the same shape and type run once.
"""

from pathlib import Path
from time import perf_counter

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.client.core import read_core
from models.client.inference import LAYER_CYCLES
from models.config.base import Section
from models.errors import ChocoError
from models.provenance import live
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads.dnn.network import load_network
from workloads.fast_core.measure import Region, plugin, simulate
from workloads.local_inference import build
from workloads.local_inference.layers import (
    DTYPES,
    Run,
    local_layers,
    plain_operations,
    slot_operations,
)

POLY_MODULUS_DEGREES = (2048, 4096, 8192, 16384, 32768)

TIMINGS = table_schema(
    arguments=str,
    instructions=Column(int, Check.gt(0)),
    wall_clock_s=Column(float, Check.gt(0)),
)


class Settings(Section):
    """What to run, and on which core."""

    core: Path = Field(
        Path("gem5-configs/cores/cortex_a7_ddr3_1600.yaml"), description="the simulated core"
    )
    program: build.Settings = Field(build.Settings(), description="how the program is built")


def runs(networks: dict[str, Path]) -> list[tuple[str, Run]]:
    """Return all runs with the name of their network, in the order of the table."""
    listed = [("any", run) for degree in POLY_MODULUS_DEGREES for run in slot_operations(degree)]
    for path in networks.values():
        network = load_network(path)
        for dtype in DTYPES:
            listed += [(network.name, run) for run in local_layers(network, dtype)]
        listed += [(network.name, run) for run in plain_operations(network)]
    return listed


def fast_model() -> str:
    """Return the provenance of what the fast model says now: a hash of its source."""
    return live("fast model", plugin().stem.rpartition("-")[2][:8])


def measured(regions: list[Region]) -> Region:
    """Return the second of a run's two regions; the first warms the caches.

    Raises:
        ChocoError: there are not two.
    """
    if len(regions) != 2:
        raise ChocoError(f"local_inference: {len(regions)} regions of interest, not 2")
    return regions[1]


def stage(job: Job[Settings]) -> None:
    """Run all layers; inputs: networks; outputs ``cycles`` and ``timings`` (of the model)."""
    settings = job.settings
    core = read_core(settings.core)
    program = str(build.build(settings.program))
    source = fast_model()
    listed = runs(job.inputs)
    found: dict[tuple[str, ...], Region] = {}
    timings = []
    for arguments in tqdm(dict.fromkeys(run.arguments for _, run in listed), unit="layer"):
        start = perf_counter()
        regions = simulate(core, [program, *arguments])
        found[arguments] = measured(regions)
        timings.append(
            {
                "arguments": " ".join(arguments),
                "instructions": sum(region.counts.instructions for region in regions),
                "wall_clock_s": perf_counter() - start,
                "provenance": source,
            }
        )
    rows = [
        {
            "network": network,
            "layer": run.layer,
            "operation": run.operation,
            "dtype": run.dtype,
            "arguments": " ".join(run.arguments),
            "macs": run.macs,
            "instructions": found[run.arguments].counts.instructions,
            "cycles": found[run.arguments].counts.cycles,
            "provenance": source,
        }
        for network, run in listed
    ]
    write_table(pd.DataFrame(rows), job.outputs["cycles"], LAYER_CYCLES)
    write_table(pd.DataFrame(timings), job.outputs["timings"], TIMINGS)


if __name__ == "__main__":
    run_stage(stage, Settings)
