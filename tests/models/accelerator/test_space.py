import numpy as np
import pytest

from models.accelerator.points import AXES
from models.accelerator.space import (
    chunks,
    concatenate,
    count,
    evaluate,
    evaluate_all,
    load_sweep,
    with_axes,
)
from models.errors import ChocoError

from .conftest import SWEEPS


def whole(sweep, technology):
    """Every point on its own axes, without grids or chunks."""
    design = sweep.designs(np.arange(sweep.size))
    return design, evaluate(design, sweep.operation, sweep.he, technology)


def test_a_grid_costs_what_its_points_cost(sweep, technology):
    _, points = whole(sweep, technology)
    found = evaluate_all(sweep, technology)
    for quantity in ("time_s", "energy_j", "area_m2", "power_w"):
        assert found[quantity] == pytest.approx(points[quantity][points["runs"]])


@pytest.mark.parametrize("size", [1, 2, 5, 12, 36, 1000])
def test_chunks_do_not_change_the_points(sweep, technology, size):
    parts = list(chunks(sweep, technology, size))
    assert all(count(part) <= size for part in parts)
    together = concatenate(parts)
    for name, values in evaluate_all(sweep, technology).items():
        assert (together[name] == values).all()


def test_points_that_miss_their_clock_are_left_out(sweep, technology):
    _, points = whole(sweep, technology)
    assert points["runs"].any() and not points["runs"].all()
    found = with_axes(sweep, evaluate_all(sweep, technology))
    assert (found["clock_hz"] < 3e9).all()
    assert len(found["clock_hz"]) == points["runs"].sum()


def test_the_clock_is_checked_only_where_the_sweep_asks_for_it(sweep, technology):
    unchecked = sweep.model_copy(update={"check_clock": False})
    assert len(evaluate_all(unchecked, technology)["time_s"]) == sweep.size


def test_axes_come_back_with_the_points(sweep, technology):
    found = with_axes(sweep, evaluate_all(sweep, technology))
    assert set(AXES) <= set(found)
    for axis, values in sweep.axes.items():
        assert set(found[axis]) <= set(values)
    assert (found["dyadic_multipliers"] == sweep.base.dyadic_multipliers).all()


def test_the_papers_space_is_about_as_large_as_the_papers():
    sweep = load_sweep(SWEEPS / "paper_space.yaml")
    assert sweep.paper_points == 31340
    assert sweep.size == pytest.approx(sweep.paper_points, rel=0.01)


def test_every_sweep_that_comes_with_the_project_is_valid():
    sizes = {path.stem: load_sweep(path).size for path in SWEEPS.glob("*.yaml")}
    assert sizes["large_space"] >= 10**7
    assert sizes["beyond_space"] > sizes["large_space"]


_TEXT = """
description: d
parameters: {poly_modulus_degree: 4096, coeff_modulus_bits: [36, 36, 37]}
axes: {AXES}
"""


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ("{butterfly: [1]}", "no axis 'butterfly'; there are transform_units, "),
        ("{adders: [3]}", "axes.adders: adders: 3"),
        ("{adders: []}", "at least one value"),
        ("{adders: [1, 1]}", "each once"),
        ("{lanes: [1], adders: [1]}", "adders is set by two axes"),
        ("{clock_hz: {first: 1, last: 2}}", "required"),
        ("{transform_units: [1], ntt_butterflies: [8]}", None),
        ("{}", "at least 1"),
    ],
)
def test_bad_sweeps_are_one_line_that_names_the_file(tmp_path, axes, message):
    path = tmp_path / "sweep.yaml"
    path.write_text(_TEXT.replace("{AXES}", axes))
    if message is None:
        assert load_sweep(path).size == 1
        return
    with pytest.raises(ChocoError, match=r"sweep\.yaml: ") as error:
        load_sweep(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_and_broken_files_are_errors(tmp_path):
    with pytest.raises(ChocoError, match="No such file"):
        load_sweep(tmp_path / "absent.yaml")
    (tmp_path / "broken.yaml").write_text("[")
    with pytest.raises(ChocoError, match="not YAML"):
        load_sweep(tmp_path / "broken.yaml")


def test_a_range_includes_both_ends(tmp_path):
    path = tmp_path / "sweep.yaml"
    path.write_text(
        _TEXT.replace("{AXES}", "{clock_hz: {first: 2.0e+7, last: 4.0e+8, step: 1.0e+6}}")
    )
    values = load_sweep(path).axes["clock_hz"]
    assert (values[0], values[-1], len(values)) == (2e7, 4e8, 381)
