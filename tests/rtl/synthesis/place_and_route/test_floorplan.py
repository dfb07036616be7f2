import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import ChocoError
from rtl.synthesis.place_and_route.floorplan import Size, plan

ROW, SNAP, HALO = 1.4, 5.32, 5.0
SIDE = st.floats(20, 500)
MACROS = st.dictionaries(
    st.sampled_from(["b0", "b1", "b2", "b3", "b4"]), st.builds(Size, SIDE, SIDE), max_size=5
)


@given(area=st.floats(1e3, 1e6), utilization=st.floats(0.2, 0.85), macros=MACROS)
def test_macros_are_apart_inside_the_core_and_leave_the_cells_their_area(
    area: float, utilization: float, macros: dict[str, Size]
) -> None:
    floor = plan(area, macros, utilization, ROW, SNAP, HALO)
    left, bottom, right, top = floor.core
    boxes = []
    for name, size in macros.items():
        place = floor.macros[name]
        assert place.x >= left and place.x + size.width <= right + 1e-6
        assert place.y >= bottom and place.y + size.height <= top + 1e-6
        for value, step in ((place.x, SNAP), (place.y, ROW)):
            assert math.isclose(value / step, round(value / step), abs_tol=1e-3)
        boxes.append((place.x, place.y, place.x + size.width, place.y + size.height))
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart_x = max(one[0], other[0]) - min(one[2], other[2])
            apart_y = max(one[1], other[1]) - min(one[3], other[3])
            assert max(apart_x, apart_y) >= HALO
    used = sum(size.width * size.height for size in macros.values())
    assert (right - left) * (top - bottom) - used >= area / utilization - 1e-3
    assert floor.die[0] == floor.die[1] == 0
    assert floor.die[2] > right and floor.die[3] > top


def test_a_block_without_macros_is_about_square() -> None:
    left, bottom, right, top = plan(50_000, {}, 0.5, ROW, SNAP, HALO).core
    assert (right - left) / (top - bottom) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("area", "utilization"), [(0, 0.5), (100, 0), (100, 1.2), (-1, 0.5)])
def test_no_cells_or_an_impossible_utilization_is_refused(area: float, utilization: float) -> None:
    with pytest.raises(ChocoError, match="floorplan"):
        plan(area, {}, utilization, ROW, SNAP, HALO)
