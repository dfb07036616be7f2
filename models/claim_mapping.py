"""How a claim of the paper is computed from our tables: the language of ``report/claims.yaml``.

The file is a list of groups. Every key of a group except ``about`` and ``claims`` is a default
of its claims; a claim may give any of them again, and ``rows`` of both are merged::

    - about: why these claims belong together and why this tolerance
      table: results/profile/client_operations.csv   # where our number is
      rows: {scheme: bfv, key_residues: 3}           # column: value, must select one row
      column: time_s
      scale: 1000                                    # from our unit to the claim's
      tolerance: 0.1                                 # relative; or within: 1, in the claim's unit
      explanation: why ours differs, printed where it does
      note: printed in any case
      claims:
        derived_client_encrypt_time: {rows: {operation: [encode, encrypt]}}
        encrypt_speedup: {over: {rows: {platform: accelerator}}}

A list in ``rows`` selects one row per item and adds them up, and so does a list in ``column``.
``over`` divides by a second selection, which inherits what it does not say; ``complement: true``
takes one minus the result. Instead of ``table``, ``configuration: client.clock_hz`` takes a
value of the configuration (the sum, if it is a list; ``sizes.0`` is the first of a list). A claim
with neither is only explained.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

import pandas as pd
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from models.config import Config
from models.config.base import Section, one_line
from models.errors import ChocoError
from models.paper import read_yaml
from models.provenance import combine

Scalar = str | int | float
Several = Annotated[list[Scalar], Field(min_length=1)]
Rows = dict[str, Scalar | Several]

CONFIGURATION = "configuration"
"""Provenance of a value that the configuration sets."""


class NoValueError(Exception):
    """The tables, as this configuration makes them, do not hold the number; says why."""


@dataclass(frozen=True)
class Value:
    """One of our numbers and where it came from."""

    value: float
    provenance: str


class Selection(Section):
    """Cells of a table, added up."""

    table: str
    rows: Rows = Field(default_factory=dict)
    column: str | Several

    def evaluate(self, tables: Callable[[str], pd.DataFrame]) -> Value:
        """Add up the selected cells.

        Raises:
            ChocoError: a column is missing, or several rows match.
            NoValueError: no row matches, or the cell is empty.
        """
        columns = [str(c) for c in ([self.column] if isinstance(self.column, str) else self.column)]
        choices = [v if isinstance(v, list) else [v] for v in self.rows.values()]
        rows = [
            self._row(tables(self.table), dict(zip(self.rows, choice, strict=True)), columns)
            for choice in product(*choices)
        ]
        cells = [float(row[column]) for row in rows for column in columns]
        return Value(sum(cells), combine(*(str(row["provenance"]) for row in rows)))

    def _row(self, table: pd.DataFrame, wanted: dict[str, Scalar], columns: list[str]) -> Any:
        for column in (*wanted, *columns, "provenance"):
            if column not in table:
                raise ChocoError(
                    f"{self.table}: no column {column!r}; it has {', '.join(table.columns)}"
                )
        matching = table
        for column, value in wanted.items():
            matching = matching[matching[column].map(lambda cell, v=value: _equal(cell, v))]
        selector = ", ".join(f"{column} = {value}" for column, value in wanted.items())
        if len(matching) > 1:
            raise ChocoError(f"{self.table}: {len(matching)} rows match {selector or 'all'}, not 1")
        if matching.empty:
            raise NoValueError(f"{self.table} has no row with {selector}")
        row = matching.iloc[0]
        for column in columns:
            if pd.isna(row[column]):
                raise NoValueError(f"{self.table} has no {column} for {selector}")
        return row


class Over(Section):
    """The divisor; what it leaves out is as in the dividend."""

    table: str | None = None
    rows: Rows = Field(default_factory=dict)
    column: str | Several | None = None


class Mapping(Section):
    """How one claim is computed, and how near it must come."""

    table: str | None = None
    rows: Rows = Field(default_factory=dict)
    column: str | Several | None = None
    over: Over | None = None
    complement: bool = False
    configuration: str | None = None
    scale: float = 1.0
    tolerance: float | None = Field(None, gt=0)
    within: float | None = Field(None, gt=0)
    explanation: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.table is not None and self.configuration is not None:
            raise ValueError("configuration: give either a table or a key of the configuration")
        if self.table is not None and self.column is None:
            raise ValueError("column: needed with a table")
        if not self.computed:
            if not self.explanation:
                raise ValueError("table: give a table, a configuration key or an explanation")
            return self
        if (self.tolerance is None) == (self.within is None):
            raise ValueError("tolerance: give either tolerance or within")
        if not self.explanation:
            raise ValueError("explanation: needed, for the case that the numbers differ")
        return self

    @property
    def computed(self) -> bool:
        """Whether there is a number of ours; else the claim is only explained."""
        return self.table is not None or self.configuration is not None

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The dividend and, where there is one, the divisor."""
        if self.table is None or self.column is None:
            return ()
        dividend = Selection(table=self.table, rows=self.rows, column=self.column)
        if self.over is None:
            return (dividend,)
        other = self.over.table is not None and self.over.table != self.table
        divisor = Selection(
            table=self.over.table or self.table,
            rows=self.over.rows if other else self.rows | self.over.rows,
            column=self.over.column or self.column,
        )
        return dividend, divisor

    def evaluate(self, tables: Callable[[str], pd.DataFrame], config: Config) -> Value:
        """Compute our number in the claim's unit.

        Raises:
            ChocoError: the mapping does not fit the tables.
            NoValueError: the tables do not hold the number.
        """
        if self.configuration is not None:
            return Value(self.scale * _configured(config, self.configuration), CONFIGURATION)
        parts = [selection.evaluate(tables) for selection in self.selections]
        value = parts[0].value
        if len(parts) == 2:
            if parts[1].value == 0:
                raise NoValueError(f"{self.selections[1].table}: the divisor is 0")
            value /= parts[1].value
        if self.complement:
            value = 1 - value
        return Value(self.scale * value, combine(*(part.provenance for part in parts)))


