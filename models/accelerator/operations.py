"""Time and energy of operations on the configured accelerator, over HE parameters.

BFV messages are encoded and decoded by the accelerator. CKKS encoding and decoding stay on the
client's processor but for their transforms modulo the primes, which the accelerator does (CHOCO,
Section 4.7, DOI 10.1145/3503222.3507737); how much of the software's time those are is configured.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pydantic import Field

from models import provenance
from models.accelerator.costs import Costs, CostSettings, load_costs
from models.accelerator.machine import MODULES, Memory
from models.accelerator.points import DesignPoints, HePoints, design_points, he_points
from models.accelerator.schedule import PHASES, SCHEDULES, Operation
from models.accelerator.simulator import KINDS, Outcome, area_shares, energy_shares, simulate
from models.accelerator.timing import SAMPLE_BYTES, step_cycles, transform_cycles
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.platform import Accelerator, CkksSoftware, Client
from models.parameters import ModulusChain, ParameterSet, Scheme
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

MODEL = provenance.model("accelerator")
_KEYS = {
    "scheme": Column(str, Check.isin(["bfv", "ckks"])),
    "poly_modulus_degree": int,
    "coeff_modulus_bits": str,
    "key_residues": int,
    "operation": Column(str, Check.isin(["encode", "encrypt", "decrypt", "decode"])),
}
ACCELERATOR_OPERATIONS = table_schema(
    **_KEYS,
    cycles=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
    power_w=Column(float, Check.gt(0)),
    area_m2=Column(float, Check.gt(0)),
    random_average_bytes_per_s=Column(float, Check.gt(0), nullable=True),
    random_peak_bytes_per_s=Column(float, Check.gt(0), nullable=True),
)
"""``cycles`` of the accelerator; time and energy include what stays in software (CKKS coding).

Random bytes are those that the samples of an encryption take, over the whole of it and while errors
are drawn.
"""

ACCELERATOR_BREAKDOWN = table_schema(
    **_KEYS,
    module=Column(str, Check.isin(MODULES)),
    phase=Column(str, Check.isin(PHASES)),
    cycles=Column(float, Check.ge(0)),
    energy_j=Column(float, Check.ge(0)),
    **{f"{kind}_j": Column(float, Check.ge(0)) for kind in KINDS},
)
"""``cycles`` of the phase, the same in all modules; energies of one module in it."""

ACCELERATOR_AREA = table_schema(
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    key_residues=int,
    module=Column(str, Check.isin(MODULES)),
    kind=Column(str, Check.isin(["logic", "memory"])),
    part=str,
    count=Column(int, Check.ge(0)),
    area_m2=Column(float, Check.ge(0)),
)


class Settings(CostSettings):
    """What the stage needs."""

    accelerator: Accelerator = Field(Accelerator(), description="the design point")
    scaling_points: tuple[ModulusChain, ...] = Field(
        Config().scaling_points, description="(N, k) of Figure 8"
    )
    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named sets; modelled as well"
    )
    client: Client = Field(Client(), description="gives the software's SEAL version and power")
    ckks_software: CkksSoftware = Field(
        CkksSoftware(), description="what of CKKS coding stays in software"
    )


def model_points(settings: Settings) -> list[tuple[Scheme, ModulusChain]]:
    """Return the distinct points to model, by scheme, N and primes."""
    chains: dict[tuple[Scheme, int, tuple[int, ...]], ModulusChain] = {}
    named = [(s.scheme, s) for s in settings.parameter_sets.values()]
    for scheme, chain in [*named, *(("bfv", point) for point in settings.scaling_points)]:
        key = (scheme, chain.poly_modulus_degree, chain.coeff_modulus_bits)
        chains.setdefault(key, chain)
    order = sorted(chains, key=lambda key: (key[0], key[1], len(key[2]), key[2]))
    return [(key[0], chains[key]) for key in order]


def operation_tables(
    settings: Settings, costs: Costs, software: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of operations, of their breakdown, and of area.

    Args:
        settings: design, parameters, share of CKKS coding in software.
        costs: of blocks and memories.
        software: client operations; CKKS coding has a row only where it was run in software.

    Raises:
        ChocoError: a block or memory that a point needs has no recorded cost.
    """
    design = design_points(settings.accelerator)
    software = software[software.seal_version == settings.client.seal_version]
    source = provenance.combine(MODEL, costs.provenance)
    operations: list[dict[str, Any]] = []
    breakdown: list[dict[str, Any]] = []
    areas: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for scheme, chain in model_points(settings):
        bits = ",".join(map(str, chain.coeff_modulus_bits))
        key = {
            "scheme": scheme,
            "poly_modulus_degree": chain.poly_modulus_degree,
            "coeff_modulus_bits": bits,
            "key_residues": chain.key_residues,
            "provenance": source,
        }
        points = he_points([chain])
        he = HePoints(points.poly_modulus_degree[0], points.key_residues[0])
        outcomes: dict[str, Outcome] = {}
        for name in ("encrypt", "decrypt"):
            operation: Operation = f"{scheme}_{name}"  # type: ignore[assignment]
            outcome = outcomes[name] = simulate(operation, he, design, costs.technology)
            rates = _random_rates(operation, he, design, outcome)
            operations.append(key | {"operation": name} | _whole(outcome) | rates)
            breakdown += [
                key | {"operation": name} | share
                for share in _shares(operation, he, design, outcome, costs)
            ]
        if scheme == "ckks":
            operations += _ckks_coding(key, he, design, outcomes["encrypt"], software, settings)
        areas.setdefault(
            (chain.poly_modulus_degree, bits),
            [_area(key, part, area) for part, area in area_shares(he, design, costs.technology)],
        )
    rows = [row for point in areas.values() for row in point]
    return pd.DataFrame(operations), pd.DataFrame(breakdown), pd.DataFrame(rows)


