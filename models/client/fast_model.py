"""What the fast model of the client's core says, and how far it is from gem5.

Three tables from recorded runs of the fast model: its error on every recorded gem5 run; the share
of each group of functions in an operation, for SEAL's samplers and generators; and an
extrapolation of operations to parameters that are too large to run, with its error on the rest.
"""

from math import log2
from pathlib import Path
from typing import cast, get_args

import pandas as pd

from models.client.gem5_stats import operation_counts
from models.client.profile import CLIENT_PROFILE, FunctionGroup
from models.config.base import Section
from models.errors import ChocoError
from models.parameters import ModulusChain
from models.provenance import combine, model
from models.recorded import open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

RUNS_ID = "gem5-programs"
"""The recorded run whose programs are those of the recorded gem5 runs."""

_PROFILE_ID = "normal-blake2xb"
"""The recorded profile that is extrapolated: the sampler of the paper's SEAL."""

_KEY = ["seal_version", "scheme", "poly_modulus_degree", "coeff_modulus_bits", "operation"]

FAST_MODEL_ERROR = table_schema(
    seal_version=str,
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    operation=str,
    gem5_instructions=int,
    instructions=int,
    gem5_cycles=Column(int, Check.gt(0)),
    cycles=Column(int, Check.gt(0)),
    error=float,
)
"""``error``: cycles of the fast model over those of gem5, less 1."""

TIME_SHARES = table_schema(
    seal_version=str,
    seal_sampler=str,
    seal_generator=str,
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    operation=str,
    cycles=Column(float, Check.gt(0)),
    **{group: Column(float, Check.in_range(0, 1)) for group in get_args(FunctionGroup)},
    transforms_and_products=Column(float, Check.in_range(0, 1)),
)
"""Shares of an operation's cycles; ``transforms_and_products`` is NTT, INTT and dyadic product
together, which CHOCO puts at more than 60% of encryption and decryption (Section 2.2)."""

EXTRAPOLATED = table_schema(
    seal_version=str,
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    key_residues=int,
    operation=str,
    cycles=Column(float, Check.gt(0)),
    measured_cycles=Column(float, nullable=True),
    error=Column(float, nullable=True),
)
"""``error``: the law fitted without this point, over the measurement, less 1."""


class Settings(Section):
    """What the stage needs."""

    scaling_points: tuple[ModulusChain, ...] = ()


def errors(fast_model: Path, gem5: Path) -> pd.DataFrame:
    """Return schema ``FAST_MODEL_ERROR``: the recorded runs of both, side by side.

    Args:
        fast_model: directory of the recorded fast-model runs.
        gem5: directory of the recorded gem5 runs.

    Raises:
        ChocoError: a gem5 run has no counterpart.
    """
    store, truth = open_recorded(fast_model), open_recorded(gem5)
    ours = pd.read_csv(store.file(RUNS_ID), dtype={"coeff_modulus_bits": str}).set_index(_KEY)
    rows = []
    for run in truth.runs:
        p = run.parameters
        point = (
            str(p["seal_version"]),
            str(p["scheme"]),
            int(p["poly_modulus_degree"]),
            str(p["coeff_modulus_bits"]),
        )
        for operation, count in operation_counts(truth.file(run.id)).items():
            key = (*point, operation)
            if key not in ours.index:
                raise ChocoError(f"{fast_model}: run {RUNS_ID!r} lacks {key} of {run.id}")
            own = ours.loc[key]
            rows.append(
                {
                    **dict(zip(_KEY, key, strict=True)),
                    "gem5_instructions": count.instructions,
                    "instructions": own["instructions"],
                    "gem5_cycles": count.cycles,
                    "cycles": own["cycles"],
                    "error": own["cycles"] / count.cycles - 1,
                    "provenance": combine(store.provenance(RUNS_ID), truth.provenance(run.id)),
                }
            )
    return pd.DataFrame(rows)


