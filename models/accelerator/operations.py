"""Time and energy of encryption and decryption on the accelerator, over HE parameters."""

import sys
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import Field

from models import provenance
from models.accelerator.costs import UnitCosts, load_costs
from models.accelerator.energy import Energy, decryption_energy, encryption_energy
from models.accelerator.points import he_points
from models.accelerator.timing import MODULES, Timing, decryption, encryption
from models.config import Config
from models.config.base import Section
from models.config.platform import Accelerator, Provider
from models.memory.sram import DeviceRoadmap, SramTable, load_sram
from models.parameters import ModulusChain, ParameterSet
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from models.tools import DESTINY, resolve

_MODEL = provenance.model("accelerator", preliminary=True)
_KEYS = {
    "scheme": str,
    "poly_modulus_degree": int,
    "coeff_modulus_bits": str,
    "key_residues": int,
    "plain_modulus_bits": int,
    "operation": Column(str, Check.isin(["encrypt", "decrypt"])),
}
ACCELERATOR_OPERATIONS = table_schema(
    **_KEYS,
    cycles=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
)
ACCELERATOR_BREAKDOWN = table_schema(
    **_KEYS,
    module=Column(str, Check.isin(MODULES)),
    cycles=Column(int, Check.ge(0)),
    critical_cycles=Column(int, Check.ge(0)),
    energy_j=Column(float, Check.ge(0)),
    compute_j=Column(float, Check.ge(0)),
    memory_j=Column(float, Check.ge(0)),
    leakage_j=Column(float, Check.ge(0)),
)
"""``cycles``: the module works; ``critical_cycles``: it sets the pace (these add up)."""


class Settings(Section):
    """What the stage needs."""

    accelerator: Accelerator = Field(Accelerator(), description="the design point")
    scaling_points: tuple[ModulusChain, ...] = Field(
        Config().scaling_points, description="(N, k) of Figure 8"
    )
    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named sets; the BFV ones are modelled as well"
    )
    plain_modulus_bits: int = Field(
        20, description="bits of t at scaling points that are no parameter set"
    )
    device_roadmap: DeviceRoadmap = Field("LOP", description="device class of the SRAM")
    provider: Provider = Field("auto", description="where DESTINY's numbers come from")
    destiny: Path | None = Field(None, description="path of destiny; empty: look on PATH")


Point = tuple[int, tuple[int, ...], int]
"""N, bits of the primes, bits of t."""


def model_points(settings: Settings) -> list[Point]:
    """Return the distinct points to model: BFV parameter sets, then scaling points."""
    named = {
        (s.poly_modulus_degree, s.coeff_modulus_bits): round(s.log2_t)
        for s in settings.parameter_sets.values()
        if s.scheme == "bfv"
    }
    for point in settings.scaling_points:
        key = (point.poly_modulus_degree, point.coeff_modulus_bits)
        named.setdefault(key, settings.plain_modulus_bits)
    return sorted(
        ((n, bits, t) for (n, bits), t in named.items()), key=lambda p: (p[0], len(p[1]), p[1])
    )


def operation_tables(
    points: list[Point], design: Accelerator, costs: UnitCosts, sram: SramTable
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of operations and of their breakdown by module.

    Raises:
        ChocoError: a buffer that a point needs has no entry in ``sram``.
    """
    he = he_points(points)
    operations, breakdown = [], []
    source = provenance.combine(_MODEL, sram.provenance)
    timed: dict[Literal["encrypt", "decrypt"], tuple[Timing, Energy]] = {}
    timing = encryption(he.poly_modulus_degree, he.key_residues, design)
    timed["encrypt"] = timing, encryption_energy(he, timing, design, costs, sram)
    timing = decryption(he.poly_modulus_degree, he.key_residues, design)
    timed["decrypt"] = timing, decryption_energy(he, timing, design, costs, sram)
    for i, (n, bits, t) in enumerate(points):
        for operation, (timing, energy) in timed.items():
            key = {
                "scheme": "bfv",
                "poly_modulus_degree": n,
                "coeff_modulus_bits": ",".join(map(str, bits)),
                "key_residues": len(bits),
                "plain_modulus_bits": t,
                "operation": operation,
                "provenance": source,
            }
            operations.append(
                key
                | {
                    "cycles": timing.total[i],
                    "time_s": timing.total[i] / design.clock_hz,
                    "energy_j": energy.total[i],
                }
            )
            breakdown += [
                key
                | {
                    "module": module,
                    "cycles": timing.busy[module][i],
                    "critical_cycles": timing.critical[module][i],
                    "energy_j": energy.module(module)[i],
                    "compute_j": energy.compute[module][i],
                    "memory_j": energy.memory[module][i],
                    "leakage_j": energy.leakage[module][i],
                }
                for module in MODULES
            ]
    return pd.DataFrame(operations), pd.DataFrame(breakdown)


def stage(job: Job[Settings]) -> None:
    """Write operations and breakdown; inputs: manifest of the DESTINY runs, unit costs."""
    settings = job.settings
    directory = job.inputs["recorded"].parent
    chosen = resolve(DESTINY, settings.provider, settings.destiny, directory.parent)
    print(f"DESTINY: {chosen.sentence}", file=sys.stderr)
    sram = load_sram(directory, device_roadmap=settings.device_roadmap)
    operations, breakdown = operation_tables(
        model_points(settings), settings.accelerator, load_costs(job.inputs["costs"]), sram
    )
    write_table(operations, job.outputs["operations"], ACCELERATOR_OPERATIONS)
    write_table(breakdown, job.outputs["breakdown"], ACCELERATOR_BREAKDOWN)


if __name__ == "__main__":
    run_stage(stage, Settings)
