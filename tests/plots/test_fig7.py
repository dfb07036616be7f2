from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from models import paper
from models.accelerator.points import AXES
from models.config.platform import DesignSpace
from plots import fig7, style

CLAIMS = paper.load(Path(__file__).parents[2] / "results/paper")


@pytest.fixture
def space():
    rng = np.random.default_rng(1)
    time_s = rng.uniform(1e-4, 2e-3, 50)
    table = pd.DataFrame({"time_s": time_s, "power_w": 1e-4 / time_s, "area_m2": 1e-5})
    table["energy_j"] = table.time_s * table.power_w
    return table.assign(**dict.fromkeys(AXES, 1), pareto=table.index < 5, provenance="model")


@pytest.fixture
def selected(space):
    choices = {"paper": 3, "best": 4, "search": 7, "configured": 9}
    return space.loc[list(choices.values())].assign(choice=list(choices))


def offsets(axes):
    return [np.atleast_2d(drawn.get_offsets()) for drawn in axes.collections]


def test_every_point_is_drawn_once_in_print_units(space, selected):
    power, area, energy = fig7.figure(space, selected, CLAIMS, DesignSpace()).axes
    for axes, column, scale in (
        (power, "power_w", 1e3),
        (area, "area_m2", 1e6),
        (energy, "energy_j", 1e3),
    ):
        far, near, front, *_ = offsets(axes)
        assert len(far) + len(near) == len(space)
        assert sorted([*far[:, 1], *near[:, 1]]) == pytest.approx(sorted(space[column] * scale))
        assert len(front) == 5
    far, near, *_ = offsets(power)
    assert far[:, 1].min() > 200 >= near[:, 1].max()


def test_chosen_points_and_the_papers_are_marked(space, selected):
    power, area, energy = fig7.figure(space, selected, CLAIMS, DesignSpace()).axes
    for axes, column, scale, stated in (
        (power, "power_w", 1e3, 186.06),
        (area, "area_m2", 1e6, 19.3),
        (energy, "energy_j", 1e3, 0.1228),
    ):
        *_, found, best, chosen, papers = offsets(axes)
        by_choice = selected.set_index("choice")[column] * scale
        for drawn, choice in ((chosen, "paper"), (best, "best"), (found, "search")):
            assert drawn[0, 1] == pytest.approx(by_choice[choice])
        assert papers[0].tolist() == pytest.approx((0.66, stated), rel=1e-3)


def test_the_limit_of_power_is_a_line(space, selected):
    power, *_ = fig7.figure(space, selected, CLAIMS, DesignSpace(power_limit_w=0.3)).axes
    assert power.lines[0].get_ydata()[0] == pytest.approx(300)


def test_files_are_byte_identical(space, selected, tmp_path):
    for run in ("first", "second"):
        paths = [tmp_path / run / f"fig7.{suffix}" for suffix in ("pdf", "png", "svg")]
        style.save(fig7.figure(space, selected, CLAIMS, DesignSpace()), *paths)
    for path in paths:
        assert path.read_bytes() == (tmp_path / "first" / path.name).read_bytes()
