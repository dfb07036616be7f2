"""Figure 4: windowed rotation by masking and by rotational redundancy: noise, operations, time."""

from itertools import product

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from models.config.base import Section
from models.permutation_schema import METHODS, WINDOWED_ROTATION, WINDOWED_ROTATION_TIMINGS
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_COLORS = dict(zip(METHODS, (style.ORANGE, style.BLUE), strict=True))
_NAMES = {"masking": "masking", "redundancy": "rotational redundancy"}
_MARKERS = "os^vDP"
_OPERATIONS = {
    "rotations": "rotation",
    "plain_multiplications": "plaintext product",
    "additions": "addition",
    "ntts": "NTT",
    "intts": "inverse NTT",
}
_WIDTH = 0.38


class Settings(Section):
    """Nothing to set."""


def stage(job: Job[Settings]) -> None:
    """Draw ``rotations`` and ``timings``, one file for each output."""
    rotations = read_table(job.inputs["rotations"], WINDOWED_ROTATION)
    timings = read_table(job.inputs["timings"], WINDOWED_ROTATION_TIMINGS)
    style.save(figure(rotations, timings), *job.outputs.values())


def figure(rotations: pd.DataFrame, timings: pd.DataFrame) -> Figure:
    """Draw the figure.

    Args:
        rotations: schema ``WINDOWED_ROTATION``. A line is the smallest budget over windows, whose
            budgets differ by some bits of chance; a cross is where none is left.
        timings: schema ``WINDOWED_ROTATION_TIMINGS``; of each parameter set, the median over
            windows, as a rotation takes the same time whatever the window.
    """
    drawn, axes = style.new_figure(style.PAGE_WIDTH_IN, 2.7, ncols=3, width_ratios=(2.4, 1.5, 1.1))
    sets = list(rotations["parameter_set"].unique())
    _draw_budgets(axes[0], rotations, sets)
    _draw_operations(axes[1], rotations)
    _draw_times(axes[2], timings, sets)
    drawn.legend(
        handles=_legend(rotations), loc="outside upper center", ncols=3, fontsize=7, frameon=False
    )
    style.footnote(drawn, _footnote(rotations, timings))
    return drawn


def survived(rotations: pd.DataFrame) -> pd.Series:
    """Return the windowed rotations after which every window still has noise budget.

    Index: parameter_set, method.
    """
    alive = rotations[rotations["budget_bits"] > 0]
    by_window = alive.groupby(["parameter_set", "method", "window_slots"])["consecutive"].max()
    fewest: pd.Series = by_window.groupby(["parameter_set", "method"]).min()
    return fewest


def _draw_budgets(axes: Axes, rotations: pd.DataFrame, sets: list[str]) -> None:
    longest = rotations["consecutive"].max()
    counts = survived(rotations)
    for (name, method), lines in rotations.groupby(["parameter_set", "method"]):
        line = lines.groupby("consecutive")["budget_bits"].min()
        color, marker = _COLORS[method], _MARKERS[sets.index(name)]
        shown = line[[n for n in line.index if n < 4 or n & (n - 1) == 0 or n == longest]]
        axes.plot(line.index, line, color=color, zorder=2)
        left = shown[shown > 0]
        axes.plot(left.index, left, linestyle="none", marker=marker, markersize=4, color=color)
        predicted = lines.groupby("consecutive")["predicted_bits"].median()
        axes.plot(predicted.index, predicted, color=style.BLACK, lw=0.7, linestyle=":", zorder=3)
        if not line.iloc[-1]:
            axes.plot(line.index[-1], 0, marker="x", markersize=5, color=color, clip_on=False)
        survives = counts[name, method]
        more = "" if line.index[-1] > survives else " or more"
        axes.annotate(
            f"{name}: {survives}{more}",
            (survives, line[survives]),
            xytext=(0, 7) if more else (-7, 1),
            textcoords="offset points",
            ha="right",
            fontsize=6.5,
            color=color,
        )
    axes.set_xscale("symlog", base=2, linthresh=1, linscale=0.8)
    ticks = [0, *(2**power for power in range(int(longest).bit_length()) if 2**power <= longest)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:g}"))
    axes.set_xlim(-0.15, longest * 1.25)
    axes.set_ylim(0, 1.12 * rotations["budget_bits"].max())
    axes.set_xlabel("Consecutive windowed rotations")
    axes.set_ylabel("Noise budget (bits)")


