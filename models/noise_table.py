"""Stage: Table 4, noise budgets measured and predicted beside the paper's.

SEAL before 3.4.3 reported budgets that were log2 t bits too small (its change log), so the column
to compare with the paper is ``before_3_4_3_bits``, or what a SEAL of that time really reports,
``seal_3_4_2_bits``; see ``docs/decisions/noise-budget-before-seal-3.4.3.md``.
"""

import pandas as pd

from models import noise, paper
from models.config.base import Section
from models.noise_schema import BUDGETS, KEYS, TABLE4
from models.parameters import ParameterSet
from models.provenance import PAPER, combine, model
from models.recorded import RecordedStore, open_recorded
from models.stage import Job, run_stage
from models.tables import read_table, write_table

CELL = [*KEYS, "state"]
OLD_SEAL = "noise_budget_3.4.2"
"""Recorded run of the last SEAL release that reported log2 t bits too few."""


class Settings(Section):
    """Nothing to set: the rows are those that were measured."""


def stage(job: Job[Settings]) -> None:
    """Put ``budgets`` beside the prediction, ``recorded`` SEAL and ``paper``; output ``table4``."""
    budgets = read_table(job.inputs["budgets"], BUDGETS)
    old = open_recorded(job.inputs["recorded"])
    table = table4(budgets, old, paper.load(job.inputs["paper"]))
    write_table(table, job.outputs["table4"], TABLE4)


def table4(budgets: pd.DataFrame, old: RecordedStore, data: paper.PaperData) -> pd.DataFrame:
    """Return Table 4: median and range over seeds, prediction, and what the paper's SEAL said."""
    by_cell = budgets.groupby(CELL, sort=False)
    table = by_cell["budget_bits"].agg(["median", "min", "max"])
    table.columns = pd.Index(["budget_bits", "budget_min_bits", "budget_max_bits"])
    table["provenance"] = by_cell["provenance"].agg(lambda sources: combine(*sources))
    recorded = read_table(old.file(OLD_SEAL)).groupby(CELL)["budget_bits"].median()
    table["seal_3_4_2_bits"] = recorded.reindex(table.index)
    table = table.reset_index()
    lost = table["budget_bits"] - table["plain_modulus_bits"]
    table["before_3_4_3_bits"] = lost.clip(lower=0)  # SEAL reports no negative budget
    table["predicted_bits"] = [round(predicted(*row), 2) for row in _cells(table)]
    table["paper_bits"] = [stated(data, *row) for row in _cells(table)]
    table["provenance"] = [
        combine(
            row.provenance,
            model("noise"),
            *([old.provenance(OLD_SEAL)] if pd.notna(row.seal_3_4_2_bits) else []),
            *([PAPER] if pd.notna(row.paper_bits) else []),
        )
        for row in table.itertuples()
    ]
    return table


def _cells(table: pd.DataFrame) -> list[tuple[int, int, str, str]]:
    return list(table[CELL].itertuples(index=False, name=None))


def predicted(n: int, plain_modulus_bits: int, coeff_modulus_bits: str, state: str) -> float:
    """Return the predicted budget of a cell of Table 4 in bits (``models.noise``)."""
    fresh = noise.fresh(
        ParameterSet(
            scheme="bfv",
            poly_modulus_degree=n,
            coeff_modulus_bits=tuple(map(int, coeff_modulus_bits.split(","))),
            plain_modulus_bits=plain_modulus_bits,
        )
    )
    after = {"initial": fresh, "post_rotate": noise.rotate(fresh)}
    return after.get(state, noise.rotate_window(fresh)).budget_bits


def stated(
    data: paper.PaperData, n: int, plain_modulus_bits: int, coeff_modulus_bits: str, state: str
) -> float | None:
    """Return the paper's budget of a cell in bits, or None where the paper has no such cell.

    The primes of Table 4 are those of sets A and B of Table 3.
    """
    primes = {
        data.value(f"table3_{name}_poly_modulus_degree"): data[
            f"table3_{name}_coeff_modulus_bits"
        ].parts
        for name in ("a", "b")
    }
    cell = f"table4_{n}_{plain_modulus_bits}_{state}"
    same_primes = primes.get(n) == tuple(map(int, coeff_modulus_bits.split(",")))
    return data.value(cell) if same_primes and cell in data else None


if __name__ == "__main__":
    run_stage(stage, Settings)
