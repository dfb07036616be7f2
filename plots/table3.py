"""Table 3 as a figure: HE parameter sets, security and sizes, the paper's values beside ours."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from models.config.base import Section
from models.provenance import combine
from models.sizes_schema import TABLE3
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_FONT_SIZE = 7
_LINE_IN = 0.19
_MISSING = "\N{EN DASH}"
_BYTES = "Bytes of "


class Settings(Section):
    """Nothing to set."""


def stage(job: Job[Settings]) -> None:
    """Draw ``table3``, one file for each output."""
    style.save(figure(read_table(job.inputs["table3"], TABLE3)), *job.outputs.values())


@dataclass(frozen=True)
class _Column:
    """A column of the figure: heading over it, and the text of a row's cell."""

    group: str
    heading: str
    edge: float  # where the text ends, as a fraction of the width; where it starts, for the first
    text: Callable[[Any], str]
    ours: str = ""  # column of the table with which a value of the paper is compared
    alignment: str = "right"


def _count(column: str) -> Callable[[Any], str]:
    def text(row: Any) -> str:
        value = getattr(row, column)
        return _MISSING if pd.isna(value) else f"{value:,.0f}"

    return text


def _primes(coeff_modulus_bits: str) -> str:
    """Word the primes as the paper does; long chains counted."""
    bits = coeff_modulus_bits.split(",")
    if len(bits) > 3:
        runs = [(size, len(list(run))) for size, run in groupby(bits)]
        bits = [
            size if count == 1 else f"{count}\N{MULTIPLICATION SIGN}{size}" for size, count in runs
        ]
    return "{" + ",".join(bits) + "}"


_COLUMNS = (
    _Column("", "Set", 0.006, lambda row: row.label, alignment="left"),
    _Column("", "Scheme", 0.12, lambda row: row.scheme.upper()),
    _Column("", "N", 0.168, lambda row: f"{row.poly_modulus_degree}"),
    _Column("", "Primes {k}", 0.275, lambda row: _primes(row.coeff_modulus_bits)),
    _Column("", "log$_2$ t", 0.335, _count("log2_t")),
    _Column("log$_2$ q", "ours", 0.395, _count("log2_q")),
    _Column("log$_2$ q", "paper", 0.448, _count("paper_log2_q"), "log2_q"),
    _Column("log$_2$ q", "bound", 0.5, _count("max_log2_q")),
    _Column(_BYTES + "a ciphertext", "ours", 0.588, _count("ciphertext_bytes")),
    _Column(
        _BYTES + "a ciphertext",
        "paper",
        0.662,
        _count("paper_ciphertext_bytes"),
        "ciphertext_bytes",
    ),
    _Column(_BYTES + "a ciphertext", "in SEAL", 0.736, _count("serialized_bytes")),
    _Column(_BYTES + "a key", "public", 0.817, _count("public_key_bytes")),
    _Column(_BYTES + "a key", "secret", 0.897, _count("secret_key_bytes")),
    _Column(_BYTES + "a key", "Galois", 0.994, _count("galois_key_bytes")),
)


def figure(table: pd.DataFrame) -> Figure:
    """Draw the figure: a typeset table, since its numbers are few and exact.

    Args:
        table: schema ``TABLE3``. A value of the paper that differs from ours is bold and marked.
    """
    lines = len(table) + 2
    drawn, axes = style.new_figure(style.PAGE_WIDTH_IN, _LINE_IN * (lines + 2.4))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(lines, 0)
    _headings(axes)
    for line, row in enumerate(table.itertuples(), start=2):
        for column in _COLUMNS:
            _cell(axes, column, line, row)
    for edge, width in ((0, 1.0), (2, 0.6), (lines, 1.0)):
        axes.axhline(edge, color=style.BLACK, linewidth=width, clip_on=False)
    style.footnote(drawn, _footnote(table))
    return drawn


def _headings(axes: Axes) -> None:
    for column in _COLUMNS:
        axes.text(column.edge, 1.55, column.heading, **_text(column.alignment))
    for group in dict.fromkeys(column.group for column in _COLUMNS if column.group):
        edges = [column.edge for column in _COLUMNS if column.group == group]
        left, right = edges[0] - 0.054, edges[-1]
        axes.text((left + right) / 2, 0.55, group, **_text("center"))
        axes.hlines(1.02, left, right, color=style.GREY, linewidth=0.5)


def _cell(axes: Axes, column: _Column, line: int, row: Any) -> None:
    text = column.text(row)
    differs = bool(column.ours) and text not in (_MISSING, _count(column.ours)(row))
    drawn = axes.text(column.edge, line + 0.55, text, **_text(column.alignment))
    if differs:
        drawn.set(text=f"\N{NOT EQUAL TO} {text}", color=style.VERMILION, weight="bold")


def _text(alignment: str) -> dict[str, Any]:
    return {"ha": alignment, "va": "center", "fontsize": _FONT_SIZE}


def _footnote(table: pd.DataFrame) -> str:
    levels = " or ".join(str(bits) for bits in sorted(set(table["security_bits"])))
    notes = [
        f"Sources: {combine(*table['provenance'])}.",
        f"Bound: largest log$_2$ q at {levels}-bit security. Galois key: one element.",
        "In SEAL: serialized without compression, headers included.",
    ]
    twice = table.loc[table["reading"].notna(), "label"].unique()
    notes += [
        f"\nSet {label} in both readings of the paper, which contradicts itself." for label in twice
    ]
    return " ".join(notes)


if __name__ == "__main__":
    run_stage(stage, Settings)
