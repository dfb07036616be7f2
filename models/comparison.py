"""Encryption and decryption over HE parameters: software on the client against the accelerator.

Figure 8 and Sections 4.5 and 4.6 of CHOCO (DOI 10.1145/3503222.3507737). The paper compares SEAL's
encryption with the accelerator's, which encodes the message as well; so do ``encrypt_speedup`` and
its kin. ``encode_encrypt_*`` and ``decrypt_decode_*`` compare equal work.
"""

from collections.abc import Iterator

import pandas as pd
from pydantic import Field

from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.accelerator.timing import ERROR_BYTES, TERNARY_BYTES
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.base import Section
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ModulusChain
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

_POINT = {"poly_modulus_degree": int, "key_residues": int, "coeff_modulus_bits": str}
ENCRYPTION_SCALING = table_schema(
    **_POINT,
    platform=Column(str, Check.isin(["software", "accelerator"])),
    operation=Column(str, Check.isin(["encrypt", "decrypt"])),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
)
COMPARISON = table_schema(quantity=str, **_POINT, value=float, unit=str)


class Settings(Section):
    """What the stage needs."""

    scaling_points: tuple[ModulusChain, ...] = Field(
        Config().scaling_points, description="(N, k) of Figure 8"
    )
    client: Client = Field(Client(), description="gives the SEAL version of the software")


def encryption_scaling(
    software: pd.DataFrame,
    accelerator: pd.DataFrame,
    points: tuple[ModulusChain, ...],
    version: str,
) -> pd.DataFrame:
    """Return time and energy of BFV encryption and decryption at each point.

    Args:
        software: table of client operations; points without a run get no software row.
        accelerator: table of accelerator operations.
        points: (N, primes) to compare, in the order of the rows.
        version: SEAL version of the software rows.
    """
    software = software[software.seal_version == version]
    rows = []
    for point in points:
        for platform, table in (("software", software), ("accelerator", accelerator)):
            here = _at(table, point)
            here = here[here.operation.isin(["encrypt", "decrypt"])]
            rows.append(here.assign(platform=platform, key_residues=len(point.coeff_modulus_bits)))
    columns = list(ENCRYPTION_SCALING.columns)
    return pd.concat(rows, ignore_index=True)[columns]


def comparison(
    software: pd.DataFrame,
    accelerator: pd.DataFrame,
    points: tuple[ModulusChain, ...],
    version: str,
) -> pd.DataFrame:
    """Return what the accelerator gains over software, and its power, at each point.

    Quantities: ``{encrypt,decrypt,encode_encrypt,decrypt_decode}_{speedup,energy_gain}`` where a
    software run exists, ``max_encrypt_{speedup,energy_gain}`` over those, ``accelerator_power``
    and ``generator_average_rate`` during an encryption everywhere.

    Raises:
        ChocoError: the accelerator table lacks a point.
    """
    software = software[software.seal_version == version]
    rows: list[dict[str, object]] = []
    for point in points:
        key = {
            "poly_modulus_degree": point.poly_modulus_degree,
            "key_residues": len(point.coeff_modulus_bits),
            "coeff_modulus_bits": _text(point),
        }
        costs = _at(accelerator, point).set_index("operation")
        baseline = _at(software, point).set_index("operation")
        if not {"encrypt", "decrypt"} <= set(costs.index):
            raise ChocoError(
                f"accelerator operations lack N = {point.poly_modulus_degree}, "
                f"primes {_text(point)}; model it first (same scaling_points)"
            )
        for quantity, value, unit, source in _quantities(point, costs, baseline):
            rows.append(
                {"quantity": quantity, **key, "value": value, "unit": unit, "provenance": source}
            )
    table = pd.DataFrame(rows)
    for quantity in ("encrypt_speedup", "encrypt_energy_gain"):
        gains = table[table.quantity == quantity]
        if not gains.empty:
            best = gains.loc[[gains.value.idxmax()]].assign(quantity=f"max_{quantity}")
            table = pd.concat([table, best], ignore_index=True)
    return table


def _quantities(
    point: ModulusChain, costs: pd.DataFrame, baseline: pd.DataFrame
) -> Iterator[tuple[str, float, str, str]]:
    """Yield quantity, value, unit and provenance of one point."""
    for name, operations, accelerated in (
        ("encrypt", ["encrypt"], "encrypt"),
        ("decrypt", ["decrypt"], "decrypt"),
        ("encode_encrypt", ["encode", "encrypt"], "encrypt"),
        ("decrypt_decode", ["decrypt", "decode"], "decrypt"),
    ):
        if set(operations) <= set(baseline.index):
            work, cost = baseline.loc[operations], costs.loc[accelerated]
            source = combine(*work.provenance, cost.provenance)
            yield f"{name}_speedup", work.time_s.sum() / cost.time_s, "1", source
            yield f"{name}_energy_gain", work.energy_j.sum() / cost.energy_j, "1", source
    encrypt = costs.loc["encrypt"]
    random_bytes = point.poly_modulus_degree * (TERNARY_BYTES + 2 * ERROR_BYTES)
    yield "accelerator_power", encrypt.energy_j / encrypt.time_s, "W", encrypt.provenance
    yield "generator_average_rate", random_bytes / encrypt.time_s, "B/s", encrypt.provenance


def _at(table: pd.DataFrame, point: ModulusChain) -> pd.DataFrame:
    return table[
        (table.scheme == "bfv")
        & (table.poly_modulus_degree == point.poly_modulus_degree)
        & (table.coeff_modulus_bits == _text(point))
    ]


def _text(point: ModulusChain) -> str:
    return ",".join(map(str, point.coeff_modulus_bits))


def stage(job: Job[Settings]) -> None:
    """Write the scaling table of Figure 8 and the gains that follow from it."""
    software = read_table(job.inputs["client"], CLIENT_OPERATIONS)
    accelerator = read_table(job.inputs["accelerator"], ACCELERATOR_OPERATIONS)
    points, version = job.settings.scaling_points, job.settings.client.seal_version
    scaling = encryption_scaling(software, accelerator, points, version)
    write_table(scaling, job.outputs["scaling"], ENCRYPTION_SCALING)
    gains = comparison(software, accelerator, points, version)
    write_table(gains, job.outputs["comparison"], COMPARISON)


if __name__ == "__main__":
    run_stage(stage, Settings)
