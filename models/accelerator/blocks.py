"""Cost of synthesized blocks: the reader of ``results/recorded/synthesis/blocks.csv``.

A block is a module of ``rtl/taco``. Where it repeats a part as often as a parameter says (a lane, a
data layer, a butterfly), its cost between recorded sizes is interpolated linearly, and beyond them
extended linearly from the nearest two; with one recorded size it is proportional. All other
parameters must match a recorded size exactly.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from models.accelerator.points import Array
from models.errors import ChocoError
from models.recorded import RecordedStore
from models.tables import Check, Column, read_table, table_schema

Stage = Literal["synthesis", "post_route"]

BLOCKS = table_schema(
    block=str,
    parameters=Column(str, nullable=True),
    library=str,
    stage=Column(str, Check.isin(["synthesis", "post_route"])),
    cells=Column(int, Check.gt(0)),
    area_m2=Column(float, Check.gt(0)),
    min_period_s=Column(float, Check.gt(0)),
    leakage_w=Column(float, Check.gt(0)),
    active_energy_j=Column(float, Check.gt(0)),
    idle_energy_j=Column(float, Check.ge(0)),
    activity=str,
)
"""One row a block, its parameters (``Lanes=2;MaxLogN=13``), a library and a stage."""

REPEATED = ("Lanes", "DataLayers", "Butterflies")
"""Parameters that repeat a part of a block, so that its cost is linear in them."""


REST_AT_WORK = 2.1
"""Dynamic energy of readers, writers and multiplexers at work over idle: what the cells of
taco_layer that belong to no block inside it need in the recorded operations (22.9 over 11.0 pJ)."""


@dataclass(frozen=True)
class BlockCosts:
    """Cost of one block; arrays of the shape of the sizes asked for."""

    area_m2: Array
    leakage_w: Array
    active_energy_j: Array
    """Dynamic energy of a clock cycle in which the block works, clock pins included."""
    idle_energy_j: Array
    min_period_s: Array


def rest(whole: BlockCosts, *inside: tuple[Array | int, BlockCosts]) -> BlockCosts:
    """Return what a block costs beyond blocks inside it: registers and multiplexers between them.

    Area, leakage and idle energy are differences. Energy at work is not, as the blocks inside do
    not work all the time: it is ``REST_AT_WORK`` times the idle energy.

    Args:
        whole: the block.
        inside: how often each block is inside, and its cost.
    """
    left = {
        name: getattr(whole, name) - sum(count * getattr(part, name) for count, part in inside)
        for name in ("area_m2", "leakage_w", "idle_energy_j")
    }
    idle = np.maximum(0, left["idle_energy_j"])
    return BlockCosts(
        area_m2=np.maximum(0, left["area_m2"]),
        leakage_w=np.maximum(0, left["leakage_w"]),
        active_energy_j=REST_AT_WORK * idle,
        idle_energy_j=idle,
        min_period_s=whole.min_period_s,
    )


COST_COLUMNS = ("area_m2", "leakage_w", "active_energy_j", "idle_energy_j", "min_period_s")


class BlockTable:
    """Blocks of one library at one stage."""

    def __init__(self, table: pd.DataFrame, library: str, stage: Stage = "synthesis"):
        chosen = table[(table.library == library) & (table.stage == stage)]
        if chosen.empty:
            known = ", ".join(sorted(set(table.library + " at " + table.stage)))
            raise ChocoError(f"no block of library {library!r} at {stage}; recorded are: {known}")
        self.library, self.stage = library, stage
        self.provenance = str(chosen.provenance.iloc[0])
        self._blocks: dict[str, pd.DataFrame] = {}
        self._known: dict[tuple[str, tuple[tuple[str, int], ...]], Array] = {}
        for block, rows in chosen.groupby("block"):
            sizes = pd.DataFrame([_parse(text) for text in rows.parameters.fillna("")])
            costs = rows[list(COST_COLUMNS)].reset_index(drop=True)
            self._blocks[str(block)] = pd.concat([sizes, costs], axis=1)

    def sizes(self, block: str, name: str) -> list[int]:
        """Return the recorded values of a parameter of a block; none if there is no such block."""
        return sorted(set(self._blocks[block][name])) if block in self._blocks else []

    def costs(self, block: str, **sizes: Array | int) -> BlockCosts:
        """Return the cost of a block.

        Args:
            block: module name.
            sizes: parameters and their values, integers or arrays that broadcast together. A
                parameter that is not named must have been recorded at one value only.

        Raises:
            ChocoError: the block or a size was not recorded.
        """
        if block not in self._blocks:
            raise ChocoError(
                f"no block {block!r} ({self.library}, {self.stage}); "
                f"recorded are: {', '.join(sorted(self._blocks))}"
            )
        values = self._at(block, sizes)
        return BlockCosts(**dict(zip(COST_COLUMNS, values, strict=True)))

    def _at(self, block: str, sizes: dict[str, Array | int]) -> Array:
        """Return the costs as an array of shape (columns, *sizes)."""
        if not sizes:
            return self._one(block, ())
        arrays = np.broadcast_arrays(*map(np.asarray, sizes.values()))
        points = np.stack([array.ravel() for array in arrays], axis=1)
        # Few distinct sizes stand behind many points: look each up once.
        distinct, places = np.unique(points, axis=0, return_inverse=True)
        found = [
            self._one(block, tuple(zip(sizes, map(int, row), strict=True))) for row in distinct
        ]
        return np.stack(found, axis=1)[:, places].reshape(len(COST_COLUMNS), *arrays[0].shape)

    def _one(self, block: str, sizes: tuple[tuple[str, int], ...]) -> Array:
        if (block, sizes) not in self._known:
            self._known[block, sizes] = self._look_up(block, dict(sizes))
        return self._known[block, sizes]

    def _look_up(self, block: str, sizes: dict[str, int]) -> Array:
        rows = self._blocks[block]
        recorded = [column for column in rows if column not in COST_COLUMNS]
        if unknown := set(sizes) - set(recorded):
            raise ChocoError(f"{block} has no parameter {min(unknown)!r}: {', '.join(recorded)}")
        for name in recorded:
            if name not in sizes and rows[name].nunique() > 1:
                raise ChocoError(f"{block}: give {name}, recorded at several values")
        return _interpolate(block, rows, sizes)


def _interpolate(block: str, rows: pd.DataFrame, sizes: dict[str, int]) -> Array:
    """Return the costs at exact sizes, or linear in the repeated parameters."""
    for name, size in sizes.items():
        known = np.sort(rows[name].unique())
        if size in known:
            rows = rows[rows[name] == size]
            continue
        if name not in REPEATED:
            raise ChocoError(
                f"{block} is not recorded at {name} = {size}: {', '.join(map(str, known))}"
            )
        rest_of = {other: value for other, value in sizes.items() if other != name}
        if len(known) == 1:
            scaled: Array = _interpolate(block, rows, rest_of) * size / known[0]
            scaled[-1] *= known[0] / size  # the period of a copy is that of one
            return scaled
        right = int(np.clip(np.searchsorted(known, size), 1, len(known) - 1))
        low, high = int(known[right - 1]), int(known[right])
        ends = [_interpolate(block, rows[rows[name] == end], rest_of) for end in (low, high)]
        share = (size - low) / (high - low)
        value: Array = ends[0] + share * (ends[1] - ends[0])
        value[-1] = max(ends[0][-1], ends[1][-1])
        return value
    if len(rows) != 1:
        raise ChocoError(f"{block}: {len(rows)} rows at {sizes}, not 1")
    costs: Array = rows[list(COST_COLUMNS)].to_numpy(dtype=float)[0]
    return costs


def _parse(parameters: str) -> dict[str, int]:
    pairs = (item.split("=") for item in parameters.split(";") if item)
    return {name: int(value) for name, value in pairs}


def load_blocks(store: RecordedStore, library: str, stage: Stage = "synthesis") -> BlockTable:
    """Read the recorded table of blocks.

    Raises:
        ChocoError: the table is missing, has changed or does not fit its schema.
    """
    run = next((run for run in store.runs if any(f.path == "blocks.csv" for f in run.files)), None)
    if run is None:
        raise ChocoError(f"{store.directory}: no run recorded blocks.csv")
    return BlockTable(read_table(store.file(run.id, "blocks.csv"), BLOCKS), library, stage)
