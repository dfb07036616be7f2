"""Where the accelerator's time, area and energy go, at the configured design point."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from models.accelerator.machine import MODULES
from models.accelerator.operations import ACCELERATOR_AREA, ACCELERATOR_BREAKDOWN
from models.accelerator.schedule import PHASES
from models.accelerator.simulator import KINDS
from models.config import Config
from models.config.base import Section
from models.parameters import ParameterSet
from models.stage import Job, run_stage
from models.tables import read_table
from plots import style

_PHASE_COLORS = {
    "sample": style.YELLOW,
    "load": style.ORANGE,
    "ntt": style.SKY,
    "product": style.GREEN,
    "intt": style.BLUE,
    "addition": style.PURPLE,
    "encode": style.GREY,
    "decode": style.VERMILION,
    "control": style.BLACK,
}
_KIND_COLORS = {
    "logic": style.BLUE,
    "clock": style.SKY,
    "memory": style.GREEN,
    "leakage": style.GREY,
}
_NAMES = {
    "random_generator": "generator",
    "transform": "NTT, INTT",
    "dyadic_product": "product, keys",
    "polynomial_addition": "addition",
    "modulus_switch": "modulus switch",
    "message_encoding": "message",
    "streams": "streams",
    "control": "control",
}
_PHASE_NAMES = {
    "sample": "sample u",
    "load": "load c1",
    "ntt": "NTT",
    "product": "product",
    "intt": "INTT",
    "addition": "add, switch",
    "encode": "wait for message",
    "decode": "decode",
    "control": "fill",
}


class Settings(Section):
    """What the figure needs."""

    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named HE parameter sets"
    )
    parameter_set: str = Field("A", description="the one that is drawn")


def figure(breakdown: pd.DataFrame, area: pd.DataFrame, parameters: ParameterSet) -> Figure:
    """Draw the figure.

    Args:
        breakdown: table ``ACCELERATOR_BREAKDOWN``.
        area: table ``ACCELERATOR_AREA``.
        parameters: the HE parameters that are drawn.
    """
    breakdown, area = _at(breakdown, parameters), _at(area, parameters)
    drawn, panels = style.new_figure(
        width_in=style.PAGE_WIDTH_IN,
        height_in=2.7,
        nrows=1,
        ncols=3,
        gridspec_kw={"width_ratios": (0.8, 1, 1)},
    )
    _time(panels[0], breakdown)
    _modules(
        panels[1],
        {
            kind: area[area.kind == kind].groupby("module").area_m2.sum() * 1e6
            for kind in ("logic", "memory")
        },
        "Area (mm\N{SUPERSCRIPT TWO})",
    )
    encrypt = breakdown[breakdown.operation == "encrypt"]
    _modules(
        panels[2],
        {kind: encrypt.groupby("module")[f"{kind}_j"].sum() * 1e6 for kind in KINDS},
        "Energy of an encryption (\N{MICRO SIGN}J)",
    )
    panels[2].set_yticklabels([])
    n, k = parameters.poly_modulus_degree, parameters.key_residues
    style.footnote(
        drawn, f"{parameters.scheme.upper()}, N = {n}, k = {k}. {breakdown.provenance.iloc[0]}."
    )
    return drawn


def _at(table: pd.DataFrame, parameters: ParameterSet) -> pd.DataFrame:
    bits = ",".join(map(str, parameters.coeff_modulus_bits))
    here = table[
        (table.poly_modulus_degree == parameters.poly_modulus_degree)
        & (table.coeff_modulus_bits == bits)
    ]
    return here[here.scheme == parameters.scheme] if "scheme" in here else here


def _time(axes: Axes, breakdown: pd.DataFrame) -> None:
    """Stack the phases of encryption and decryption, in per cent."""
    operations = ("encrypt", "decrypt")
    for place, operation in enumerate(operations):
        phases = breakdown[breakdown.operation == operation].groupby("phase").cycles.max()
        bottom = 0.0
        for phase in PHASES:
            share = 100 * phases.get(phase, 0.0) / phases.sum()
            axes.bar(place, share, bottom=bottom, width=0.6, color=_PHASE_COLORS[phase])
            if share > 4:
                axes.text(
                    place,
                    bottom + share / 2,
                    _PHASE_NAMES[phase],
                    ha="center",
                    va="center",
                    fontsize=6,
                    color=style.BLACK if phase in ("sample", "ntt", "load") else "white",
                )
            bottom += share
    axes.set_xticks(range(len(operations)), operations)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 100)
    axes.set_ylabel("Time (%)")


def _modules(axes: Axes, kinds: dict[str, pd.Series], label: str) -> None:
    """Stack what each module costs, one bar a module."""
    left = np.zeros(len(MODULES))
    for kind, costs in kinds.items():
        width = costs.reindex(list(MODULES), fill_value=0.0).to_numpy()
        axes.barh(range(len(MODULES)), width, left=left, color=_KIND_COLORS[kind], label=kind)
        left += width
    for place, total in enumerate(left):
        axes.text(total, place, f" {100 * total / left.sum():.0f}%", va="center", fontsize=6)
    axes.set_xlim(0, 1.15 * left.max())
    axes.set_yticks(range(len(MODULES)), [_NAMES[module] for module in MODULES])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.legend(loc="lower right", fontsize=6, frameon=False)


def stage(job: Job[Settings]) -> None:
    """Draw the breakdown into every output."""
    drawn = figure(
        read_table(job.inputs["breakdown"], ACCELERATOR_BREAKDOWN),
        read_table(job.inputs["area"], ACCELERATOR_AREA),
        job.settings.parameter_sets[job.settings.parameter_set],
    )
    style.save(drawn, *job.outputs.values())


if __name__ == "__main__":
    run_stage(stage, Settings)
