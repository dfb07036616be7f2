import numpy as np
import pytest

from models.accelerator.search import best_of, better_than, search
from models.accelerator.space import Sweep, evaluate_all, load_sweep
from models.config.platform import DesignSpace
from models.errors import ChocoError

from .conftest import SWEEPS

LIMITS = DesignSpace(power_limit_w=0.4)


def goal(points):
    return points["time_s"]


@pytest.fixture(scope="module")
def space():
    sweep = load_sweep(SWEEPS / "paper_space.yaml")
    return sweep.model_copy(update={"axes": sweep.axes | {"clock_hz": (5e7, 1e8, 1.5e8)}})


def test_the_search_comes_within_a_percent_of_the_best_of_all(space, technology):
    best = best_of(evaluate_all(space, technology), goal, LIMITS)
    found = search(space, goal, technology, LIMITS, seed=1)
    assert best["time_s"][0] <= found["time_s"][0] <= 1.01 * best["time_s"][0]
    assert found["power_w"][0] <= LIMITS.power_limit_w


def test_the_same_seed_finds_the_same_point(sweep, technology):
    first, second = (search(sweep, goal, technology, LIMITS, seed=3) for _ in range(2))
    assert first["number"] == second["number"]


def test_a_point_better_than_another_in_both_is_below_one():
    points = {"time_s": np.array([1.0, 3.0]), "energy_j": np.array([1.0, 1.0])}
    assert better_than(2.0, 4.0)(points).tolist() == [0.5, 1.5]


def test_a_limit_that_nothing_keeps_to_is_an_error(sweep, technology):
    nothing = DesignSpace(power_limit_w=1e-6)
    with pytest.raises(ChocoError, match="found no point that keeps to 1e-06 W"):
        search(sweep, goal, technology, nothing, seed=1)
    with pytest.raises(ChocoError, match="no point keeps to 1e-06 W"):
        best_of(evaluate_all(sweep, technology), goal, nothing)
    assert isinstance(sweep, Sweep)
