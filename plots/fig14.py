"""Figure 14: the client's end-to-end time and energy of one inference, by component."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.typing import ColorType

from models import paper
from models.config.base import Section
from models.offload import INFERENCE
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_PANELS = (("time_s", 1e3, "ms", "Time (ms)"), ("energy_j", 1e3, "mJ", "Energy (mJ)"))
_SYSTEMS = {
    "local_tflite": "local, float32",
    "local_int8": "local, int8",
    "choco_software": "CHOCO, software",
    "choco_taco": "CHOCO-TACO",
}
_CLAIM_NAMES = {
    "LeNetSm": "lenet_sm",
    "LeNetLg": "lenet_lg",
    "SqzNet": "sqznet",
    "VGG16": "vgg16",
}
"""How the ids of the paper's claims name its networks."""
_COMPONENTS: dict[str, tuple[str, ColorType]] = {
    "encrypt": ("encode, encrypt", style.ORANGE),
    "decrypt": ("decrypt, decode", style.YELLOW),
    "client_plain": ("plain operations", style.PURPLE),
    "local_compute": ("local inference", style.GREEN),
    "communication": ("communication", style.SKY),
}
_PLAIN = {"client_plain"}
_PAPER_CLAIMS = {
    "time_s": ("derived_{}_communication_time", 1.0),
    "energy_j": ("derived_{}_communication_energy", 1e-3),
}
"""Claims of the paper by network, and the factor from their unit (s, mJ) to SI."""


class Settings(Section):
    """The figure needs nothing but its table."""


def figure(inference: pd.DataFrame, claims: paper.PaperData) -> Figure:
    """Draw the figure.

    Args:
        inference: table ``INFERENCE``; a system without rows is marked "not yet".
        claims: the paper's numbers; its communication is drawn as a hollow marker.
    """
    networks = list(dict.fromkeys(inference.network))
    drawn, grid = style.new_figure(
        width_in=style.PAGE_WIDTH_IN,
        height_in=1.0 + 1.25 * len(networks),
        nrows=len(networks),
        ncols=len(_PANELS),
        sharey=True,
        squeeze=False,
    )
    for network, row in zip(networks, grid, strict=True):
        here = inference[inference.network == network]
        for axes, panel in zip(row, _PANELS, strict=True):
            _panel(axes, here, panel, claims)
        row[0].set_title(network, loc="left", fontsize=8)
    for axes, (*_, label) in zip(grid[-1], _PANELS, strict=True):
        axes.set_xlabel(label)
    grid[0][0].set_yticks(range(len(_SYSTEMS)), list(_SYSTEMS.values()))
    grid[0][0].set_ylim(len(_SYSTEMS) - 0.5, -0.5)
    drawn.legend(
        handles=_legend(inference), loc="outside upper center", ncols=5, fontsize=7, frameon=False
    )
    sources = combine(*dict.fromkeys(inference.provenance))
    notes = [textwrap.fill(f"{sources}.", 150)]
    offloading = inference[inference.system.str.startswith("choco")]
    if not offloading.groupby(["network", "system"]).component.agg(set).map(_PLAIN.issubset).all():
        notes.append(
            "Not counted everywhere: the client's plain operations (activation, pooling, "
            "requantization)."
        )
    made_up = inference.weights.str.contains("synthetic")
    if made_up.any():
        named = " and ".join(dict.fromkeys(inference[made_up].network))
        notes.append(f"{named}: with synthetic weights; no count of the client depends on them.")
    style.footnote(drawn, "\n".join(notes))
    return drawn


def _panel(
    axes: Axes, inference: pd.DataFrame, panel: tuple[str, float, str, str], claims: paper.PaperData
) -> None:
    """Draw the systems of one network; every network has a scale of its own."""
    column, scale, unit, _ = panel
    network = inference.network.iloc[0]
    claim, to_si = _PAPER_CLAIMS[column]
    stated = claim.format(_CLAIM_NAMES.get(network))
    value = claims.value(stated) * to_si * scale if stated in claims else 0.0
    longest = max(inference.groupby("system")[column].sum().max() * scale, value)
    axes.set_xlim(0, longest * 2)  # room for the totals
    for y, system in enumerate(_SYSTEMS):
        here = inference[inference.system == system]
        if here.empty:
            axes.text(longest / 100, y, "not yet", va="center", fontsize=6.5, color=style.GREY)
            continue
        parts = here.set_index("component")[column] * scale
        _stacked_bar(axes, y, parts, here)
        end = parts.sum()
        if system == "choco_taco" and value:
            axes.scatter(value, y, **style.PAPER_MARKER)
            end = max(end, value)
        computing = parts.drop("communication", errors="ignore").sum()
        text = f"{_number(parts.sum())} {unit}"
        if computing < parts.sum():
            text += f" ({_number(computing)} {unit} computing)"
        axes.annotate(
            text,
            (end, y),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
        )
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _stacked_bar(axes: Axes, y: int, parts: pd.Series, rows: pd.DataFrame) -> None:
    sources = rows.set_index("component").provenance
    start = 0.0
    for component, (_, color) in _COMPONENTS.items():
        if component in parts.index:
            preliminary = "preliminary" in sources[component]
            axes.barh(
                y,
                parts[component],
                left=start,
                height=0.62,
                color=color,
                edgecolor=style.BLACK if preliminary else color,
                linewidth=0,
                hatch=style.PRELIMINARY_HATCH if preliminary else None,
            )
            start += parts[component]


def _legend(inference: pd.DataFrame) -> list[Patch | Line2D]:
    shown = set(inference.component)
    marker = Line2D(
        [],
        [],
        linestyle="none",
        marker=style.PAPER_MARKER["marker"],
        markerfacecolor="none",
        markeredgecolor=style.PAPER_MARKER["edgecolor"],
        markersize=5,
        label="paper, communication alone",
    )
    handles: list[Patch | Line2D] = [
        Patch(facecolor=color, label=label)
        for component, (label, color) in _COMPONENTS.items()
        if component in shown
    ]
    if inference.provenance.str.contains("preliminary").any():
        handles.append(
            Patch(
                facecolor="none",
                edgecolor=style.BLACK,
                linewidth=0.4,
                hatch=style.PRELIMINARY_HATCH,
                label="preliminary",
            )
        )
    return [*handles, marker]


def stage(job: Job[Settings]) -> None:
    """Draw Figure 14 into every output."""
    inference = read_table(job.inputs["inference"], INFERENCE)
    style.save(figure(inference, paper.load(job.inputs["paper"])), *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
