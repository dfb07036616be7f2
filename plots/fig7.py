"""Figure 7: the design space of the accelerator in time, power, area and energy."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter
from pydantic import Field

from models import paper
from models.accelerator.dse import SELECTED, SPACE
from models.config.base import Section
from models.config.platform import DesignSpace
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_PANELS = (
    ("power_w", 1e3, "Power (mW)"),
    ("area_m2", 1e6, "Area (mm\N{SUPERSCRIPT TWO})"),
    ("energy_j", 1e3, "Energy (mJ)"),
)
_PAPER = {
    "time_s": ("accelerator_encrypt_time", 1e-3),
    "power_w": ("derived_accelerator_power", 1e-3),
    "area_m2": ("accelerator_area", 1e-6),
    "energy_j": ("accelerator_encrypt_energy", 1e-3),
}
"""Claims of the paper at its point, and the factor from their unit to SI."""
_CHOSEN = {
    "search": ("^", style.PURPLE, 34, "found beyond the space"),
    "best": ("s", style.GREEN, 24, "best in time and energy"),
    "paper": ("*", style.VERMILION, 70, "chosen by the paper's rule"),
}
"""Marker, colour, size and name of each choice that is drawn."""
_FAR, _NEAR = "#C9C9C9", style.SKY


class Settings(Section):
    """What the figure needs."""

    design_space: DesignSpace = Field(DesignSpace(), description="gives the limit of power")


def figure(
    space: pd.DataFrame, selected: pd.DataFrame, claims: paper.PaperData, limits: DesignSpace
) -> Figure:
    """Draw the figure.

    Args:
        space: table ``SPACE``.
        selected: table ``SELECTED``.
        claims: the paper's numbers, drawn as hollow markers.
        limits: the limit of power.
    """
    drawn, panels = style.new_figure(
        width_in=style.PAGE_WIDTH_IN, height_in=2.9, nrows=1, ncols=len(_PANELS)
    )
    within = space.power_w <= limits.power_limit_w
    for axes, (column, scale, label) in zip(panels, _PANELS, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        for points, color in ((space[~within], _FAR), (space[within], _NEAR)):
            axes.scatter(
                points.time_s * 1e3, points[column] * scale, s=1.2, color=color, rasterized=True
            )
        front = space[space.pareto].sort_values("time_s")
        axes.scatter(front.time_s * 1e3, front[column] * scale, s=4, color=style.BLUE)
        if column == "power_w":
            axes.axhline(limits.power_limit_w * scale, color=style.BLACK, linewidth=0.7)
        for choice, (marker, color, size, _) in _CHOSEN.items():
            point = selected[selected.choice == choice]
            axes.scatter(
                point.time_s * 1e3,
                point[column] * scale,
                marker=marker,
                s=size,
                color=color,
                edgecolor="white",
                linewidth=0.5,
                zorder=4,
            )
        axes.scatter(
            _paper(claims, "time_s") * 1e3, _paper(claims, column) * scale, **style.PAPER_MARKER
        )
        axes.set_xlabel("Encryption time (ms)")
        axes.set_ylabel(label)
        _plain_ticks(axes)
    drawn.legend(
        handles=_legend(limits, set(selected.choice)),
        loc="outside upper center",
        ncols=4,
        fontsize=7,
        frameon=False,
    )
    style.footnote(drawn, f"{len(space):,} points. {space.provenance.iloc[0]}.")
    return drawn


def _paper(claims: paper.PaperData, column: str) -> float:
    claim, to_si = _PAPER[column]
    return claims.value(claim) * to_si


def _plain_ticks(axes: Axes) -> None:
    """Mark 1, 2 and 5 of every decade of the logarithmic axes, as plain numbers."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(NullFormatter())


def _legend(limits: DesignSpace, choices: set[str]) -> list[Line2D]:
    limit = f"{limits.power_limit_w * 1e3:g} mW"
    dots = ((_NEAR, f"at most {limit}"), (_FAR, f"more than {limit}"), (style.BLUE, "Pareto front"))
    handles = [_handle("o", color, 3.5, name) for color, name in dots]
    handles += [
        _handle(marker, color, 6, name)
        for choice, (marker, color, _, name) in _CHOSEN.items()
        if choice in choices
    ]
    paper_point = _handle(style.PAPER_MARKER["marker"], "none", 5, "the paper's point")
    paper_point.set_markeredgecolor(style.PAPER_MARKER["edgecolor"])
    return [*handles, paper_point]


def _handle(marker: str, color: str, size: float, name: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="none",
        marker=marker,
        markerfacecolor=color,
        markeredgecolor="none",
        markersize=size,
        label=name,
    )


def stage(job: Job[Settings]) -> None:
    """Draw Figure 7 into every output."""
    drawn = figure(
        read_table(job.inputs["space"], SPACE),
        read_table(job.inputs["selected"], SELECTED),
        paper.load(job.inputs["paper"]),
        job.settings.design_space,
    )
    style.save(drawn, *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
