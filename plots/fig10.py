"""Figure 10: communication of one inference, CHOCO against published protocols."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullLocator

from models.baselines.protocols import CONFIDENCE
from models.communication_schema import NOT_FOUND, PROTOCOLS
from models.config.base import Section
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_DATA_SETS = ("CIFAR-10", "MNIST")
_CHOCO = "CHOCO"
_BYTES_PER_MB = 1e6
_HEIGHT = 0.66
_OTHER: dict[str, Any] = {
    "marker": "|",
    "color": style.BLACK,
    "s": 22,
    "linewidth": 0.8,
    "zorder": 4,
}

_OUTLINE: dict[str, Any] = {"edgecolor": style.BLACK, "linewidth": 0.6}
_LOOKS: dict[str, dict[str, Any]] = {
    CONFIDENCE["read"]: {"facecolor": style.GREY},
    CONFIDENCE["secondary"]: {"facecolor": "#CFCFCF"},
    CONFIDENCE["derived"]: {"facecolor": "#CFCFCF", "hatch": "....."},
    CONFIDENCE["recalled"]: {"facecolor": "white", "linestyle": (0, (2, 1.5))},
}
"""The surer a number, the more solid its bar."""


class Settings(Section):
    """The figure needs nothing but its table."""


def figure(protocols: pd.DataFrame) -> Figure:
    """Draw the figure.

    Args:
        protocols: schema ``PROTOCOLS``. Its compared results are bars, others of the same
            protocol and data set small marks; protocols without a number are named below.
    """
    shown = [protocols[protocols["data_set"] == name] for name in _DATA_SETS]
    most = max(int(table["compared"].sum()) for table in shown) + 1
    drawn, panels = style.new_figure(
        style.PAGE_WIDTH_IN, 1.25 + 0.2 * most, ncols=len(_DATA_SETS), sharex=True
    )
    for axes, name, table in zip(panels, _DATA_SETS, shown, strict=True):
        if not table.empty:
            _panel(axes, name, table, most)
    panels[0].set_xscale("log")
    largest = protocols["communication_bytes"].max() / _BYTES_PER_MB
    panels[0].set_xlim(0.3, largest * 1500)  # room for the labels
    panels[0].xaxis.set_major_formatter(FuncFormatter(lambda megabytes, _: f"{megabytes:,g}"))
    panels[0].xaxis.set_minor_locator(NullLocator())
    panels[0].set_xticks([10.0**power for power in range(len(str(int(largest))))])
    drawn.legend(
        handles=_legend(protocols), loc="outside upper center", ncols=4, fontsize=7, frameon=False
    )
    style.footnote(drawn, _footnote(protocols))
    return drawn


def _panel(axes: Axes, name: str, table: pd.DataFrame, most: int) -> None:
    compared = table[table["compared"]].sort_values(
        "communication_bytes", ascending=False, kind="stable"
    )
    ours = compared.iloc[0]
    for y, (_, row) in enumerate(compared.iterrows()):
        megabytes = row["communication_bytes"] / _BYTES_PER_MB
        axes.barh(y, megabytes, _HEIGHT, **_OUTLINE, **_LOOKS[row["confidence"]])
        others = table[(table["protocol"] == row["protocol"]) & ~table["compared"]]
        sizes = others["communication_bytes"].astype(float) / _BYTES_PER_MB
        axes.scatter(sizes, [y] * len(sizes), **_OTHER)
        printed = f"{megabytes:,.0f}" if megabytes >= 1000 else f"{megabytes:.4g}"
        text = f"{printed} MB, {_times(row['ratio_to_ours'])}"
        _label(axes, max([megabytes, *sizes]), y, f"{text} ({_times(row['ratio_to_paper'])})")
    y = len(compared)
    size, stated = ours["our_bytes"] / _BYTES_PER_MB, ours["paper_bytes"] / _BYTES_PER_MB
    axes.barh(y, size, _HEIGHT, color=style.BLUE)
    axes.scatter(stated, y, **style.PAPER_MARKER)
    _label(axes, max(size, stated), y, f"{size:.3g} MB (paper: {stated:.3g} MB)")
    axes.set_yticks(range(y + 1), [*compared["protocol"], _CHOCO])
    axes.set_ylim(most - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_title(f"{name} (CHOCO: {ours['our_network']})", fontsize=8)
    axes.set_xlabel("Communication (MB)")


def _times(ratio: float) -> str:
    shown = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    return f"{shown}\N{MULTIPLICATION SIGN}"


def _label(axes: Axes, x: float, y: int, text: str) -> None:
    axes.annotate(
        text, (x, y), xytext=(5, 0), textcoords="offset points", va="center", fontsize=6.5
    )


def _legend(protocols: pd.DataFrame) -> list[Patch | Line2D]:
    used = set(protocols.loc[protocols["compared"], "confidence"])
    return [
        Patch(facecolor=style.BLUE, label="CHOCO, ours"),
        Line2D(
            [],
            [],
            linestyle="none",
            marker=style.PAPER_MARKER["marker"],
            markerfacecolor="none",
            markeredgecolor=style.PAPER_MARKER["edgecolor"],
            markersize=5,
            label="CHOCO, paper",
        ),
        *(
            Patch(**_OUTLINE, **look, label=f"published, {confidence}")
            for confidence, look in _LOOKS.items()
            if confidence in used
        ),
        Line2D(
            [],
            [],
            linestyle="none",
            marker="|",
            color=style.BLACK,
            markersize=5,
            label="another network or reading",
        ),
    ]


def _footnote(protocols: pd.DataFrame) -> str:
    numbers = protocols[protocols["confidence"] != NOT_FOUND]
    ours = numbers.drop_duplicates("data_set")
    data = "; ".join(f"{row.our_network}: {row.our_data}" for row in ours.itertuples())
    keys = ", ".join(
        f"{row.our_network} {row.our_key_bytes / _BYTES_PER_MB:.3g} MB" for row in ours.itertuples()
    )
    lines = [
        "Offline and online, both ways, 1 MB = 10$^6$ bytes. In brackets: over the paper's CHOCO. "
        "Networks differ; sources in protocols.csv.",
        f"Ours: counted on a run with ciphertexts; independent of weights and inputs ({data}).",
        f"Not counted: our evaluation keys, sent once for any number of inferences ({keys}).",
    ]
    missing = protocols.loc[protocols["confidence"] == NOT_FOUND, "protocol"]
    if len(missing):
        lines.append(f"No published number found: {', '.join(missing)}.")
    return "\n".join(lines)


def stage(job: Job[Settings]) -> None:
    """Draw Figure 10 into every output."""
    style.save(figure(read_table(job.inputs["protocols"], PROTOCOLS)), *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
