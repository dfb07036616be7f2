"""The paper as data: every number that it and its talk state, each with an id.

The YAML files under ``results/paper`` are lists of claims. A contradiction inside the paper is
two claims that name each other; where one side follows from the paper's numbers only by
arithmetic, it is a claim of its own whose source is ``derived``.
Source: van der Hagen and Lucia, ASPLOS 2022, DOI 10.1145/3503222.3507737, and the talk's slides.
"""

from difflib import get_close_matches
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from models.config.base import Section, one_line
from models.errors import ChocoError

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]

Unit = Literal[
    "1", "million", "million/s", "million/MB", "%", "bit", "B", "KiB", "GiB", "MB", "MB/s",
    "Mbit/s", "MHz", "GHz", "nm", "mm2", "s", "ms", "mJ", "mW", "unknown",
]  # fmt: skip
"""Units as the paper prints them; "1" is a ratio or a count, MB is decimal."""


class Claim(Section):
    """One number of the paper."""

    id: Id
    where: Text = Field(description="section, table, figure or slide; the formula if derived")
    source: Literal["paper", "talk", "derived"] = Field(
        "paper", description="derived: follows from the paper's numbers by arithmetic"
    )
    role: Literal["result", "input"] = Field(
        "result", description="input: methodology that the paper takes as given"
    )
    statement: Text
    value: float
    unit: Unit
    kind: Literal["exact", "average", "maximum", "minimum", "approximate"] = "exact"
    parts: tuple[float, ...] = Field((), description="the addends, where the paper prints a list")
    derived_from: tuple[Id, ...] = Field((), description="claims that a derived value follows from")
    contradicts: tuple[Id, ...] = Field((), description="claims that cannot hold beside this one")
    note: str = Field("", description="what to know about the number; needed for a contradiction")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.parts and not isclose(sum(self.parts), self.value):
            raise ValueError(f"value: {self.value:g} is not the sum of parts ({sum(self.parts):g})")
        if bool(self.derived_from) != (self.source == "derived"):
            raise ValueError("derived_from: needed for source 'derived', and only there")
        if self.contradicts and not self.note:
            raise ValueError("note: needed where a claim contradicts another")
        return self


_CLAIMS: TypeAdapter[list[Claim]] = TypeAdapter(list[Claim])


class PaperData:
    """The claims of the paper, by id, in the order of their files."""

    def __init__(self, claims: tuple[Claim, ...]) -> None:
        """Check that ids are unique and that every link leads to a claim and back.

        Raises:
            ChocoError: one line that names the claim and the link.
        """
        self.claims = claims
        if len(self._by_id) < len(claims):
            ids = [claim.id for claim in claims]
            twice = next(i for i in ids if ids.count(i) > 1)
            raise ChocoError(f"paper data: two claims have the id {twice!r}")
        for claim in claims:
            for other in claim.derived_from:
                self._linked(claim, other)
            for other in claim.contradicts:
                if claim.id not in self._linked(claim, other).contradicts:
                    raise ChocoError(
                        f"paper data: {claim.id} contradicts {other}, but {other} does not say so"
                    )

    @cached_property
    def _by_id(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.claims}

    def _linked(self, claim: Claim, other: str) -> Claim:
        if other == claim.id or other not in self._by_id:
            raise ChocoError(f"paper data: {claim.id} refers to {other!r}, which is no other claim")
        return self._by_id[other]

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._by_id

    def __getitem__(self, claim_id: str) -> Claim:
        """Return a claim by its id.

        Raises:
            ChocoError: there is no such claim; names the nearest id.
        """
        if claim_id not in self:
            close = get_close_matches(claim_id, self._by_id, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ChocoError(f"paper data: no claim {claim_id!r}{hint}")
        return self._by_id[claim_id]

    def value(self, claim_id: str) -> float:
        """Return the number of a claim, in the claim's own unit.

        Raises:
            ChocoError: there is no such claim.
        """
        return self[claim_id].value


def load(directory: Path) -> PaperData:
    """Read and check all ``*.yaml`` files of a directory.

    Raises:
        ChocoError: no file, not YAML, or a claim that does not fit :class:`Claim`.
    """
    files = sorted(directory.glob("*.yaml"))
    if not files:
        raise ChocoError(f"{directory}: no *.yaml file with the paper's numbers")
    return PaperData(tuple(claim for file in files for claim in _load_file(file)))


def _load_file(file: Path) -> list[Claim]:
    data = read_yaml(file)
    try:
        return _CLAIMS.validate_python(data)
    except ValidationError as error:
        raise ChocoError(f"{file}: {_named(data, error)}") from None


def read_yaml(file: Path) -> Any:
    """Read a YAML file.

    Raises:
        ChocoError: the file is missing or not YAML.
    """
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ChocoError(f"{file}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{file}: not YAML: {' '.join(str(error).split())}") from None


def _named(data: Any, error: ValidationError) -> str:
    """Word a validation error, naming the claim rather than its position in the file."""
    position = next(iter(error.errors()[0]["loc"]), None)
    entry = data[position] if isinstance(data, list) and isinstance(position, int) else None
    name = entry.get("id") if isinstance(entry, dict) else None
    return f"claim {name}: {one_line(error)}" if name else one_line(error)
