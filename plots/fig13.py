"""Figure 13: communication of client-aided PageRank, every split of every total."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from pydantic import Field

from models.config.base import Section
from models.pagerank import COMMUNICATION
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_SCHEMES = {
    "bfv": ("BFV", style.BLUE, style.VERMILION, -0.16),
    "ckks": ("CKKS", style.GREEN, style.YELLOW, 0.16),
}
"""Name, colour of the dots, colour of the optima (the paper's are red and gold), offset."""

_SUPPORTED = "N \N{LESS-THAN OR EQUAL TO} 8192, k \N{LESS-THAN OR EQUAL TO} 3"


class Settings(Section):
    """What the figure says of its run."""

    profile: str = Field("full", description="named on the figure unless full")


def figure(communication: pd.DataFrame, profile: str = "full") -> Figure:
    """Draw the figure from table ``COMMUNICATION``.

    Filled dots are splits whose parameters the accelerator supports, hollow ones need larger; a
    large diamond is the split of a total that communicates least, a small one the best of those
    that the accelerator supports, where that is another.
    """
    drawn, axes = style.new_figure(width_in=style.PAGE_WIDTH_IN, height_in=3.4)
    for scheme, (name, color, best_color, offset) in _SCHEMES.items():
        rows = communication[communication.scheme == scheme]
        for supported, face in ((False, "none"), (True, color)):
            chosen = rows[(rows.hardware_compatible == supported) & ~rows.optimal]
            axes.scatter(
                chosen.total_iterations + offset,
                chosen.total_bytes / 1e6,
                s=9,
                marker="o",
                facecolor=face,
                edgecolor=color,
                linewidth=0.6,
                label=f"{name}, {_SUPPORTED if supported else 'larger N or k'}",
            )
        second, best = rows[rows.hardware_optimal & ~rows.optimal], rows[rows.optimal]
        for chosen, size, face, which in (
            (second, 16, color, f"optimal at {_SUPPORTED}"),
            (best, 30, best_color, "optimal client-aided"),
        ):
            if not chosen.empty:
                axes.scatter(
                    chosen.total_iterations + offset,
                    chosen.total_bytes / 1e6,
                    s=size,
                    marker="D",
                    facecolor=face,
                    edgecolor=style.BLACK,
                    linewidth=0.5,
                    zorder=3,
                    label=f"{name}, {which}",
                )
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(0, communication.total_iterations.max() + 1)
    axes.set_xlabel("total PageRank iterations")
    axes.set_ylabel("total communication (MB)")
    drawn.legend(loc="outside upper center", ncols=2, fontsize=7, frameon=False)
    best = communication[communication.optimal]
    larger = sum(~best.hardware_compatible)
    largest = communication.groupby("scheme").iterations_per_set.max()
    held = ", ".join(f"{_SCHEMES[scheme][0]} {size}" for scheme, size in largest.items())
    reduced = "" if profile == "full" else f" Profile {profile}: fewer totals, smaller N."
    style.footnote(
        drawn,
        f"Ours: {combine(*dict.fromkeys(communication.provenance))}. One dot a split into encrypted"
        f" sets; ciphertexts both ways, evaluation keys not counted.{reduced}\n"
        f"Optima that need more than {_SUPPORTED}: {larger} of {len(best)}. Iterations of the"
        f" largest set: {held}.",
    )
    return drawn


def stage(job: Job[Settings]) -> None:
    """Draw Figure 13 into every output."""
    communication = read_table(job.inputs["communication"], COMMUNICATION)
    style.save(figure(communication, job.settings.profile), *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
