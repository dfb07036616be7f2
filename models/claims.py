"""Every claim of the paper beside our number: ``results/claims.csv``.

No claim is left out. What our tables do not hold is ``not yet``; what they hold is
``reproduced`` if it is as near as ``report/claims.yaml`` asks, and else ``differs``.
"""

from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from models import claim_mapping, paper
from models.claim_mapping import Mapping, NoValueError
from models.config import Config
from models.config.base import Section
from models.errors import ChocoError
from models.paper import Claim, PaperData
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

Status = Literal["reproduced", "differs", "not yet"]
STATUSES: tuple[Status, ...] = get_args(Status)

SCHEMA = table_schema(
    id=Column(str, unique=True),
    where=str,
    statement=str,
    paper_value=float,
    our_value=Column(float, nullable=True),
    unit=str,
    ratio=Column(float, nullable=True),
    tolerance=Column(float, nullable=True),
    within=Column(float, nullable=True),
    status=Column(str, Check.isin(STATUSES)),
    explanation=Column(str, nullable=True),
    source=str,
    role=str,
    kind=str,
    contradicts=Column(str, nullable=True),
).update_column("provenance", nullable=True)
"""Columns of the claims table.

``our_value`` is in ``unit``, as ``paper_value`` is; ``ratio`` is ours over the paper's;
``tolerance`` is relative and ``within`` the same in ``unit`` (where the paper's value is 0 there is
no ratio, only ``within``); ``contradicts`` lists ids. ``provenance`` is that of our number, and
empty where there is none.
"""


class Settings(Section):
    """What the stage needs: the whole configuration, as claims name its keys."""

    configuration: Config


def join(
    data: PaperData,
    mappings: dict[str, Mapping],
    tables: Callable[[str], pd.DataFrame],
    config: Config,
) -> pd.DataFrame:
    """Put our numbers beside the paper's, one row a claim in the paper data's order.

    Args:
        data: the paper's claims.
        mappings: how to compute ours, by claim id.
        tables: returns the result table of a name that the mappings use.
        config: the configuration that the tables were made with.

    Raises:
        ChocoError: a mapping names an unknown claim or does not fit its table.
    """
    for claim_id in mappings:
        data[claim_id]  # an unknown id raises
    rows = [_row(claim, mappings.get(claim.id), tables, config) for claim in data.claims]
    return pd.DataFrame(rows)


def _row(
    claim: Claim,
    mapping: Mapping | None,
    tables: Callable[[str], pd.DataFrame],
    config: Config,
) -> dict[str, object]:
    row: dict[str, object] = {
        "id": claim.id,
        "where": claim.where,
        "statement": claim.statement,
        "paper_value": claim.value,
        "our_value": None,
        "unit": claim.unit,
        "ratio": None,
        "tolerance": None,
        "within": None,
        "status": "not yet",
        "explanation": "",
        "source": claim.source,
        "role": claim.role,
        "kind": claim.kind,
        "contradicts": " ".join(claim.contradicts),
        "provenance": None,
    }
    remarks = []
    if mapping is not None:
        try:
            row |= _judged(claim, mapping, tables, config)
            remarks = [mapping.explanation if row["status"] != "reproduced" else "", mapping.note]
        except NoValueError as reason:
            remarks = [str(reason)]
    paper_note = f"in the paper: {claim.note}" if claim.note else ""
    row["explanation"] = "; ".join(text for text in (*remarks, paper_note) if text)
    return row


def _judged(
    claim: Claim,
    mapping: Mapping,
    tables: Callable[[str], pd.DataFrame],
    config: Config,
) -> dict[str, object]:
    """Return the columns that our number decides; none if the claim is only explained."""
    if not mapping.computed:
        return {}
    if claim.value == 0 and mapping.within is None:
        raise ChocoError(f"claims: {claim.id} is 0 in the paper; give within, not tolerance")
    ours = mapping.evaluate(tables, config)
    size = abs(claim.value)
    within = mapping.within if mapping.within is not None else size * (mapping.tolerance or 0)
    return {
        "our_value": _rounded(ours.value),
        "ratio": _rounded(ours.value / claim.value) if size else None,
        "tolerance": _rounded(within / size) if size else None,
        "within": _rounded(within),
        "status": "reproduced" if abs(ours.value - claim.value) <= within else "differs",
        "provenance": ours.provenance,
    }


def _rounded(value: float) -> float:
    """Keep six significant digits: more than any claim has, and free of binary noise."""
    return float(f"{value:.6g}")


def summary(claims: pd.DataFrame) -> dict[Status, int]:
    """Count the claims of each status."""
    counts = claims["status"].value_counts()
    return {status: int(counts.get(status, 0)) for status in STATUSES}


def render(claims: pd.DataFrame, statuses: Collection[str] = STATUSES) -> str:
    """Word the claims table for a terminal: a line a claim, an indented one to explain it.

    An explanation that neighbours share is printed once.

    Args:
        claims: the claims table.
        statuses: which claims to show; the closing count is always of all.
    """
    shown = claims[claims["status"].isin(list(statuses))]
    id_width = max((len(claim_id) for claim_id in shown["id"]), default=0)
    lines: list[str] = []
    explained = ""
    for row in shown.to_dict("records"):
        unit = "" if row["unit"] == "1" else f" {row['unit']}"
        number = f"{row['paper_value']:g}{unit}"
        if pd.notna(row["our_value"]):
            number += f", ours {row['our_value']:g}{unit} ({row['provenance']})"
        lines.append(f"{row['status']:<10}  {row['id']:<{id_width}}  {number}")
        explanation = row["explanation"] if isinstance(row["explanation"], str) else ""
        if explanation and explanation != explained:
            lines.append(f"{'':<10}  {explanation}")
        explained = explanation
    counts = ", ".join(f"{count} {status}" for status, count in summary(claims).items())
    return "\n".join([*lines, f"{len(claims)} claims: {counts}"])


def stage(job: Job[Settings]) -> None:
    """Write the claims table.

    Inputs: ``paper`` (directory of YAML files), ``mapping`` (YAML file) and the tables that
    the mapping names, which are read relative to the working directory.

    Raises:
        ChocoError: an input is missing or does not fit the others.
    """
    tables = cache(lambda name: read_table(Path(name)))
    claims = join(
        paper.load(job.inputs["paper"]),
        claim_mapping.load(job.inputs["mapping"]),
        tables,
        job.settings.configuration,
    )
    write_table(claims, job.outputs["claims"], SCHEMA)


if __name__ == "__main__":
    run_stage(stage, Settings)
