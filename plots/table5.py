"""Table 5 as a figure: the networks, the paper's values beside ours."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from models import paper
from models.config.base import Section
from models.paper import PaperData
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_FONT_SIZE = 6.5
_LINE_IN = 0.19
_MISSING = "not yet"
_PAPER_LINE = "paper"

_LAYERS = ("convolutions", "fully_connected", "activations", "poolings")
_CLAIMED_LAYERS = ("convolution", "fully_connected", "activation", "pooling")


class Settings(Section):
    """Nothing to set."""


@dataclass(frozen=True)
class _Column:
    """A column of the figure.

    Attributes:
        edge: where its text ends, as a fraction of the width.
        ours: its text for a row of a network's summary.
        claim: end of the paper's claim, and the format of its value.
    """

    group: str
    heading: str
    edge: float
    ours: Callable[[Any], str]
    claim: tuple[str, str] | None = None


def _scaled(column: str, scale: float, digits: int) -> Callable[[Any], str]:
    def text(row: Any) -> str:
        value = getattr(row, column)
        if pd.isna(value):
            return _MISSING
        scaled = value * scale
        return f"{scaled:.{digits}f}" if scaled >= 0.1**digits else f"{scaled:.1g}"

    return text


_PARTS: tuple[_Column, ...] = (
    _Column(
        "",
        "conv, fc, act, pool",
        0.235,
        lambda row: ", ".join(str(getattr(row, name)) for name in _LAYERS),
    ),
    _Column("", "MACs (10$^6$)", 0.325, _scaled("macs", 1e-6, 2), ("macs", ".2f")),
    _Column(
        "Model size (MB)",
        "float",
        0.4,
        _scaled("float_model_bytes", 1e-6, 2),
        ("model_size_float", ".2f"),
    ),
    _Column(
        "Model size (MB)",
        "quantized",
        0.475,
        _scaled("quantized_model_bytes", 1e-6, 2),
        ("model_size_4_bit", ".2f"),
    ),
    _Column(
        "Accuracy (%)",
        "float",
        0.555,
        _scaled("accuracy_float", 100, 1),
        ("accuracy_float", ".1f"),
    ),
    _Column(
        "Accuracy (%)", "8 bits", 0.625, _scaled("accuracy_w8a8", 100, 1), ("accuracy_8_bit", ".1f")
    ),
    _Column(
        "Accuracy (%)", "4 bits", 0.695, _scaled("accuracy_w4a4", 100, 1), ("accuracy_4_bit", ".1f")
    ),
    _Column("Ciphertexts", "up", 0.76, lambda row: str(row.encryptions)),
    _Column("Ciphertexts", "down", 0.815, lambda row: str(row.decryptions)),
    _Column(
        "Comm.",
        "(MB)",
        0.9,
        lambda row: f"{(row.upload_bytes + row.download_bytes) / 1e6:.2f}",
        ("communication", ".2f"),
    ),
    _Column("Budget", "left (bits)", 0.994, lambda row: str(row.min_budget_bits)),
)


def figure(summary: pd.DataFrame, claims: PaperData) -> Figure:
    """Draw the figure: a typeset table, two lines a network.

    Args:
        summary: a row of each network's summary; its ``id`` is how the paper's claims name it.
        claims: the paper's numbers.
    """
    lines = 2 * len(summary) + 2
    drawn, axes = style.new_figure(style.PAGE_WIDTH_IN, _LINE_IN * (lines + 3))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(lines, 0)
    _headings(axes)
    for index, row in enumerate(summary.itertuples()):
        line = 2 + 2 * index
        _write(axes, 0.006, line, row.network, "left")
        _write(axes, 0.02, line + 1, _PAPER_LINE, "left", color=style.GREY)
        for column in _PARTS:
            _write(axes, column.edge, line, column.ours(row))
            stated = _stated(column, row.id, claims)
            _write(axes, column.edge, line + 1, stated, color=style.GREY)
    for edge, width in ((0, 1.0), (2, 0.6), (lines, 1.0)):
        axes.axhline(edge, color=style.BLACK, linewidth=width, clip_on=False)
    style.footnote(drawn, _footnote(summary))
    return drawn


def _stated(column: _Column, network: str, claims: PaperData) -> str:
    prefix = f"table5_{network}_"
    if column.claim is not None and prefix + column.claim[0] in claims:
        return f"{claims.value(prefix + column.claim[0]):{column.claim[1]}}"
    if column is _PARTS[0] and f"{prefix}convolution_layers" in claims:
        counts = (claims.value(f"{prefix}{kind}_layers") for kind in _CLAIMED_LAYERS)
        return ", ".join(f"{count:.0f}" for count in counts)
    return ""


def _headings(axes: Axes) -> None:
    _write(axes, 0.006, 1, "Network", "left")
    for column in _PARTS:
        _write(axes, column.edge, 1, column.heading)
    groups = dict.fromkeys(column.group for column in _PARTS if column.group)
    for group in groups:
        edges = [column.edge for column in _PARTS if column.group == group]
        left, right = edges[0] - 0.05, edges[-1]
        if len(edges) > 1:
            _write(axes, (left + right) / 2, 0, group, "center")
            axes.hlines(1.02, left, right, color=style.GREY, linewidth=0.5)
        else:
            _write(axes, right, 0, group)


def _write(
    axes: Axes, x: float, line: int, text: str, ha: Any = "right", color: Any = style.BLACK
) -> None:
    grey = style.GREY if text == _MISSING else color
    axes.text(x, line + 0.55, text, ha=ha, va="center", fontsize=_FONT_SIZE, color=grey)


def _footnote(summary: pd.DataFrame) -> str:
    bits = {(row.weight_bits, row.activation_bits) for row in summary.itertuples()}
    quantized = " or ".join(f"{w}-bit weights, {a}-bit activations" for w, a in sorted(bits))
    notes = [
        f"Sources: {combine(*summary.provenance)}; grey: the paper.",
        f"Ours with {quantized}. Budget left: the least noise budget at any decryption.",
    ]
    shared = summary.groupby(["weights", "data"], sort=False).network.agg(", ".join)
    runs = [f"{names}: {_data(*key)}" for key, names in shared.items()]
    return "\n".join([" ".join(notes), ". ".join(runs) + "."])


def _data(weights: str, data: str) -> str:
    if weights == data:
        return f"{weights} weights and images"
    return f"{weights} weights, {data}" if "synthetic" in weights else f"trained on {weights}"


def stage(job: Job[Settings]) -> None:
    """Draw Table 5 into every output.

    Inputs: ``paper`` (directory); every other one is a network's summary, named as in the claims.
    """
    paths = dict(job.inputs)
    claims = paper.load(paths.pop("paper"))
    summary = pd.concat(
        [read_table(path).assign(id=name) for name, path in paths.items()], ignore_index=True
    )
    style.save(figure(summary, claims), *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
