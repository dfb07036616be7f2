import pytest
from typer.testing import CliRunner

from models import paper
from models.accelerator import dse
from models.accelerator.search import best_of, better_than
from models.accelerator.selection import SELECTORS
from models.accelerator.space import evaluate_all, load_sweep
from models.cli import app
from models.config.platform import Accelerator, DesignSpace
from models.memory.arrays import SRAM_ARRAYS
from models.memory.table import recorded_arrays
from models.recorded import MANIFEST
from models.stage import Job
from models.tables import read_table, write_table

from .conftest import RECORDED, SWEEPS

ROOT = RECORDED.parents[1]
LIMITS = DesignSpace(power_limit_w=10)
SMALL = """
description: small
parameters: {poly_modulus_degree: 4096, coeff_modulus_bits: [36, 36, 37]}
axes: {butterflies: [1, 2, 4], lanes: [1, 2]}
check_clock: false
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def choco(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    config = tmp_path / "config.yaml"
    config.write_text("design_space: {power_limit_w: 10}")

    def run(command, *arguments):
        return CliRunner().invoke(
            app, ["dse", command, *map(str, arguments), "--config", str(config)]
        )

    return run


def test_the_stage_writes_the_space_its_front_and_the_chosen_points(tmp_path, small):
    write_table(recorded_arrays(RECORDED / "destiny"), tmp_path / "arrays.csv", SRAM_ARRAYS)
    inputs = {
        "blocks": RECORDED / "synthesis" / MANIFEST,
        "arrays": tmp_path / "arrays.csv",
        "sweep": small,
        "beyond": small,
        "paper": ROOT / "results/paper",
    }
    outputs = {name: tmp_path / f"{name}.csv" for name in ("space", "selected", "summary")}
    settings = dse.Settings(accelerator=Accelerator(adders=2), design_space=LIMITS)
    dse.stage(Job(settings, inputs, outputs))
    space = read_table(outputs["space"], dse.SPACE)
    assert len(space) == 6
    assert 0 < space.pareto.sum() <= 6
    selected = read_table(outputs["selected"], dse.SELECTED).set_index("choice")
    clocks = {"configured", "fastest_clock", "clock_at_power_limit"}
    assert set(selected.index) == {*SELECTORS, "best", "search"} | clocks
    assert selected.clock_hz["fastest_clock"] >= selected.clock_hz["clock_at_power_limit"]
    assert selected.power_w["clock_at_power_limit"] <= 10 * (1 + 1e-9)
    same_cycles = selected.time_s["configured"] * selected.clock_hz["configured"]
    assert selected.time_s["fastest_clock"] * selected.clock_hz["fastest_clock"] == pytest.approx(
        same_cycles
    )
    assert selected.adders["configured"] == 2
    assert selected.time_s["fastest"] == space.time_s.min()
    # So small a space is searched whole.
    assert selected.time_s["search"] == pytest.approx(selected.time_s["best"])
    summary = read_table(outputs["summary"], dse.SUMMARY).set_index("quantity").value
    assert summary["points"] == 6
    assert summary["pareto_points"] == space.pareto.sum()
    assert summary["least_energy"] == pytest.approx(space.energy_j.min())
    assert summary["points_within_power"] == len(space)
    assert 0 < summary["hypervolume"] <= 1


def test_the_best_point_is_nearest_to_beating_the_papers_in_time_and_energy(technology):
    claims = paper.load(ROOT / "results/paper")
    stated = claims.value("accelerator_encrypt_time"), claims.value("accelerator_encrypt_energy")
    goal = better_than(*(value * 1e-3 for value in stated))
    points = evaluate_all(load_sweep(SWEEPS / "paper_space.yaml"), technology)
    limits = LIMITS
    best = best_of(points, goal, limits)
    allowed = points["power_w"] <= limits.power_limit_w
    assert allowed.any()
    assert goal(best)[0] == goal(points)[allowed].min()
    chosen = SELECTORS["paper"](points, limits)
    assert goal(best)[0] <= goal(points)[chosen]


def test_a_limit_of_power_that_nothing_keeps_to_leaves_the_configured_design(costs, small, capsys):
    settings = dse.Settings(design_space=DesignSpace(power_limit_w=1e-6))
    sweep = load_sweep(small)
    points = evaluate_all(sweep, costs.technology)
    table = dse.selected_table(sweep, sweep, points, settings, costs, better_than(1e-3, 1e-4))
    assert set(table.choice) == {"configured", "fastest_clock"}
    assert "paper: no point keeps to 1e-06 W" in capsys.readouterr().err


def test_commands_work_alone_on_a_sweep_file(choco, small, tmp_path):
    ran = choco("run", small, "--output", tmp_path / "points.csv")
    assert ran.exit_code == 0, ran.output
    assert "6 of 6 points" in ran.output
    assert len(read_table(tmp_path / "points.csv", dse.SPACE)) == 6
    front = choco("pareto", small)
    assert "of 6 points; minimized: time_s, energy_j, area_m2" in front.output
    chosen = choco("select", small, "--rule", "smallest")
    assert chosen.output.splitlines()[0].split()[:2] == ["transform_units", "ntt_butterflies"]
    assert chosen.output.splitlines()[1].split()[1] == "1"
    found = choco("search", small, "--minimize", "area_m2")
    assert found.output.splitlines()[1].split()[1] == "1"


def test_the_benchmark_prints_time_and_rate(choco, small):
    printed = choco("benchmark", "--repetitions", 1, "--small", small, "--large", small)
    assert "6 points, front, selection: " in printed.output
    assert "million points/s" in printed.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("select", "{small}", "--rule", "dearest"), "error: no selection rule 'dearest'"),
        (("search", "{small}", "--minimize", "cost"), "error: no quantity 'cost'"),
        (("pareto", "absent.yaml"), "error: absent.yaml: No such file"),
        (("run", "config/sweeps/large_space.yaml", "--output", "x.csv"), "too many for a table"),
    ],
)
def test_mistakes_are_one_line(choco, small, arguments, message):
    result = choco(*(str(a).replace("{small}", str(small)) for a in arguments))
    assert result.exit_code == 1
    assert message in str(result.exception or "") + result.output
