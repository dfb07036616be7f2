"""The one style of all figures: print sizes, colour-blind-safe colours, byte-stable files.

Ours is filled, the paper's value is a hollow marker beside it, a preliminary value is hatched.
"""

from pathlib import Path
from typing import Any

import matplotlib.style as mplstyle
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from models.tables import replacing

# Okabe and Ito, "Color Universal Design" (2008): safe for the common colour deficiencies.
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, BLACK, GREY = "#0072B2", "#D55E00", "#CC79A7", "#000000", "#8C8C8C"

SOFTWARE, ACCELERATOR, COMMUNICATION, LOCAL = ORANGE, BLUE, SKY, GREY

PRELIMINARY_HATCH = "////"
PAPER_MARKER: dict[str, Any] = {
    "marker": "D",
    "facecolor": "none",
    "edgecolor": BLACK,
    "linewidth": 1.0,
    "s": 26,
    "zorder": 5,
}
"""Keyword arguments of ``Axes.scatter`` for a value that the paper states."""

COLUMN_WIDTH_IN = 3.5
PAGE_WIDTH_IN = 7.16
"""Widths of one and two columns in inches, as in two-column proceedings."""

_STYLE = str(Path(__file__).with_name("choco.mplstyle"))


def new_figure(
    width_in: float = COLUMN_WIDTH_IN, height_in: float = 2.4, **subplots: Any
) -> tuple[Figure, Any]:
    """Return a figure in the project's style and its axes (as ``Figure.subplots`` gives them).

    The style is applied while the axes are made, so it does not leak into the user's own plots.
    """
    with mplstyle.context(_STYLE):
        figure = Figure(figsize=(width_in, height_in), layout="constrained")
        return figure, figure.subplots(**subplots)


def footnote(figure: Figure, text: str) -> None:
    """Write one small line under the figure: where its numbers come from."""
    figure.supxlabel(text, fontsize=5.5, color="#555555", x=0.01, ha="left")


def label_bars(axes: Axes, format_: str = "%.3g") -> None:
    """Print each bar's value above it."""
    for container in axes.containers:
        axes.bar_label(container, fmt=format_, fontsize=6, padding=1)  # type: ignore[arg-type]


def save(figure: Figure, *paths: Path) -> None:
    """Write the figure to each path; the suffix chooses the format (pdf, png, svg).

    Files hold no date and no random identifier: the same table gives the same bytes.
    """
    for path in paths:
        no_date = {"CreationDate": None} if path.suffix == ".pdf" else {"Date": None}
        metadata = {} if path.suffix == ".png" else no_date
        with mplstyle.context(_STYLE), replacing(path) as temporary:
            figure.savefig(temporary, metadata=metadata)
