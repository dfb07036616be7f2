"""Figure 8: encryption time and energy over (N, k), software against the accelerator."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter
from pydantic import Field

from models import paper
from models.comparison import ENCRYPTION_SCALING
from models.config.base import Section
from models.config.platform import Client
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_BAR_WIDTH = 0.38
_PLATFORMS = {"software": -_BAR_WIDTH / 2, "accelerator": _BAR_WIDTH / 2}
_COLORS = {"software": style.SOFTWARE, "accelerator": style.ACCELERATOR}
_PANELS = (("time_s", 1e3, "Encryption time (ms)"), ("energy_j", 1e3, "Encryption energy (mJ)"))

_PAPER_CLAIMS = {
    ("software", "time_s"): ("derived_client_encrypt_time", 1e-3),
    ("accelerator", "time_s"): ("accelerator_encrypt_time", 1e-3),
    ("software", "energy_j"): ("derived_client_encrypt_energy", 1e-3),
    ("accelerator", "energy_j"): ("accelerator_encrypt_energy", 1e-3),
}
"""Claims of the paper at its (8192, 3), and the factor from their unit (ms, mJ) to SI."""
_PAPER_POINT = (8192, "58,58,59")


class Settings(Section):
    """What the figure needs."""

    client: Client = Field(Client(), description="named in the legend")


def figure(scaling: pd.DataFrame, claims: paper.PaperData, client: Client) -> Figure:
    """Draw the figure.

    Args:
        scaling: table ``ENCRYPTION_SCALING``; its encryption rows are drawn, a platform without
            a row is marked "not yet".
        claims: the paper's numbers, drawn as hollow markers.
        client: names the software platform.
    """
    rows = scaling[scaling.operation == "encrypt"]
    points = list(
        dict.fromkeys(
            zip(rows.poly_modulus_degree, rows.coeff_modulus_bits, rows.key_residues, strict=True)
        )
    )
    drawn, panels = style.new_figure(
        width_in=style.PAGE_WIDTH_IN, height_in=2.7, nrows=1, ncols=len(_PANELS)
    )
    for axes, (column, scale, label) in zip(panels, _PANELS, strict=True):
        axes.set_yscale("log")
        axes.set_ylabel(label)
        low, high = rows[column].min() * scale, rows[column].max() * scale
        axes.set_ylim(10 ** np.floor(np.log10(low / 2)), high * 20)  # room for marks below, above
        for x, (n, bits, _) in enumerate(points):
            here = rows[(rows.poly_modulus_degree == n) & (rows.coeff_modulus_bits == bits)]
            costs = here.set_index("platform")
            top = costs[column].max() * scale
            for platform, offset in _PLATFORMS.items():
                if platform in costs.index:
                    _bar(axes, x + offset, costs.loc[platform], column, scale, platform)
                else:
                    _not_yet(axes, x + offset)
                if (n, bits) == _PAPER_POINT:
                    claim, to_si = _PAPER_CLAIMS[platform, column]
                    value = claims.value(claim) * to_si * scale
                    axes.scatter(x + offset, value, **style.PAPER_MARKER)
                    top = max(top, value)
            if set(_PLATFORMS) <= set(costs.index):
                _gain(axes, x, costs[column], top)
        axes.set_xticks(range(len(points)), [f"{n}\n{k}" for n, _, k in points])
        axes.tick_params(axis="x", length=0)
        axes.set_xlabel("polynomial modulus degree N, residues k")
        axes.yaxis.set_major_locator(LogLocator(numticks=20))
        axes.yaxis.set_minor_formatter(NullFormatter())
    drawn.legend(
        handles=_legend(client, rows),
        loc="outside upper center",
        ncols=3,
        fontsize=7,
        frameon=False,
    )
    style.footnote(
        drawn,
        f"Ours: {combine(*dict.fromkeys(rows.provenance))}.\n"
        "Numbers above bars: our gain. Paper, software: stated gain times accelerator.",
    )
    return drawn


def _bar(axes: Axes, x: float, cost: pd.Series, column: str, scale: float, platform: str) -> None:
    predicted = _predicted(platform, cost.provenance)
    axes.bar(
        x,
        cost[column] * scale,
        width=_BAR_WIDTH,
        color=_COLORS[platform],
        edgecolor="white" if predicted else _COLORS[platform],
        linewidth=0,
        hatch=style.PRELIMINARY_HATCH if predicted else None,
    )


def _gain(axes: Axes, x: float, costs: pd.Series, top: float) -> None:
    axes.annotate(
        f"{costs['software'] / costs['accelerator']:,.0f}\N{MULTIPLICATION SIGN}",
        (x + _PLATFORMS["software"], top),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        fontsize=6.5,
    )


def _not_yet(axes: Axes, x: float) -> None:
    axes.text(
        x,
        0.02,
        "not yet",
        transform=axes.get_xaxis_transform(),
        rotation=90,
        ha="center",
        va="bottom",
        fontsize=6,
        color=style.GREY,
    )


def _predicted(platform: str, provenance: str) -> bool:
    """Tell whether a software cost is that of a model instead of a run on the simulated core."""
    return platform == "software" and "gem5" not in provenance


def _legend(client: Client, rows: pd.DataFrame) -> list[Patch | Line2D]:
    software = rows[rows.platform == "software"].provenance
    handles: list[Patch | Line2D] = [
        Patch(facecolor=style.SOFTWARE, label=f"SEAL {client.seal_version} on {client.name} (gem5)")
    ]
    if any(_predicted("software", source) for source in software):
        handles.append(
            Patch(
                facecolor=style.SOFTWARE,
                edgecolor="white",
                linewidth=0,
                hatch=style.PRELIMINARY_HATCH,
                label="predicted",
            )
        )
    return [
        *handles,
        Patch(facecolor=style.ACCELERATOR, label="CHOCO-TACO"),
        Line2D(
            [],
            [],
            linestyle="none",
            marker=style.PAPER_MARKER["marker"],
            markerfacecolor="none",
            markeredgecolor=style.PAPER_MARKER["edgecolor"],
            markersize=5,
            label="paper",
        ),
    ]


def stage(job: Job[Settings]) -> None:
    """Draw Figure 8 into every output."""
    scaling = read_table(job.inputs["scaling"], ENCRYPTION_SCALING)
    drawn = figure(scaling, paper.load(job.inputs["paper"]), job.settings.client)
    style.save(drawn, *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
