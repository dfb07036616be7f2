"""Table 4 as a figure: noise budgets measured, predicted, and as the paper's SEAL reported them."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from models.config.base import Section
from models.noise_schema import KEYS, STATES, TABLE4
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_COLORS = dict(zip(STATES, (style.BLUE, style.SKY, style.ORANGE), strict=True))
_NAMES = {
    "initial": "fresh",
    "post_rotate": "after a rotation",
    "post_permute": "after a permutation by masking",
}
_WIDTH, _STEP, _GAP = 0.86, 1.0, 1.0
"""Of bars, between bars, and between parameter choices, on the x axis."""
_UNREPORTED_TINT = 0.32
"""Share of its colour in the log2 t bits of a bar that SEAL before 3.4.3 did not report."""


class Settings(Section):
    """Nothing to set."""


def stage(job: Job[Settings]) -> None:
    """Draw ``table4``, one file for each output."""
    style.save(figure(read_table(job.inputs["table4"], TABLE4)), *job.outputs.values())


def figure(table: pd.DataFrame) -> Figure:
    """Draw the figure.

    Args:
        table: schema ``TABLE4``. A bar is a median over seeds; its solid part is what SEAL before
            3.4.3 reported of it, to which the paper's hollow marker belongs.
    """
    drawn, axes = style.new_figure(style.PAGE_WIDTH_IN, 3.0)
    centers, labels, left = [], [], 0.0
    for choice, cells in table.groupby(list(KEYS), sort=False):
        for x, cell in enumerate(cells.itertuples()):
            _draw_cell(axes, left + x * _STEP, cell)
        centers.append(left + (len(cells) - 1) / 2 * _STEP)
        labels.append(_choice_label(*choice))
        left += len(cells) * _STEP + _GAP
    axes.set_xticks(centers, labels)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-_STEP, left - _GAP)
    axes.set_ylim(0, 1.1 * table["budget_max_bits"].max())
    axes.set_ylabel("Noise budget (bits)")
    drawn.legend(
        handles=_legend(table), loc="outside upper center", ncols=3, fontsize=7, frameon=False
    )
    style.footnote(drawn, _footnote(table))
    return drawn


def _draw_cell(axes: Axes, x: float, cell: Any) -> None:
    color = _COLORS[cell.state]
    axes.bar(x, cell.budget_bits, _WIDTH, color=_pale(color), linewidth=0)
    axes.bar(x, cell.before_3_4_3_bits, _WIDTH, color=color, linewidth=0)
    axes.hlines(cell.predicted_bits, x - _WIDTH / 2, x + _WIDTH / 2, color=style.BLACK, lw=1.2)
    top = max(cell.budget_bits, cell.predicted_bits)
    axes.annotate(
        f"{cell.budget_bits:g}",
        (x, top),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        fontsize=6.5,
    )
    if pd.notna(cell.paper_bits):
        axes.scatter(x, cell.paper_bits, clip_on=False, **style.PAPER_MARKER)


def _pale(color: str) -> tuple[float, float, float]:
    """Mix with white; transparency would let the grid through."""
    red, green, blue = (1 - _UNREPORTED_TINT * (1 - channel) for channel in to_rgb(color))
    return red, green, blue


def _choice_label(n: int, plain_modulus_bits: int, coeff_modulus_bits: str) -> str:
    return f"N = {n}\nlog$_2$ t = {plain_modulus_bits}\n{{{coeff_modulus_bits}}}"


def _footnote(table: pd.DataFrame) -> str:
    both = table.dropna(subset="seal_3_4_2_bits")
    difference = (both["seal_3_4_2_bits"] - both["before_3_4_3_bits"]).abs().max()
    checked = f" SEAL 3.4.2 itself reports the solid part, within {difference:g} bit."
    return (
        f"Sources: {combine(*table['provenance'])}. Numbers: measured, median over seeds. "
        "SEAL rounds down,\nthe prediction does not." + (checked if len(both) else "")
    )


def _legend(table: pd.DataFrame) -> list[Patch | Line2D]:
    """Return handles by column: states, then how to read a bar."""
    states = [
        Patch(facecolor=_COLORS[state], label=_NAMES[state])
        for state in STATES
        if state in set(table["state"])
    ]
    pale = Patch(
        facecolor=_pale(style.GREY), label="log$_2$ t bits that SEAL < 3.4.3 did not report"
    )
    predicted = Line2D([], [], color=style.BLACK, lw=1.2, label="predicted")
    stated = Line2D(
        [],
        [],
        linestyle="none",
        marker=style.PAPER_MARKER["marker"],
        markersize=5,
        markerfacecolor="none",
        markeredgecolor=style.PAPER_MARKER["edgecolor"],
        label="paper",
    )
    return [*states, pale, predicted, *([stated] if table["paper_bits"].notna().any() else [])]


if __name__ == "__main__":
    run_stage(stage, Settings)
