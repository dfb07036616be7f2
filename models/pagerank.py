"""Stage: what client-aided PageRank communicates, for every split into encrypted sets.

A total of T iterations runs in g sets of s continuous encrypted iterations each; between sets the
client decrypts and encrypts anew (CHOCO, DOI 10.1145/3503222.3507737, Section 5.6 and Figure 13).
For every g, s is ceil(T / g); where g does not divide T, the last set is shorter. All sets of a
split use the parameters of s, so that the client sends one set of keys; a shorter last set
uploads as much, and its result is counted as large, though it may be smaller.

Ciphertexts count 8 N bytes for each residue polynomial, as the paper counts them. Evaluation keys,
sent once whatever the total, have a column of their own.
"""

import pandas as pd
from pydantic import Field

from models.config.base import Section
from models.errors import ChocoError
from models.provenance import combine, model
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

_SCHEME = Column(str, Check.isin(["bfv", "ckks"]))
_COUNT = Column(int, Check.gt(0))
_OPTIONAL = Column("Int64", nullable=True)

PARAMETERS = table_schema(
    scheme=_SCHEME,
    iterations=_COUNT,
    searched_iterations=_COUNT,
    feasible=bool,
    poly_modulus_degree=_OPTIONAL,
    coeff_modulus_bits=Column(str, nullable=True),
    key_residues=_OPTIONAL,
    plain_moduli=_OPTIONAL,
    plain_modulus_bits=_OPTIONAL,
    plain_modulus=Column(str, nullable=True),
    rank_bits=_OPTIONAL,
    weight_bits=_OPTIONAL,
    download_residues=_OPTIONAL,
    upload_bytes=_OPTIONAL,
    download_bytes=_OPTIONAL,
    key_bytes=_OPTIONAL,
    hardware_compatible=Column("boolean", nullable=True),
    trials=_OPTIONAL,
    confirmed_moduli=_OPTIONAL,
    budget_bits=_OPTIONAL,
    error_l1=Column(float, nullable=True),
    allowed_l1=float,
    reason=Column(str, nullable=True),
)
"""The smallest parameter set by scheme and iterations in a set; where there is none, why.

``rank_bits`` are the fractional bits of encrypted ranks, in CKKS log2 of their scale. Bytes are
those of one set: an upload and a download (of all ``plain_moduli`` ciphertexts). Not every large
number of iterations is searched for; ``searched_iterations`` is the one whose parameters these are,
an upper bound where it is larger."""

COMMUNICATION = table_schema(
    scheme=_SCHEME,
    total_iterations=_COUNT,
    iterations_per_set=_COUNT,
    sets=_COUNT,
    last_set_iterations=_COUNT,
    poly_modulus_degree=_COUNT,
    key_residues=_COUNT,
    plain_moduli=_COUNT,
    upload_bytes=_COUNT,
    download_bytes=_COUNT,
    total_bytes=_COUNT,
    key_bytes=_COUNT,
    continuous=bool,
    hardware_compatible=bool,
    optimal=bool,
    hardware_optimal=bool,
)
"""One row a split. ``continuous`` is a single set; ``optimal`` has the fewest total bytes of its
total and scheme (where several are equal, the fewest key bytes), ``hardware_optimal`` the fewest of
those that the accelerator supports."""


class Settings(Section):
    """Which totals."""

    max_iterations: int = Field(ge=1, description="largest total")


def stage(job: Job[Settings]) -> None:
    """Compute table ``communication`` from ``bfv`` and ``ckks``, tables ``PARAMETERS``."""
    parameters = pd.concat(
        [read_table(job.inputs[scheme], PARAMETERS) for scheme in ("bfv", "ckks")]
    )
    largest = int(parameters.iterations.max())
    if job.settings.max_iterations > largest:
        raise ChocoError(
            f"{job.inputs['bfv']}: sets of up to {largest} iterations; "
            f"max_iterations asks for {job.settings.max_iterations}"
        )
    table = communication(parameters, job.settings.max_iterations)
    write_table(table, job.outputs["communication"], COMMUNICATION)


def splits(total: int) -> list[tuple[int, int]]:
    """Return (iterations per set, sets) for every number of sets that has a set size of its own."""
    found: dict[int, int] = {}
    for sets in range(1, total + 1):
        size = -(-total // sets)
        found.setdefault(size, -(-total // size))
    return sorted(found.items())


def communication(parameters: pd.DataFrame, max_iterations: int) -> pd.DataFrame:
    """Return table ``COMMUNICATION`` for all totals of 1 ... ``max_iterations``.

    Args:
        parameters: table ``PARAMETERS``; splits into sets that are not feasible are left out.
        max_iterations: largest total.

    Raises:
        ChocoError: no set is feasible in some scheme.
    """
    rows = []
    for scheme, sets_of_scheme in parameters.groupby("scheme"):
        feasible = sets_of_scheme[sets_of_scheme.feasible].set_index("iterations")
        if feasible.empty:
            raise ChocoError(
                f"pagerank: no parameters for {scheme}: {sets_of_scheme.reason.iloc[0]}"
            )
        for total in range(1, max_iterations + 1):
            found = [
                _row(str(scheme), total, size, sets, feasible.loc[size])
                for size, sets in splits(total)
                if size in feasible.index
            ]
            rows += _marked(found)
    return pd.DataFrame(rows)


def _row(scheme: str, total: int, size: int, sets: int, chosen: pd.Series) -> dict[str, object]:
    upload, download = sets * int(chosen.upload_bytes), sets * int(chosen.download_bytes)
    return {
        "scheme": scheme,
        "total_iterations": total,
        "iterations_per_set": size,
        "sets": sets,
        "last_set_iterations": total - (sets - 1) * size,
        "poly_modulus_degree": int(chosen.poly_modulus_degree),
        "key_residues": int(chosen.key_residues),
        "plain_moduli": int(chosen.plain_moduli),
        "upload_bytes": upload,
        "download_bytes": download,
        "total_bytes": upload + download,
        "key_bytes": int(chosen.key_bytes),
        "continuous": sets == 1,
        "hardware_compatible": bool(chosen.hardware_compatible),
        "provenance": combine(chosen.provenance, model("communication")),
    }


def _marked(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Mark the optimal rows among those of one total."""

    def cost(row: dict[str, object]) -> tuple[object, ...]:
        return row["total_bytes"], row["key_bytes"]

    best = min(rows, key=cost, default=None)
    supported = [row for row in rows if row["hardware_compatible"]]
    best_supported = min(supported, key=cost, default=None)
    return [
        row | {"optimal": row is best, "hardware_optimal": row is best_supported} for row in rows
    ]


if __name__ == "__main__":
    run_stage(stage, Settings)
