"""Stage: what the table of arrays tells of itself: error of interpolation, clock that it allows."""

import numpy as np
import pandas as pd
from pydantic import Field

from models import provenance
from models.config.base import Section
from models.config.memory import DeviceRoadmap, Memory, OptimizationTarget
from models.memory.arrays import SRAM_ARRAYS
from models.memory.costs import SramModel, interpolate
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

_KIND = {"device_roadmap": str, "optimization_target": str, "word_bits": int}
MEASURED = (
    "area_m2",
    "read_energy_j",
    "write_energy_j",
    "leakage_w",
    "read_latency_s",
    "write_latency_s",
)
"""Quantities whose interpolation is measured."""

INTERPOLATION = table_schema(
    **_KIND,
    capacity_bytes=Column(int, Check.gt(0)),
    quantity=Column(str, Check.isin(MEASURED)),
    error=Column(float, Check.ge(0)),
)
"""``error``: relative, of the interpolation where this array had no run of its own."""

CLOCK = table_schema(
    **_KIND,
    ports=Column(str, Check.isin(["1rw", "1r1w"])),
    capacity_bytes=int,
    read_latency_s=Column(float, Check.gt(0)),
    cycle_time_s=Column(float, Check.gt(0)),
    max_clock_hz=Column(float, Check.gt(0)),
)


class Settings(Section):
    """What the stage needs."""

    memory: Memory = Field(Memory(), description="the second port's cost")


def interpolation_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Predict every array but the smallest and largest from its neighbours, as if it had no run.

    That bridges a factor of four in capacity, where the model itself bridges a factor of two.

    Args:
        table: rows of ``SRAM_ARRAYS``.

    Returns:
        Rows of ``INTERPOLATION`` without provenance.
    """
    rows = []
    for kind, arrays in table.groupby(list(_KIND), sort=True):
        by_size = arrays.sort_values("capacity_bytes")
        sizes = by_size.capacity_bytes.to_numpy(dtype=np.int64)
        for out in range(1, len(sizes) - 1):
            others = np.delete(sizes, out)
            for quantity in MEASURED:
                costs = by_size[quantity].to_numpy(dtype=float)
                predicted = interpolate(
                    others, np.delete(costs, out), sizes[[out]], np.array([out])
                )[0]
                rows.append((*kind, sizes[out], quantity, abs(predicted / costs[out] - 1)))
    return pd.DataFrame(rows, columns=[*_KIND, "capacity_bytes", "quantity", "error"])


def clocks(table: pd.DataFrame, memory: Memory) -> pd.DataFrame:
    """Return the fastest clock of every array that is optimized for read energy or read latency."""
    rows: list[dict[str, object]] = []
    roadmap: DeviceRoadmap
    target: OptimizationTarget
    for roadmap in ("LOP", "LSTP", "HP"):
        for target in ("ReadDynamicEnergy", "ReadLatency"):
            chosen = (table.device_roadmap == roadmap) & (table.optimization_target == target)
            if not chosen.any():
                continue
            model = SramModel(table, roadmap, target, memory.two_ports)
            for bits in model.word_bits:
                sizes = model.capacities(bits)
                single, double = model(sizes, bits, "1rw"), model(sizes, bits, "1r1w")
                for ports, costs in (("1rw", single), ("1r1w", double)):
                    rows += [
                        {
                            "device_roadmap": roadmap,
                            "optimization_target": target,
                            "word_bits": bits,
                            "ports": ports,
                            "capacity_bytes": size,
                            "read_latency_s": latency,
                            "cycle_time_s": cycle,
                            "max_clock_hz": clock,
                        }
                        for size, latency, cycle, clock in zip(
                            sizes,
                            costs.read_latency_s,
                            costs.cycle_time_s,
                            costs.max_clock_hz,
                            strict=True,
                        )
                    ]
    return pd.DataFrame(rows)


def stage(job: Job[Settings]) -> None:
    """Write errors of interpolation and clocks; input: the table of arrays."""
    table = read_table(job.inputs["arrays"], SRAM_ARRAYS)
    source = provenance.combine(*dict.fromkeys(table.provenance), provenance.model("sram"))
    errors = interpolation_errors(table).assign(provenance=source)
    write_table(errors, job.outputs["interpolation"], INTERPOLATION)
    write_table(
        clocks(table, job.settings.memory).assign(provenance=source), job.outputs["clock"], CLOCK
    )


if __name__ == "__main__":
    run_stage(stage, Settings)
