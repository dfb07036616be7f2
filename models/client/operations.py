"""Cost of the client's operations in software: cycles, time and energy on the Cortex-A7.

Cycles come from gem5 (recorded runs); time is cycles at the configured clock, energy is time at
the configured average active power, as in CHOCO, Section 5.2 (DOI 10.1145/3503222.3507737).
The cycles hold for the recorded clock (528 MHz): memory takes more cycles at a faster one.
"""

import sys
from pathlib import Path

import pandas as pd
from pydantic import Field

from models.client.gem5_stats import operation_counts
from models.config.base import Section
from models.config.platform import Client, Provider
from models.recorded import open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from models.tools import GEM5, resolve

CLIENT_OPERATIONS = table_schema(
    seal_version=str,
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    key_residues=int,
    operation=str,
    cycles=Column(int, Check.gt(0)),
    instructions=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
)


class Settings(Section):
    """What the stage needs."""

    client: Client = Field(Client(), description="clock and power of the client's processor")
    provider: Provider = Field("auto", description="where gem5's numbers come from")
    gem5: Path | None = Field(None, description="path of gem5.opt; empty: look on PATH")


def client_operations(recorded: Path, client: Client) -> pd.DataFrame:
    """Return the cost of every recorded client operation.

    Args:
        recorded: directory of the recorded gem5 runs.
        client: gives the clock and the active power.

    Raises:
        ChocoError: a recorded file is missing, has changed, or is not gem5 statistics.
    """
    store = open_recorded(recorded)
    rows = []
    for run in store.runs:
        bits = str(run.parameters["coeff_modulus_bits"])
        for operation, count in operation_counts(store.file(run.id)).items():
            time_s = count.cycles / client.clock_hz
            rows.append(
                {
                    "seal_version": run.parameters["seal_version"],
                    "scheme": run.parameters["scheme"],
                    "poly_modulus_degree": run.parameters["poly_modulus_degree"],
                    "coeff_modulus_bits": bits,
                    "key_residues": len(bits.split(",")),
                    "operation": operation,
                    "cycles": count.cycles,
                    "instructions": count.instructions,
                    "time_s": time_s,
                    "energy_j": time_s * client.active_power_w,
                    "provenance": store.provenance(run.id),
                }
            )
    return pd.DataFrame(rows)


def stage(job: Job[Settings]) -> None:
    """Write the cost of the client's operations; input: manifest of the gem5 runs."""
    directory = job.inputs["recorded"].parent
    chosen = resolve(GEM5, job.settings.provider, job.settings.gem5, directory.parent)
    print(f"gem5: {chosen.sentence}", file=sys.stderr)
    table = client_operations(directory, job.settings.client)
    write_table(table, job.outputs["operations"], CLIENT_OPERATIONS)


if __name__ == "__main__":
    run_stage(stage, Settings)
