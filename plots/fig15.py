"""Figure 15: communication against computation of single layers, and which pay to offload."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from models import paper
from models.communication import break_even_macs_per_byte
from models.communication_schema import LAYERS, MICROBENCHMARK
from models.config.base import Section
from models.config.platform import Client, Radio
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_LOCAL_RATE = "derived_local_inference_rate"
_BYTES_PER_MB = 1e6
_DIAGONALS = (0.1, 1, 10, 100, 1000)
"""Millions of MACs per MB."""
_NETWORKS = {"VGG16": ("o", style.BLUE), "SqzNet": ("s", style.VERMILION)}
_OTHERS = ("^", style.PURPLE)
_KERNEL_MARKERS = {1: "x", 3: "+"}
_LINE: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.9, "linestyle": "--"}


class Settings(Section):
    """What the break-even depends on."""

    client: Client = Field(Client(), description="its active power is that of local inference")
    radio: Radio = Field(Radio(), description="the link to the server")


def figure(layers: pd.DataFrame, break_even: float) -> Figure:
    """Draw the figure.

    Args:
        layers: schema ``LAYERS``.
        break_even: MACs per byte below which the radio takes more energy than local inference.
    """
    drawn, (plane, bars) = style.new_figure(
        style.PAGE_WIDTH_IN, 3.4, ncols=2, width_ratios=(1.25, 1)
    )
    _plane(plane, layers, break_even)
    _bars(bars, layers[layers["workload"] != MICROBENCHMARK], break_even)
    drawn.legend(loc="outside upper center", ncols=5, fontsize=7, frameon=False)
    style.footnote(drawn, _footnote(layers))
    return drawn


def _networks(layers: pd.DataFrame) -> list[str]:
    return [name for name in layers["workload"].unique() if name != MICROBENCHMARK]


def _plane(axes: Axes, layers: pd.DataFrame, break_even: float) -> None:
    grid = layers[layers["workload"] == MICROBENCHMARK]
    for kernel, points in grid.groupby("kernel"):
        axes.scatter(
            points["macs"],
            points["communication_bytes"] / _BYTES_PER_MB,
            marker=_KERNEL_MARKERS.get(int(kernel), "*"),
            s=18,
            linewidth=0.8,
            color=style.GREY,
            label=f"microbenchmark, {kernel}x{kernel}",
        )
    for name in _networks(layers):
        marker, color = _NETWORKS.get(name, _OTHERS)
        points = layers[layers["workload"] == name]
        axes.scatter(
            points["macs"],
            points["communication_bytes"] / _BYTES_PER_MB,
            marker=marker,
            s=20,
            color=color,
            edgecolor=style.BLACK,
            linewidth=0.4,
            zorder=3,
            label=name,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = layers["macs"].min() / 1.6, layers["macs"].max() * 1.6
    bottom = layers["communication_bytes"].min() / _BYTES_PER_MB / 2
    top = layers["communication_bytes"].max() / _BYTES_PER_MB * 1.6
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
    ends = np.array([low, high])
    for millions in _DIAGONALS:
        axes.plot(ends, ends / (millions * 1e6), color=style.GREY, linewidth=0.5, zorder=1)
        x = min(high, top * millions * 1e6) / 1.15
        y = x / (millions * 1e6)
        if low < x and y > bottom * 1.5:
            axes.text(x, y, f"{millions:g}", ha="right", va="bottom", fontsize=6, color="#555555")
    axes.plot(ends, ends / (break_even * _BYTES_PER_MB), zorder=2, label="break-even", **_LINE)
    axes.grid(axis="both")
    axes.set_xlabel("Computation (MACs)")
    axes.set_ylabel("Communication (MB)")
    axes.set_title("Diagonals: million MACs per MB", fontsize=8)


def _bars(axes: Axes, layers: pd.DataFrame, break_even: float) -> None:
    start, ticks, names = 0, [], []
    for name in _networks(layers):
        here = layers[layers["workload"] == name]
        color = _NETWORKS.get(name, _OTHERS)[1]
        y = np.arange(start, start + len(here))
        density = here["macs_per_byte"].to_numpy()
        pays = density >= break_even
        axes.barh(y[pays], density[pays], 0.7, color=color)
        axes.barh(y[~pays], density[~pays], 0.7, facecolor="white", edgecolor=color, linewidth=0.8)
        ticks += [*y]
        names += [*here["layer"]]
        start += len(here) + 1
    axes.axvline(break_even, **_LINE)
    axes.annotate(
        f"break-even\n{break_even:.2g} million",
        (break_even, start - 1),
        xytext=(3, 0),
        textcoords="offset points",
        va="bottom",
        fontsize=6,
    )
    axes.set_xscale("log")
    axes.set_yticks(ticks, names, fontsize=5.5)
    axes.set_ylim(start - 0.4, -0.8)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Million MACs per MB (hollow: below break-even)")


def _footnote(layers: pd.DataFrame) -> str:
    totals = layers.groupby("workload", sort=False)[["macs", "communication_bytes"]].sum()
    density = totals["macs"] / totals["communication_bytes"]
    wholes = ", ".join(f"{name} {density[name]:.3g}" for name in _networks(layers))
    return (
        f"{combine(*layers['provenance'].unique())}; 1 MB = 10$^6$ bytes of ciphertexts, both "
        f"ways. Whole networks, million MACs per MB: {wholes}.\n"
        "Break-even: energy of the radio alone equals that of computing on the client, at the rate "
        "of local inference that the paper's\nenergy and time of VGG16 imply; no measured local "
        "inference yet."
    )


def stage(job: Job[Settings]) -> None:
    """Draw Figure 15 into every output."""
    rate = 1e6 * paper.load(job.inputs["paper"]).value(_LOCAL_RATE)
    break_even = break_even_macs_per_byte(job.settings.client, job.settings.radio, rate)
    drawn = figure(read_table(job.inputs["layers"], LAYERS), break_even)
    style.save(drawn, *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
