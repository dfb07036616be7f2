"""``choco dse``: explore a design space from the command line."""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from models import config as configuration
from models import config_docs
from models.accelerator import dse
from models.accelerator.costs import Costs, CostSettings, load_recorded_costs
from models.accelerator.search import search as search_space
from models.accelerator.selection import SELECTORS, hypervolume, pareto, selector, streamed_pareto
from models.accelerator.space import (
    QUANTITIES,
    Points,
    Sweep,
    chunks,
    count,
    evaluate_all,
    load_sweep,
    take,
    with_axes,
)
from models.cli_errors import one_line_errors
from models.config import Config
from models.errors import ChocoError
from models.tables import write_table
from models.tools import RECORDED

app = typer.Typer(help="Explore a space of accelerator designs.", no_args_is_help=True)

SweepFile = Annotated[Path, typer.Argument(help="sweep file")]
ConfigFile = Annotated[Path, typer.Option("--config", help="configuration file")]
LARGEST_TABLE = 500_000
"""Points that ``run`` writes out; of a larger space, ask for the front."""
DEFAULT_SWEEP = Config().design_space.sweep


@app.command()
def run(
    output: Annotated[Path, typer.Option(help="CSV file to write")],
    sweep_file: SweepFile = DEFAULT_SWEEP,
    config: ConfigFile = config_docs.DEFAULTS,
) -> None:
    """Simulate every point of a space."""
    with one_line_errors():
        sweep, costs, _ = _load(sweep_file, config)
        if sweep.size > LARGEST_TABLE:
            raise ChocoError(
                f"{sweep_file}: {sweep.size} points are too many for a table "
                f"(at most {LARGEST_TABLE}); ask for their front: choco dse pareto"
            )
        points = evaluate_all(sweep, costs.technology)
        write_table(dse.space_table(sweep, points, dse.source_of(costs)), output, dse.SPACE)
    typer.echo(f"{output}: {count(points)} of {sweep.size} points")


@app.command("pareto")
def show_pareto(
    sweep_file: SweepFile = DEFAULT_SWEEP, config: ConfigFile = config_docs.DEFAULTS
) -> None:
    """Show the Pareto front of a space of any size."""
    with one_line_errors():
        sweep, costs, _ = _load(sweep_file, config)
        front = streamed_pareto(chunks(sweep, costs.technology), sweep.minimize)
    front = take(front, np.argsort(front[sweep.minimize[0]], kind="stable"))
    _print(with_axes(sweep, front))
    objectives = ", ".join(sweep.minimize)
    typer.echo(f"{count(front)} of {sweep.size} points; minimized: {objectives}")


@app.command()
def select(
    sweep_file: SweepFile = DEFAULT_SWEEP,
    rule: Annotated[str, typer.Option(help=f"selection rule: {', '.join(SELECTORS)}")] = "",
    config: ConfigFile = config_docs.DEFAULTS,
) -> None:
    """Choose a point of a space by a rule; without one, by the configuration's."""
    with one_line_errors():
        sweep, costs, settings = _load(sweep_file, config)
        limits = settings.design_space
        choose = selector(rule or limits.rule)
        points = evaluate_all(sweep, costs.technology)
        chosen = take(points, np.array([choose(points, limits)]))
    _print(with_axes(sweep, chosen))


@app.command()
def search(
    sweep_file: SweepFile = Path("config/sweeps/beyond_space.yaml"),
    minimize: Annotated[str, typer.Option(help=", ".join(QUANTITIES))] = "time_s",
    config: ConfigFile = config_docs.DEFAULTS,
) -> None:
    """Search a space that is too large to enumerate, within the limit of power."""
    with one_line_errors():
        if minimize not in QUANTITIES:
            raise ChocoError(f"no quantity {minimize!r}; there are {', '.join(QUANTITIES)}")
        sweep, costs, settings = _load(sweep_file, config)
        found = search_space(
            sweep,
            lambda points: points[minimize],
            costs.technology,
            settings.design_space,
            settings.seed,
        )
    _print(with_axes(sweep, found))


@app.command()
def benchmark(
    repetitions: Annotated[int, typer.Option(min=1)] = 5,
    small: Annotated[Path, typer.Option(help="sweep held in memory")] = DEFAULT_SWEEP,
    large: Annotated[Path, typer.Option(help="sweep run in chunks")] = Path(
        "config/sweeps/large_space.yaml"
    ),
    config: ConfigFile = config_docs.DEFAULTS,
) -> None:
    """Time a whole study of a small space, and points a second on a large one."""
    with one_line_errors():
        sweep, costs, settings = _load(small, config)
        unlimited = settings.design_space.model_copy(update={"power_limit_w": np.inf})
        for _ in range(repetitions):
            begin = time.perf_counter()
            points = evaluate_all(sweep, costs.technology)
            front = pareto(points, sweep.minimize)
            hypervolume(front, sweep.minimize, points)
            SELECTORS[unlimited.rule](points, unlimited)  # all points take part
            elapsed = time.perf_counter() - begin
            typer.echo(f"{sweep.size} points, front, selection: {elapsed:.3f} s")
        sweep = load_sweep(large)
        for _ in range(repetitions):
            begin = time.perf_counter()
            streamed_pareto(chunks(sweep, costs.technology), sweep.minimize)
            rate = sweep.size / (time.perf_counter() - begin)
            typer.echo(f"{sweep.size} points in chunks, front: {rate / 1e6:.2f} million points/s")


def _load(sweep_file: Path, config: Path) -> tuple[Sweep, Costs, Config]:
    settings = configuration.load(config)
    costs = load_recorded_costs(
        RECORDED, CostSettings(technology=settings.technology, memory=settings.memory)
    )
    return load_sweep(sweep_file), costs, settings


def _print(points: Points) -> None:
    table = pd.DataFrame(points).drop(columns="number")
    typer.echo(table.to_string(index=False, float_format=lambda value: f"{value:.4g}"))
