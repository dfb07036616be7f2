"""The simulator's cycles beside those of the RTL, counted in co-simulation with the host.

Configurations are drawn at random from the recorded ones, whole: all operations of each.
"""

import numpy as np
import pandas as pd
from pydantic import Field

from models import provenance
from models.accelerator.points import DesignPoints, HePoints
from models.accelerator.schedule import OPERATIONS
from models.accelerator.timing import operation_timing
from models.config import Config
from models.config.base import Section
from models.errors import ChocoError
from models.recorded import RecordedStore, open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

_MACHINE = ["butterflies", "lanes", "poly_modulus_degree", "key_residues"]
CYCLES_FILE = "cycles.csv"
CYCLE_VALIDATION = table_schema(
    **dict.fromkeys(_MACHINE, int),
    operation=Column(str, Check.isin(OPERATIONS)),
    rtl_cycles=Column(int, Check.gt(0)),
    model_cycles=Column(int, Check.gt(0)),
    error=float,
    drawn=bool,
)
"""``error`` is relative; ``drawn`` marks the configurations drawn at random."""


class Settings(Section):
    """What the stage needs."""

    seed: int = Field(Config().seed, description="of the draw")
    configurations: int = Field(25, description="how many configurations are drawn")


def validate(recorded: pd.DataFrame, source: str, configurations: int, seed: int) -> pd.DataFrame:
    """Return the table ``CYCLE_VALIDATION``.

    Args:
        recorded: cycles of the RTL, one row an operation of a machine at an (N, k).
        source: provenance of the recorded cycles.
        configurations: how many (machine, N, k) are marked as drawn, at random.
        seed: of the draw.

    Raises:
        ChocoError: fewer configurations were recorded.
    """
    table = recorded.sort_values([*_MACHINE, "operation"], ignore_index=True)
    distinct = table[_MACHINE].drop_duplicates()
    if len(distinct) < configurations:
        raise ChocoError(
            f"{len(distinct)} configurations are recorded, fewer than {configurations}"
        )
    chosen = distinct.sample(configurations, random_state=np.random.default_rng(seed))
    drawn = table[_MACHINE].apply(tuple, axis=1).isin(set(map(tuple, chosen.to_numpy())))
    return pd.DataFrame(
        {
            **{name: table[name] for name in [*_MACHINE, "operation"]},
            "rtl_cycles": table.cycles,
            "model_cycles": (modelled := model_cycles(table)),
            "error": modelled / table.cycles - 1,
            "drawn": drawn,
            "provenance": provenance.combine(provenance.model("accelerator"), source),
        }
    )


def model_cycles(table: pd.DataFrame) -> pd.Series:
    """Return the simulator's cycles of every row."""
    cycles = pd.Series(0, index=table.index)
    for operation in OPERATIONS:
        rows = table[table.operation == operation]
        lanes, butterflies = rows.lanes.to_numpy(), rows.butterflies.to_numpy()
        one = np.asarray(1)
        machine = DesignPoints(
            transform_units=one,
            ntt_butterflies=butterflies,
            intt_butterflies=butterflies,
            dyadic_multipliers=lanes,
            adders=lanes,
            modulus_switch_elements=lanes,
            encode_butterflies=butterflies,  # the message unit was built with as many
            generator_units=one,
            stream_buffer_bytes=np.asarray(0),
            clock_hz=np.asarray(100e6),
            error_distribution="centered binomial",
        )
        he = HePoints(rows.poly_modulus_degree.to_numpy(), rows.key_residues.to_numpy())
        cycles[rows.index] = operation_timing(operation, he, machine).total.astype(np.int64)
    return cycles


def recorded_cycles(store: RecordedStore) -> tuple[pd.DataFrame, str]:
    """Return the recorded cycles of the RTL and their provenance."""
    run = next(r for r in store.runs if any(f.path == CYCLES_FILE for f in r.files))
    return read_table(store.file(run.id, CYCLES_FILE)), store.provenance(run.id)


def stage(job: Job[Settings]) -> None:
    """Compare; input: the manifest of the recorded RTL runs."""
    recorded, source = recorded_cycles(open_recorded(job.inputs["recorded"].parent))
    settings = job.settings
    table = validate(recorded, source, settings.configurations, settings.seed)
    write_table(table, job.outputs["cycles"], CYCLE_VALIDATION)


if __name__ == "__main__":
    run_stage(stage, Settings)