def _whole(outcome: Outcome) -> dict[str, Any]:
    return {
        "cycles": int(outcome.timing.total),
        "time_s": float(outcome.time_s),
        "energy_j": float(outcome.energy_j),
        "power_w": float(outcome.power_w),
        "area_m2": float(outcome.area_m2),
    }


def _random_rates(
    operation: Operation, he: HePoints, design: DesignPoints, outcome: Outcome
) -> dict[str, Any]:
    """Return the average and the peak rate of random bytes, nothing where none are drawn."""
    errors = sum(step.addend == "error" for step in SCHEDULES[operation])
    if not errors:
        return {}
    n = float(he.poly_modulus_degree)
    each = SAMPLE_BYTES[design.error_distribution]
    total = n * (SAMPLE_BYTES["ternary"] + errors * each)
    drawing = (s for s in SCHEDULES[operation] if s.addend == "error")
    busiest = min(float(step_cycles(step, he, design)) for step in drawing)
    return {
        "random_average_bytes_per_s": total / float(outcome.time_s),
        "random_peak_bytes_per_s": n * each * float(design.clock_hz) / busiest,
    }


def _shares(
    operation: Operation, he: HePoints, design: DesignPoints, outcome: Outcome, costs: Costs
) -> Iterator[dict[str, Any]]:
    for share in energy_shares(operation, he, design, costs.technology):
        energies = {f"{kind}_j": float(share.energy_j[kind]) for kind in KINDS}
        total = sum(energies.values())
        if total > 0:
            cycles = float(outcome.timing.phases[share.phase])
            yield {
                "module": share.module,
                "phase": share.phase,
                "cycles": cycles,
                "energy_j": total,
            } | energies


def _area(key: dict[str, Any], part: Any, area: Any) -> dict[str, Any]:
    return key | {
        "module": part.module,
        "kind": "memory" if isinstance(part, Memory) else "logic",
        "part": part.name,
        "count": int(part.count),
        "area_m2": float(area),
    }


def _ckks_coding(
    key: dict[str, Any],
    he: HePoints,
    design: DesignPoints,
    encryption: Outcome,
    software: pd.DataFrame,
    settings: Settings,
) -> Iterator[dict[str, Any]]:
    """Yield encoding and decoding: software without its transforms, and those in hardware.

    A transform of the message in all data residues at once: in by the host's port, transformed,
    and out again. The accelerator draws the power that it does in an encryption.
    """
    moved = 2 * he.data_residues * he.poly_modulus_degree // 8
    shares = settings.ckks_software
    for name, butterflies, share in (
        ("encode", design.ntt_butterflies, shares.encode_transform_share),
        ("decode", design.intt_butterflies, shares.decode_transform_share),
    ):
        run = software[
            (software.scheme == "ckks")
            & (software.operation == name)
            & (software.poly_modulus_degree == key["poly_modulus_degree"])
            & (software.coeff_modulus_bits == key["coeff_modulus_bits"])
        ]
        if run.empty:
            continue
        left_s = (1 - share) * float(run.time_s.iloc[0])
        cycles = int(moved + transform_cycles(he.poly_modulus_degree, butterflies))
        hardware_s = cycles / settings.accelerator.clock_hz
        time_s = left_s + hardware_s
        energy_j = left_s * settings.client.active_power_w
        energy_j += hardware_s * float(encryption.power_w)
        yield key | {
            "operation": name,
            "cycles": cycles,
            "time_s": time_s,
            "energy_j": energy_j,
            "power_w": energy_j / time_s,
            "area_m2": float(encryption.area_m2),
            "provenance": provenance.combine(key["provenance"], *run.provenance),
        }


def stage(job: Job[Settings]) -> None:
    """Write operations, breakdown and area.

    Inputs: manifest of ``blocks``, ``arrays`` of SRAM, ``client`` (operations in software).
    """
    settings = job.settings
    costs = load_costs(job.inputs["blocks"], job.inputs["arrays"], settings)
    software = read_table(job.inputs["client"], CLIENT_OPERATIONS)
    operations, breakdown, area = operation_tables(settings, costs, software)
    write_table(operations, job.outputs["operations"], ACCELERATOR_OPERATIONS)
    write_table(breakdown, job.outputs["breakdown"], ACCELERATOR_BREAKDOWN)
    write_table(area, job.outputs["area"], ACCELERATOR_AREA)


if __name__ == "__main__":
    run_stage(stage, Settings)
