import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.accelerator.selection import (
    SELECTORS,
    hypervolume,
    pareto,
    select_paper,
    selector,
    streamed_pareto,
)
from models.accelerator.space import take
from models.config.platform import DesignSpace
from models.errors import ChocoError

THREE = ("time_s", "energy_j", "area_m2")
values = st.lists(st.tuples(*[st.integers(1, 12)] * 3, st.integers(1, 30)), min_size=1, max_size=60)


def points(rows):
    table = np.array(rows, dtype=float)
    columns = dict(zip(THREE, table.T[:3], strict=True))
    return columns | {"power_w": table[:, 3] / 100, "number": np.arange(len(table))}


def front_of(rows):
    """The front by definition, each vector once."""
    vectors = {row[:3] for row in rows}

    def dominated(vector):
        others = (w for w in vectors if w != vector)
        return any(all(np.array(w) <= vector) for w in others)

    return {vector for vector in vectors if not dominated(vector)}


@settings(deadline=None)
@given(values)
def test_the_front_is_what_nothing_dominates(rows):
    front = pareto(points(rows), THREE)
    found = set(zip(*(front[name] for name in THREE), strict=True))
    assert found == front_of(rows)


@settings(deadline=None)
@given(values, st.integers(1, 20))
def test_a_streamed_front_is_the_front(rows, size):
    whole = points(rows)
    parts = [take(whole, np.arange(i, min(i + size, len(rows)))) for i in range(0, len(rows), size)]
    front = streamed_pareto(parts, THREE)
    assert set(zip(*(front[name] for name in THREE), strict=True)) == front_of(rows)


def test_hypervolume_of_known_boxes():
    whole = points([(1, 1, 3, 1), (1, 3, 1, 1), (3, 1, 1, 1), (3, 3, 3, 1)])
    # Each vector dominates one of the sides of the cube of edge 2: none of its volume.
    assert hypervolume(pareto(whole, THREE), THREE, whole) == pytest.approx(0)
    whole = points([(1, 1, 2, 1), (3, 3, 3, 1), (2, 2, 1, 1)])
    # In the unit cube: [0,1]^2 x [1/2,1] and [1/2,1]^2 x [0,1] overlap in [1/2,1]^3.
    assert hypervolume(pareto(whole, THREE), THREE, whole) == pytest.approx(1 / 2 + 1 / 4 - 1 / 8)


def test_the_papers_rule_is_power_then_time_then_area():
    limits = DesignSpace(power_limit_w=0.2, time_margin=0.01)
    whole = points(
        [
            (100, 5, 9, 30),  # fastest, too much power
            (200, 5, 9, 20),  # fastest allowed
            (202, 5, 4, 20),  # within 1 % and smaller
            (201, 5, 7, 20),
            (203, 5, 1, 20),  # smaller still, too slow
        ]
    )
    assert select_paper(whole, limits) == 2
    wide = DesignSpace(power_limit_w=0.2, time_margin=0.02)
    assert select_paper(whole, wide) == 4
    more = DesignSpace(power_limit_w=0.4, time_margin=0.01)
    assert select_paper(whole, more) == 0


@settings(deadline=None)
@given(values)
def test_every_rule_keeps_to_the_limit_of_power(rows):
    limits = DesignSpace(power_limit_w=0.15)
    whole = points(rows)
    for choose in SELECTORS.values():
        if (whole["power_w"] > 0.15).all():
            with pytest.raises(ChocoError, match=r"no point keeps to 0\.15 W; the least power is"):
                choose(whole, limits)
        else:
            assert whole["power_w"][choose(whole, limits)] <= 0.15


def test_an_unknown_rule_is_named():
    with pytest.raises(ChocoError, match="no selection rule 'cheapest'; there are paper, fastest"):
        selector("cheapest")
    with pytest.raises(ChocoError, match="no point of the space runs"):
        streamed_pareto([], THREE)