def _draw_operations(axes: Axes, rotations: pd.DataFrame) -> None:
    done = rotations[rotations["consecutive"] > 0]
    for (index, method), (row, column) in product(enumerate(METHODS), enumerate(_OPERATIONS)):
        count = done.loc[done["method"] == method, column].max()
        if pd.isna(count):
            continue
        y = row + (index - 0.5) * _WIDTH
        axes.barh(y, count, _WIDTH, color=_COLORS[method])
        axes.annotate(
            f"{count:g}",
            (count, y),
            xytext=(2, 0),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
        )
    axes.set_yticks(range(len(_OPERATIONS)), list(_OPERATIONS.values()))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, 1.2 * done[list(_OPERATIONS)].to_numpy().max())
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Operations per windowed rotation")


def _draw_times(axes: Axes, timings: pd.DataFrame, sets: list[str]) -> None:
    grouped = timings.groupby(["parameter_set", "method"])
    times, smallest = grouped["time_s"].median() * 1e3, grouped["time_min_s"].min() * 1e3
    for (x, name), (index, method) in product(enumerate(sets), enumerate(METHODS)):
        if (name, method) in times.index:
            time_ms = times[name, method]
            at = x + (index - 0.5) * _WIDTH
            axes.bar(at, time_ms, _WIDTH, color=_COLORS[method])
            ends = (at - _WIDTH / 2, at + _WIDTH / 2)
            axes.hlines(smallest[name, method], *ends, color=style.BLACK, lw=1.0)
            axes.annotate(
                f"{time_ms:.3g}",
                (at, time_ms),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=6.5,
            )
    axes.set_xticks(range(len(sets)), sets)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 1.15 * times.max())
    axes.set_ylabel("Server time of it (ms)")
    axes.set_xlabel("Parameter set")


def _legend(rotations: pd.DataFrame) -> list[Patch | Line2D]:
    methods: list[Patch | Line2D] = [
        Patch(facecolor=_COLORS[method], label=_NAMES[method])
        for method in METHODS
        if method in set(rotations["method"])
    ]
    sets = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markersize=4,
            color=style.GREY,
            label=f"{cell.parameter_set}: N = {cell.poly_modulus_degree}, "
            f"{{{cell.coeff_modulus_bits}}}, log$_2$ t = {cell.log2_t:g}",
        )
        for cell, marker in zip(
            rotations.drop_duplicates("parameter_set").itertuples(), _MARKERS, strict=False
        )
    ]
    return [
        *methods,
        Line2D([], [], color=style.BLACK, lw=0.7, linestyle=":", label="predicted"),
        Line2D([], [], linestyle="none", marker="x", color=style.GREY, label="no budget left"),
        *sets,
    ]


def _footnote(rotations: pd.DataFrame, timings: pd.DataFrame) -> str:
    windows = ", ".join(map(str, sorted(rotations["window_slots"].unique())))
    redundant = rotations.loc[rotations["method"] == "redundancy", "slots_per_value"]
    slots = f" Redundancy takes {redundant.max():.2g} slots a value, masking 1." * bool(
        len(redundant)
    )
    return (
        f"Sources: {combine(*rotations['provenance'])}; times measured on this machine, "
        f"{timings['repetitions'].min()} repetitions: median (bar), smallest (line). "
        "NTTs inside a rotation are not counted.\n"
        f"Windows of {windows} slots, smallest budget.{slots} "
        "Every ciphertext with budget left decrypted to the right values."
    )


if __name__ == "__main__":
    run_stage(stage, Settings)