class _Group(BaseModel):
    model_config = {"extra": "allow"}

    about: Annotated[str, Field(min_length=1)]
    claims: dict[str, dict[str, Any] | None] = Field(min_length=1)


def load(path: Path) -> dict[str, Mapping]:
    """Read how each claim is computed, by the claim's id.

    Raises:
        ChocoError: not YAML, an unknown or missing key, or a claim that is mapped twice.
    """
    try:
        groups = TypeAdapter(list[_Group]).validate_python(read_yaml(path))
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None
    mappings: dict[str, Mapping] = {}
    for group in groups:
        defaults = group.model_extra or {}
        for claim_id, given in group.claims.items():
            if claim_id in mappings:
                raise ChocoError(f"{path}: claim {claim_id} is mapped twice")
            own = given or {}
            rows = {"rows": (defaults.get("rows") or {}) | (own.get("rows") or {})}
            try:
                mappings[claim_id] = Mapping.model_validate(defaults | own | rows)
            except ValidationError as error:
                raise ChocoError(f"{path}: claim {claim_id}: {one_line(error)}") from None
    return mappings


def claim_tables(path: Path) -> list[str]:
    """List the tables that a mapping refers to, sorted; the claims stage reads these.

    Raises:
        ChocoError: the mapping is not valid.
    """
    return sorted({s.table for mapping in load(path).values() for s in mapping.selections})


def _equal(cell: Any, wanted: Scalar) -> bool:
    try:
        return float(cell) == float(wanted)
    except ValueError:
        return str(cell) == str(wanted)


def _configured(config: Config, key: str) -> float:
    value: Any = config
    for part in key.split("."):
        if isinstance(value, dict):
            if part not in value:
                raise NoValueError(f"the configuration has no {key}")
            value = value[part]
        elif isinstance(value, BaseModel) and hasattr(value, part):
            value = getattr(value, part)
        elif isinstance(value, tuple) and part.isdigit():
            if int(part) >= len(value):
                raise NoValueError(f"the configuration has no {key}")
            value = value[int(part)]
        else:
            raise ChocoError(f"claims: the configuration has no key {key!r}")
    try:
        return float(sum(value) if isinstance(value, tuple) else value)
    except (TypeError, ValueError):
        raise ChocoError(f"claims: configuration key {key!r} is not a number") from None
