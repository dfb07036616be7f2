"""``docs/validation.md``: how far the models are from what they model, from the tables that say so.

A section is a function from a table to Markdown; ``SECTIONS`` lists them by the name of the input
that holds the table.
"""

from collections.abc import Callable

import pandas as pd
import pandera.pandas as pa

from models.accelerator.cycle_validation import CYCLE_VALIDATION
from models.accelerator.layer_validation import LAYER_POWER
from models.config.base import Section
from models.memory.study import INTERPOLATION
from models.memory.validation import interpolation_section
from models.stage import Job, run_stage
from models.tables import read_table, replacing

_HEAD = """\
# Validation

How far the models are from what they model. Made by `snakemake validation`; do not edit.
"""


class Settings(Section):
    """The document needs nothing but its tables."""


def cycles_section(table: pd.DataFrame) -> str:
    """Word the simulator's cycles against the RTL's."""
    drawn = table[table.drawn]
    machine = ["butterflies", "lanes", "poly_modulus_degree", "key_residues"]
    wide = drawn.pivot(index=machine, columns="operation", values=["rtl_cycles", "error"])
    operations = sorted(drawn.operation.unique())
    heads = ["P", "lanes", "N", "k", *operations]
    rows = [
        [*map(str, index), *(_cycles(row["rtl_cycles"][o], row["error"][o]) for o in operations)]
        for index, row in wide.iterrows()
    ]
    configurations = table[machine].drop_duplicates()
    return (
        "## Accelerator: cycles of the simulator against the RTL\n\n"
        f"{len(rows)} of the {len(configurations)} machines and parameters whose cycles were "
        "counted in co-simulation, drawn at random: the RTL's cycles, and the simulator's error.\n"
        f"Largest error of those drawn: {drawn.error.abs().max():.2%}; of all: "
        f"{table.error.abs().max():.2%}. P: butterflies of every transform.\n\n"
        + markdown_table(heads, rows)
    )


def layer_section(table: pd.DataFrame) -> str:
    """Word the composed power of a layer against that of the layer as one block."""
    rows = [
        [
            str(row.butterflies),
            row.stage.replace("_", "-"),
            f"{row.composed_w * 1e3:.2f}",
            f"{row.layer_w * 1e3:.2f}",
            f"{row.error:+.1%}",
            f"{row.composed_area_m2 * 1e6:.3f}",
            f"{row.layer_area_m2 * 1e6:.3f}",
        ]
        for row in table.itertuples()
    ]
    heads = ["P", "stage", "composed (mW)", "layer (mW)", "error", "composed (mm2)", "layer (mm2)"]
    missing = (
        ""
        if (table.stage == "post_route").any()
        else ("No layer is recorded after place and route in this library yet.\n")
    )
    return (
        "## Accelerator: power of a residue layer, composed and whole\n\n"
        "Blocks synthesized one by one and put together by the simulator, against a residue layer\n"
        "of two lanes as one block; logic alone, average over all four operations at 100 MHz,\n"
        "leakage included.\n" + missing + "\n" + markdown_table(heads, rows)
    )


def markdown_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _cycles(cycles: float, error: float) -> str:
    return "-" if pd.isna(cycles) else f"{int(cycles)} ({error:+.2%})"


SECTIONS: dict[str, tuple[pa.DataFrameSchema, Callable[[pd.DataFrame], str]]] = {
    "cycles": (CYCLE_VALIDATION, cycles_section),
    "layer": (LAYER_POWER, layer_section),
    "interpolation": (INTERPOLATION, interpolation_section),
}
"""Input name to the schema of its table and the section made of it, in order."""


def stage(job: Job[Settings]) -> None:
    """Write the document; every input is a table of ``SECTIONS``. Output: ``document``."""
    parts = [_HEAD]
    for name, (schema, section) in SECTIONS.items():
        parts.append(section(read_table(job.inputs[name], schema)))
    with replacing(job.outputs["document"]) as temporary:
        temporary.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    run_stage(stage, Settings)
