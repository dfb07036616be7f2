"""Time, area, energy and power of design points, whole and broken down by module and by phase.

Energy is dynamic energy of blocks in the cycles they work and in those they idle (clock pins),
accesses of memories, and leakage of everything for the whole operation: nothing is gated. What
blocks and memories cost is measured elsewhere (``blocks``, ``models.memory``); what a design is
built of and how much of it works is in ``machine``. Wires between blocks and the clock tree above
them are not counted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.accelerator.machine import MODULES, Blocks, Memory, Module, Part, Sram, memories, parts
from models.accelerator.points import Array, DesignPoints, HePoints
from models.accelerator.schedule import Operation, Phase
from models.accelerator.timing import Timing, operation_timing

Kind = Literal["logic", "clock", "memory", "leakage"]
KINDS: tuple[Kind, ...] = ("logic", "clock", "memory", "leakage")
"""Of energy: blocks at work beyond what they need idle, idle blocks, accesses, leakage."""


@dataclass(frozen=True)
class Technology:
    """Where costs come from."""

    blocks: Blocks
    sram: Sram


@dataclass(frozen=True)
class Outcome:
    """One operation on M design points; arrays broadcast to shape (M,)."""

    timing: Timing
    time_s: Array
    energy_j: Array
    area_m2: Array
    power_w: Array
    """Average over the operation, leakage included (CHOCO, Section 4.4)."""
    min_period_s: Array
    """Of the slowest block or memory."""


def simulate(
    operation: Operation, he: HePoints, design: DesignPoints, technology: Technology
) -> Outcome:
    """Simulate one operation on all points.

    Raises:
        ChocoError: a block or memory that a point needs has no recorded cost.
    """
    timing = operation_timing(operation, he, design)
    area, energy, standing_w, idle_j, period = (np.zeros(()) for _ in range(5))
    for part in parts(operation, he, design, timing, technology.blocks):
        costs = part.costs
        area = area + part.count * costs.area_m2
        standing_w = standing_w + part.count * costs.leakage_w
        idle_j = idle_j + part.count * costs.idle_energy_j
        energy = energy + _sum(part.work) * (costs.active_energy_j - costs.idle_energy_j)
        period = np.maximum(period, costs.min_period_s)
    for memory in memories(operation, he, design, technology.sram):
        array = memory.costs
        area = area + memory.count * array.area_m2
        standing_w = standing_w + memory.count * array.leakage_w
        energy = energy + _sum(memory.reads) * array.read_energy_j
        energy = energy + _sum(memory.writes) * array.write_energy_j
        period = np.maximum(period, array.cycle_time_s)
    time_s = timing.total / design.clock_hz
    energy = energy + timing.total * idle_j + time_s * standing_w
    return Outcome(timing, time_s, energy, area, energy / time_s, period)


@dataclass(frozen=True)
class Share:
    """What one module costs in one phase; arrays broadcast to shape (M,)."""

    module: Module
    phase: Phase
    energy_j: dict[Kind, Array]


def energy_shares(
    operation: Operation, he: HePoints, design: DesignPoints, technology: Technology
) -> Iterator[Share]:
    """Yield the energy of every module in every phase; they add up to ``Outcome.energy_j``.

    Work of the message unit is charged to encoding or decoding, also while other phases run.
    """
    timing = operation_timing(operation, he, design)
    logic = list(parts(operation, he, design, timing, technology.blocks))
    arrays = list(memories(operation, he, design, technology.sram))
    for module in MODULES:
        mine = [part for part in logic if part.module == module]
        stores = [memory for memory in arrays if memory.module == module]
        idle_j = _total(p.count * p.costs.idle_energy_j for p in mine)
        leakage_w = _total(part.count * part.costs.leakage_w for part in mine)
        leakage_w = leakage_w + _total(store.count * store.costs.leakage_w for store in stores)
        for phase, cycles in timing.phases.items():
            yield Share(
                module,
                phase,
                {
                    "logic": _total(
                        p.work[phase] * (p.costs.active_energy_j - p.costs.idle_energy_j)
                        for p in mine
                        if phase in p.work
                    ),
                    "clock": cycles * idle_j,
                    "memory": _total(_accesses(m, phase) for m in stores),
                    "leakage": cycles / design.clock_hz * leakage_w,
                },
            )


def area_shares(
    he: HePoints, design: DesignPoints, technology: Technology
) -> Iterator[tuple[Part | Memory, Array]]:
    """Yield the area of every kind of block and memory; they add up to ``Outcome.area_m2``."""
    operation: Operation = "bfv_encrypt"  # any: area does not depend on it
    timing = operation_timing(operation, he, design)
    for part in parts(operation, he, design, timing, technology.blocks):
        yield part, part.count * part.costs.area_m2
    for memory in memories(operation, he, design, technology.sram):
        yield memory, memory.count * memory.costs.area_m2


def _accesses(memory: Memory, phase: Phase) -> Array:
    zero = np.zeros(())
    reads, writes = memory.reads.get(phase, zero), memory.writes.get(phase, zero)
    read: Array = reads * memory.costs.read_energy_j
    written: Array = writes * memory.costs.write_energy_j
    return read + written


def _sum(work: dict[Phase, Array]) -> Array:
    return _total(work.values())


def _total(values: Iterable[Array]) -> Array:
    total: Array = np.zeros(())
    for value in values:
        total = total + value
    return total
