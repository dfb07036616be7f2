"""Figure 11: what a distance kernel costs server, client and link, by packing and shape."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from models.config.base import Section
from models.distance_schema import DISTANCE_CLIENT, KERNELS, kernel_name
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_PACKINGS = {
    "point_major": ("point-major", "o", style.ORANGE),
    "dimension_major": ("dimension-major", "s", style.SKY),
    "stacked_point_major": ("stacked point-major", "^", style.PURPLE),
    "stacked_dimension_major": ("stacked dimension-major", "v", style.BLUE),
    "collapsed_point_major": ("collapsed point-major", "D", style.VERMILION),
}
_SHAPE = ["dimensions", "points"]
_PANELS = {
    "server_time_s": "Server time (s)",
    "choco_software": "Client time (s)",
    "communication_megabytes": "Communication (MB)",
}
_ACCELERATED = "choco_taco"
_DODGE = 0.15
"""Distance between packings, where neighbouring shapes are 1 apart."""


class Settings(Section):
    """The figure needs nothing but its tables."""


def costs(kernels: pd.DataFrame, timings: pd.DataFrame, client: pd.DataFrame) -> pd.DataFrame:
    """Join what is drawn: one row a packing and shape.

    ``server_time_s`` is the median over the queries that a kernel answered; the columns named
    after the client's systems are its computing time in s, missing where it has no cost yet.
    """
    server = timings[timings.phase == "server"].groupby("layer").time_s.median()
    names = [kernel_name(*row) for row in kernels[["packing", *_SHAPE]].itertuples(index=False)]
    computing = client[client.component != "communication"]
    by_system = computing.groupby(["packing", *_SHAPE, "system"]).time_s.sum().unstack("system")
    by_system = by_system.reindex(columns=["choco_software", _ACCELERATED])
    joined = kernels.merge(by_system.reset_index(), on=["packing", *_SHAPE], how="left")
    return joined.assign(
        server_time_s=server.reindex(names).to_numpy(),
        communication_megabytes=joined.communication_bytes / 1e6,
    )


def figure(kernels: pd.DataFrame, timings: pd.DataFrame, client: pd.DataFrame) -> Figure:
    """Draw the figure.

    Args:
        kernels: table ``KERNELS``.
        timings: of the same run; its server seconds are those of the machine that ran it.
        client: table ``DISTANCE_CLIENT``; a system without rows is named in the footnote.
    """
    table = costs(kernels, timings, client)
    shapes = sorted(set(table[_SHAPE].itertuples(index=False, name=None)))
    drawn, panels = style.new_figure(
        width_in=style.PAGE_WIDTH_IN, height_in=5.6, nrows=len(_PANELS), ncols=1, sharex=True
    )
    for axes, (column, label) in zip(panels, _PANELS.items(), strict=True):
        _panel(axes, table, column, shapes)
        axes.set_ylabel(label)
    _panel(panels[1], table, _ACCELERATED, shapes, hollow=True)
    labels = [f"{dimensions} x {points}" for dimensions, points in shapes]
    panels[-1].set_xticks(range(len(shapes)), labels)
    panels[-1].set_xlabel("Dimensions x points")
    panels[-1].set_xlim(-0.5, len(shapes) - 0.5)
    drawn.legend(
        handles=_legend(table), loc="outside upper center", ncols=5, fontsize=7, frameon=False
    )
    style.footnote(drawn, _sources(kernels, client, table))
    return drawn


def _panel(
    axes: Axes,
    table: pd.DataFrame,
    column: str,
    shapes: list[tuple[int, int]],
    *,
    hollow: bool = False,
) -> None:
    for index, (packing, (_, marker, color)) in enumerate(_PACKINGS.items()):
        values = table[table.packing == packing].set_index(_SHAPE)[column].reindex(shapes)
        x = [position + (index - 2) * _DODGE for position in range(len(shapes))]
        axes.plot(
            x,
            values.to_numpy(),
            linestyle="none",
            marker=marker,
            markersize=5.5 if marker == "D" else 6,
            markerfacecolor="none" if hollow else color,
            markeredgecolor=color if hollow else style.BLACK,
            markeredgewidth=1.0 if hollow else 0.4,
            zorder=3,
        )
    axes.set_yscale("log")
    axes.margins(y=0.12)
    axes.grid(axis="y")
    axes.grid(visible=False, axis="x")
    for border in range(1, len(shapes)):
        axes.axvline(border - 0.5, color=style.GREY, linewidth=0.3)
    axes.tick_params(axis="x", length=0)


def _legend(table: pd.DataFrame) -> list[Line2D]:
    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markersize=5.5,
            color=color,
            markeredgecolor=style.BLACK,
            markeredgewidth=0.4,
            label=label,
        )
        for label, marker, color in _PACKINGS.values()
    ]
    if table[_ACCELERATED].notna().any():
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker="o",
                markerfacecolor="none",
                markeredgecolor=style.BLACK,
                label="hollow: CHOCO-TACO",
            )
        )
    return handles


def _sources(kernels: pd.DataFrame, client: pd.DataFrame, table: pd.DataFrame) -> str:
    computing = client[client.component != "communication"]
    lines = [
        f"{combine(*kernels.provenance, *computing.provenance)}. One encrypted query; the points "
        "are in the clear at the server.",
        "Server time: median, one thread of the machine that made this figure. Client time: "
        "encryptions and decryptions.",
    ]
    missing = [
        name
        for column, name in (("choco_software", "software"), (_ACCELERATED, "CHOCO-TACO"))
        if table[column].isna().any()
    ]
    if missing:
        lines.append(
            f"Client time with {' and '.join(missing)}: not yet, as there is no cost at these "
            "parameters."
        )
    if (kernels.profile == "quick").any():
        lines.append(f"Quick profile: at most {kernels.points.max()} points.")
    return "\n".join(lines)


def stage(job: Job[Settings]) -> None:
    """Draw Figure 11 into every output."""
    kernels = read_table(job.inputs["kernels"], KERNELS)
    timings = read_table(job.inputs["timings"])
    client = read_table(job.inputs["client"], DISTANCE_CLIENT)
    style.save(figure(kernels, timings, client), *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
