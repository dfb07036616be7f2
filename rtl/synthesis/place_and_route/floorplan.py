"""Die, core and places of macros. Lengths in micrometres."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from models.errors import ChocoError

MARGIN = 10.0
"""From the die's edge to the core, about: it is rounded to rows."""


@dataclass(frozen=True)
class Size:
    """Width and height of a macro."""

    width: float
    height: float


@dataclass(frozen=True)
class Place:
    """Lower left corner of a macro."""

    x: float
    y: float
    orientation: str = "R0"


@dataclass(frozen=True)
class Floorplan:
    """Rectangles are left, bottom, right, top."""

    die: tuple[float, float, float, float]
    core: tuple[float, float, float, float]
    macros: dict[str, Place]


def plan(
    cell_area: float,
    macros: Mapping[str, Size],
    utilization: float,
    row_height: float,
    snap_x: float,
    halo: float,
) -> Floorplan:
    """Lay macros out in a row at the bottom and one at the top, cells between them.

    A block without macros is a square. The macros with the largest width begin the bottom row; each
    further one goes to the shorter row.

    Args:
        cell_area: area of the cells, in square micrometres.
        macros: instance to size.
        utilization: share of the area between the rows that cells fill.
        row_height: height of a row of cells; the core is a whole number of them high.
        snap_x: the core's width and the places of macros are multiples of this.
        halo: free space on each side of a macro.

    Raises:
        ChocoError: there are no cells, or the utilization is not within 0 and 1.
    """
    if cell_area <= 0 or not 0 < utilization < 1:
        raise ChocoError(
            f"floorplan: cell area {cell_area} and utilization {utilization} make no core"
        )
    rows: tuple[list[str], list[str]] = ([], [])
    for name in sorted(macros, key=lambda name: (-macros[name].width, name)):
        min(rows, key=lambda row: _length(row, macros, snap_x, halo)).append(name)
    free = cell_area / utilization
    longest = max(_length(row, macros, snap_x, halo) for row in rows)
    width = _up(max(longest, math.sqrt(free)), snap_x)
    depths = [max((macros[n].height + 2 * halo for n in row), default=0.0) for row in rows]
    bottom, top = (_up(depth, row_height) for depth in depths)
    height = bottom + _up(free / width, row_height) + top
    left, low = _up(MARGIN, snap_x), _up(MARGIN, row_height)
    places = {}
    for row, is_top in zip(rows, (False, True), strict=True):
        x = left
        for name in row:
            size = macros[name]
            y = low + height - halo - size.height if is_top else low + halo
            places[name] = Place(_round(x + _up(halo, snap_x)), _down(y, row_height))
            x += _pitch(size, snap_x, halo)
    core = (left, low, left + width, low + height)
    die = (0.0, 0.0, core[2] + left, core[3] + low)
    return Floorplan(tuple(map(_round, die)), tuple(map(_round, core)), places)  # type: ignore[arg-type]


def _pitch(size: Size, snap_x: float, halo: float) -> float:
    return _up(size.width + _up(halo, snap_x) + halo, snap_x)


def _length(row: list[str], macros: Mapping[str, Size], snap_x: float, halo: float) -> float:
    return sum(_pitch(macros[name], snap_x, halo) for name in row)


def _up(value: float, step: float) -> float:
    return math.ceil(value / step - 1e-9) * step


def _down(value: float, step: float) -> float:
    return _round(math.floor(value / step + 1e-9) * step)


def _round(value: float) -> float:
    return round(value, 4)
