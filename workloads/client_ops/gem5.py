"""Stage: the client's operations on gem5, run now.

gem5 runs client_ops on the board of gem5-configs/cortex_a7.py, one process for each parameter
set: minutes, as keys are generated on its atomic CPU and every operation runs on MinorCPU.
"""

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models import tools
from models.client.core import Core, read_core
from models.client.gem5_stats import OperationCount, operation_counts
from models.client.operations import CLIENT_OPERATIONS
from models.config.base import Section
from models.config.client import ClientProgram
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.provenance import live
from models.stage import Job, run_stage
from models.tables import write_table
from workloads.client_ops.program import OPERATIONS, arguments, arm_program

BOARD = Path("gem5-configs/cortex_a7.py")


class Settings(Section):
    """What to run, and on which core."""

    client: Client = Field(Client(), description="clock and power of the client, its SEAL")
    program: ClientProgram = Field(ClientProgram(), description="what runs, and on which core")
    parameter_sets: dict[str, ParameterSet] = Field({}, description="named HE parameter sets")
    gem5: Path | None = Field(None, description="path of gem5.opt; empty: look on PATH")


def run(gem5: Path, core: Core, command: list[str]) -> dict[str, OperationCount]:
    """Run the Arm client program on gem5 and return what its operations took.

    Raises:
        ChocoError: gem5 fails, with the end of what it printed; or its statistics lack a region.
    """
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)
        (out / "core.json").write_text(core.model_dump_json(), encoding="utf-8")
        start = [str(gem5), "-d", str(out), str(BOARD), "--core", str(out / "core.json")]
        done = subprocess.run(
            [*start, *command, "--markers", "gem5"], capture_output=True, text=True
        )
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise ChocoError(f"{gem5}: exited with {done.returncode}: {''.join(last)}")
        return operation_counts(out / "stats.txt")


def stage(job: Job[Settings]) -> None:
    """Run every parameter set; output ``operations``."""
    settings = job.settings
    gem5 = tools.find(tools.GEM5, settings.gem5)
    if gem5 is None:
        raise ChocoError("no gem5.opt on PATH; point at it: tools: {gem5: /path/to/gem5.opt}")
    source = live(tools.GEM5.name, tools.probe_version(tools.GEM5, gem5))
    client = settings.client
    core = read_core(settings.program.core).model_copy(update={"clock_hz": client.clock_hz})
    built = arm_program(settings.program, client)
    rows = []
    for parameters in tqdm(settings.parameter_sets.values(), desc="gem5", unit="set"):
        counts = run(gem5, core, [str(built), *arguments(parameters, settings.program)])
        for operation in OPERATIONS:
            time_s = counts[operation].cycles / client.clock_hz
            rows.append(
                {
                    "seal_version": client.seal_version,
                    "scheme": parameters.scheme,
                    "poly_modulus_degree": parameters.poly_modulus_degree,
                    "coeff_modulus_bits": ",".join(map(str, parameters.coeff_modulus_bits)),
                    "key_residues": parameters.key_residues,
                    "operation": operation,
                    "cycles": counts[operation].cycles,
                    "instructions": counts[operation].instructions,
                    "time_s": time_s,
                    "energy_j": time_s * client.active_power_w,
                    "provenance": source,
                }
            )
    write_table(pd.DataFrame(rows), job.outputs["operations"], CLIENT_OPERATIONS)


if __name__ == "__main__":
    run_stage(stage, Settings)
