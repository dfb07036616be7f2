"""Encryption and decryption over HE parameters: software on the client against the accelerator.

Figure 8 and Sections 4.5 and 4.6 of CHOCO (DOI 10.1145/3503222.3507737). The paper compares SEAL's
encryption with the accelerator's, which encodes the message as well; so do ``encrypt_speedup`` and
its kin. ``encode_encrypt_*`` and ``decrypt_decode_*`` compare equal work, for CKKS too (Section
4.7).
"""

from collections.abc import Iterator

import pandas as pd
from pydantic import Field

from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.base import Section
from models.config.platform import CkksSoftware, Client
from models.errors import ChocoError
from models.parameters import ModulusChain
from models.provenance import PAPER, combine
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
COMPARISON = table_schema(
    quantity=str,
    scheme=Column(str, Check.isin(["bfv", "ckks"])),
    **_POINT,
    value=float,
    unit=str,
)


class Settings(Section):
    """What the stage needs."""

    scaling_points: tuple[ModulusChain, ...] = Field(
        Config().scaling_points, description="(N, k) of Figure 8"
    )
    client: Client = Field(Client(), description="gives the SEAL version of the software")
    ckks_software: CkksSoftware = Field(
        CkksSoftware(), description="what of CKKS coding stays in software"
    )


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
    software run exists, ``max_encrypt_{speedup,energy_gain}`` over those, and
    ``accelerator_power`` during an encryption everywhere.

    Raises:
        ChocoError: the accelerator table lacks a point.
    """
    software = software[software.seal_version == version]
    rows: list[dict[str, object]] = []
    for point in points:
        costs = _at(accelerator, point).set_index("operation")
        baseline = _at(software, point).set_index("operation")
        if not {"encrypt", "decrypt"} <= set(costs.index):
            raise ChocoError(
                f"accelerator operations lack N = {point.poly_modulus_degree}, "
                f"primes {_text(point)}; model it first (same scaling_points)"
            )
        key = {
            "scheme": "bfv",
            "poly_modulus_degree": point.poly_modulus_degree,
            "key_residues": len(point.coeff_modulus_bits),
            "coeff_modulus_bits": _text(point),
        }
        found = [*_gains(baseline, costs, _BFV_WORK), *_power(costs)]
        rows += [key | quantity for quantity in found]
    table = pd.DataFrame(rows)
    for quantity in ("encrypt_speedup", "encrypt_energy_gain"):
        gains = table[table.quantity == quantity]
        if not gains.empty:
            best = gains.loc[[gains.value.idxmax()]].assign(quantity=f"max_{quantity}")
            table = pd.concat([table, best], ignore_index=True)
    return table


def ckks_comparison(
    software: pd.DataFrame, accelerator: pd.DataFrame, shares: CkksSoftware, version: str
) -> pd.DataFrame:
    """Return the gains of CKKS operations with their coding, where software was run.

    ``{encode_encrypt,decrypt_decode}_supported_share`` is the share of the software's time that
    the accelerator takes over: all but what stays of coding.
    """
    software = software[(software.seal_version == version) & (software.scheme == "ckks")]
    rows: list[dict[str, object]] = []
    key_columns = ["scheme", *_POINT]
    for values, costs in accelerator[accelerator.scheme == "ckks"].groupby(key_columns, sort=False):
        key = dict(zip(key_columns, values, strict=True))
        here = software[
            (software.poly_modulus_degree == key["poly_modulus_degree"])
            & (software.coeff_modulus_bits == key["coeff_modulus_bits"])
        ].set_index("operation")
        costs = costs.set_index("operation")
        if not {"encode", "encrypt", "decrypt", "decode"} <= set(here.index) & set(costs.index):
            continue
        found = [*_gains(here, costs, _CKKS_WORK)]
        for operations, coding, transforms in (
            (["encode", "encrypt"], "encode", shares.encode_transform_share),
            (["decrypt", "decode"], "decode", shares.decode_transform_share),
        ):
            whole = here.time_s[operations].sum()
            left = (1 - transforms) * here.time_s[coding]
            found.append(
                {
                    "quantity": f"{'_'.join(operations)}_supported_share",
                    "value": 1 - left / whole,
                    "unit": "1",
                    "provenance": combine(*here.provenance[operations], PAPER),
                }
            )
        rows += [key | quantity for quantity in found]
    return pd.DataFrame(rows)


_Work = dict[str, tuple[list[str], list[str]]]
_BFV_WORK: _Work = {
    "encrypt": (["encrypt"], ["encrypt"]),
    "decrypt": (["decrypt"], ["decrypt"]),
    "encode_encrypt": (["encode", "encrypt"], ["encrypt"]),
    "decrypt_decode": (["decrypt", "decode"], ["decrypt"]),
}
_CKKS_WORK: _Work = {
    "encode_encrypt": (["encode", "encrypt"], ["encode", "encrypt"]),
    "decrypt_decode": (["decrypt", "decode"], ["decrypt", "decode"]),
}
"""Operations that a gain compares: those of software, and of the accelerator."""


def _gains(baseline: pd.DataFrame, costs: pd.DataFrame, work: _Work) -> Iterator[dict[str, object]]:
    for name, (operations, accelerated) in work.items():
        if not set(operations) <= set(baseline.index):
            continue
        ours, theirs = costs.loc[accelerated], baseline.loc[operations]
        source = combine(*theirs.provenance, *ours.provenance)
        for quantity, column in (("speedup", "time_s"), ("energy_gain", "energy_j")):
            value = theirs[column].sum() / ours[column].sum()
            yield {
                "quantity": f"{name}_{quantity}",
                "value": value,
                "unit": "1",
                "provenance": source,
            }


def _power(costs: pd.DataFrame) -> Iterator[dict[str, object]]:
    encrypt = costs.loc["encrypt"]
    yield {
        "quantity": "accelerator_power",
        "value": encrypt.energy_j / encrypt.time_s,
        "unit": "W",
        "provenance": encrypt.provenance,
    }


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
    bfv = comparison(software, accelerator, points, version)
    ckks = ckks_comparison(software, accelerator, job.settings.ckks_software, version)
    gains = pd.concat([bfv, ckks], ignore_index=True)
    write_table(gains, job.outputs["comparison"], COMPARISON)


if __name__ == "__main__":
    run_stage(stage, Settings)
