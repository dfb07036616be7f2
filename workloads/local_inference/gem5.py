"""Stage: layers on gem5, run now, beside the fast model of the same core."""

import shlex
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import pandas as pd
import yaml
from pydantic import Field
from tqdm import tqdm

from models import tools
from models.client.core import Core, read_core
from models.client.gem5_stats import OperationCount, operation_counts
from models.config.base import Section
from models.errors import ChocoError
from models.provenance import combine, live
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads.client_ops.gem5 import BOARD
from workloads.fast_core.measure import simulate
from workloads.local_inference import build
from workloads.local_inference.measure import fast_model, measured

_REGION = "layer"
LAYERS = Path(__file__).with_name("checked_layers.yaml")

LAYER_ERROR = table_schema(
    arguments=str,
    gem5_instructions=Column(int, Check.gt(0)),
    instructions=Column(int, Check.gt(0)),
    gem5_cycles=Column(int, Check.gt(0)),
    cycles=Column(int, Check.gt(0)),
    error=float,
)
"""``error``: cycles of the fast model over those of gem5, less 1."""

TIMINGS = table_schema(
    arguments=str,
    gem5_wall_clock_s=Column(float, Check.gt(0)),
    wall_clock_s=Column(float, Check.gt(0)),
)


class Settings(Section):
    """What to run, and on which core."""

    core: Path = Field(
        Path("gem5-configs/cores/cortex_a7_ddr3_1600.yaml"), description="the simulated core"
    )
    program: build.Settings = Field(build.Settings(), description="how the program is built")
    gem5: Path | None = Field(None, description="path of gem5.opt; empty: look on PATH")


def run(gem5: Path, core: Core, program: Path, arguments: list[str]) -> OperationCount:
    """Run one layer on gem5 and return what its measured run took.

    Raises:
        ChocoError: gem5 fails, with the end of what it printed; or its statistics lack the region.
    """
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)
        (out / "core.json").write_text(core.model_dump_json(), encoding="utf-8")
        start = [str(gem5), "-d", str(out), str(BOARD), "--core", str(out / "core.json")]
        command = [*start, str(program), "--markers", "gem5", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise ChocoError(f"{gem5}: exited with {done.returncode}: {''.join(last)}")
        return operation_counts(out / "stats.txt", [_REGION])[_REGION]


def stage(job: Job[Settings]) -> None:
    """Run the layers of ``checked_layers.yaml`` on both; outputs ``error`` and ``timings``."""
    settings = job.settings
    gem5 = tools.find(tools.GEM5, settings.gem5)
    if gem5 is None:
        raise ChocoError("no gem5.opt on PATH; point at it: tools: {gem5: /path/to/gem5.opt}")
    source = combine(live(tools.GEM5.name, tools.probe_version(tools.GEM5, gem5)), fast_model())
    core, program = read_core(settings.core), build.build(settings.program)
    rows, timings = [], []
    for layer in tqdm(yaml.safe_load(LAYERS.read_text(encoding="utf-8")), unit="layer"):
        arguments = shlex.split(layer)
        begin = perf_counter()
        count = run(gem5, core, program, arguments)
        between = perf_counter()
        fast = measured(simulate(core, [str(program), *arguments])).counts
        end = perf_counter()
        rows.append(
            {
                "arguments": layer,
                "gem5_instructions": count.instructions,
                "instructions": fast.instructions,
                "gem5_cycles": count.cycles,
                "cycles": fast.cycles,
                "error": fast.cycles / count.cycles - 1,
                "provenance": source,
            }
        )
        timings.append(
            {
                "arguments": layer,
                "gem5_wall_clock_s": between - begin,
                "wall_clock_s": end - between,
                "provenance": source,
            }
        )
    write_table(pd.DataFrame(rows), job.outputs["error"], LAYER_ERROR)
    write_table(pd.DataFrame(timings), job.outputs["timings"], TIMINGS)


if __name__ == "__main__":
    run_stage(stage, Settings)