def shares(fast_model: Path) -> pd.DataFrame:
    """Return schema ``TIME_SHARES`` of all recorded profiles."""
    store = open_recorded(fast_model)
    tables = []
    for run in store.runs:
        if run.id == RUNS_ID:
            continue
        profile = read_table(store.file(run.id), CLIENT_PROFILE)
        table = profile.pivot(index=_KEY, columns="function_group", values="cycles").reset_index()
        groups = list(get_args(FunctionGroup))
        table["cycles"] = table[groups].sum(axis=1)
        table[groups] = table[groups].div(table["cycles"], axis=0)
        table["transforms_and_products"] = table[["ntt", "intt", "dyadic_product"]].sum(axis=1)
        tables.append(
            table.assign(
                seal_sampler=str(run.parameters["error_sampler"]),
                seal_generator=str(run.parameters["random_generator"]),
                provenance=store.provenance(run.id),
            )
        )
    return pd.concat(tables, ignore_index=True)


def work(group: FunctionGroup, n: int, k: int) -> float:
    """Return what the cycles of a group grow with, for polynomial degree n and k residues.

    A transform is n log n for each residue; the generator fills polynomials of n coefficients
    whatever the number of residues; all else is element by element (CHOCO, Section 4.2).
    """
    if group in ("ntt", "intt"):
        return n * log2(n) * k
    if group == "random_generator":
        return n
    return n * k


def extrapolated(profile: pd.DataFrame, points: tuple[ModulusChain, ...]) -> pd.DataFrame:
    """Return schema ``EXTRAPOLATED`` for BFV at ``points``, measured ones included.

    Each group of an operation grows in proportion to its work; the factor is that of the largest
    measured parameters, where caches are as short as they will be beyond. A measured point is
    predicted from the largest of the others, which gives its error.

    Args:
        profile: schema ``CLIENT_PROFILE`` of one program.
        points: the parameters to predict.
    """
    bfv = profile[profile.scheme == "bfv"].copy()
    bfv["k"] = bfv.coeff_modulus_bits.str.count(",") + 1
    rows = []
    for point in points:
        n, k = point.poly_modulus_degree, point.key_residues
        bits = ",".join(map(str, point.coeff_modulus_bits))
        here = (bfv.poly_modulus_degree == n) & (bfv.coeff_modulus_bits == bits)
        for operation, own in bfv.groupby("operation", sort=False):
            measured = own[here.loc[own.index]].cycles.sum() or None
            # one modulus has no key prime, and its encryption no modulus switching
            others = own[~here.loc[own.index] & ((own.k > 1) == (k > 1))]
            if others.empty:
                continue
            cycles = _predict(others, n, k)
            rows.append(
                {
                    "seal_version": own.seal_version.iloc[0],
                    "scheme": "bfv",
                    "poly_modulus_degree": n,
                    "coeff_modulus_bits": bits,
                    "key_residues": k,
                    "operation": operation,
                    "cycles": cycles,
                    "measured_cycles": measured,
                    "error": None if measured is None else cycles / measured - 1,
                    "provenance": combine(own.provenance.iloc[0], model("operation counts")),
                }
            )
    return pd.DataFrame(rows)


def _predict(measured: pd.DataFrame, n: int, k: int) -> float:
    size = measured.poly_modulus_degree * measured.k
    total = 0.0
    for _, row in measured[size == size.max()].iterrows():
        group = cast(FunctionGroup, row.function_group)
        known = work(group, row.poly_modulus_degree, _residues(row.operation, row.k))
        total += row.cycles * work(group, n, _residues(row.operation, k)) / known
    return total


def _residues(operation: str, k: int) -> int:
    """Residues that an operation works on: encryption all, decryption without the key prime."""
    return {"encrypt": k, "decrypt": max(1, k - 1)}.get(operation, 1)


def stage(job: Job[Settings]) -> None:
    """Write ``errors``, ``shares`` and ``extrapolated``; inputs ``fast_model`` and ``gem5``."""
    directory = job.inputs["fast_model"].parent
    write_table(
        errors(directory, job.inputs["gem5"].parent), job.outputs["errors"], FAST_MODEL_ERROR
    )
    write_table(shares(directory), job.outputs["shares"], TIME_SHARES)
    store = open_recorded(directory)
    profile = read_table(store.file(_PROFILE_ID), CLIENT_PROFILE)
    profile = profile.assign(provenance=store.provenance(_PROFILE_ID))
    table = extrapolated(profile, job.settings.scaling_points)
    write_table(table, job.outputs["extrapolated"], EXTRAPOLATED)


if __name__ == "__main__":
    run_stage(stage, Settings)
