"""Communication of published protocols of private inference, as data with sources.

``protocols.yaml`` beside this module says of every number where it is from and how well it is
known. What could not be found is listed as such.
"""

from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from models.config.base import Section, one_line
from models.errors import ChocoError
from models.paper import read_yaml

DATA = Path(__file__).with_name("protocols.yaml")

DataSet = Literal["MNIST", "CIFAR-10"]
Confidence = Literal["read", "secondary", "derived", "recalled"]

CONFIDENCE: dict[str, str] = {
    "read": "read at the source",
    "secondary": "read in a secondary source",
    "derived": "derived from published code",
    "recalled": "recalled, not re-read",
}
"""How well a number is known, in words; from best to worst."""

Text = Annotated[str, Field(min_length=1)]


class Result(Section):
    """What a protocol communicates for one image of one network."""

    data_set: DataSet
    network: Text = Field(description="the protocol's network, and how it is counted")
    megabytes: float = Field(gt=0, description="offline and online, both ways, 10^6 bytes")
    confidence: Confidence
    compared: bool = Field(False, description="what figure and ratios use of this data set")
    note: str = ""


class Protocol(Section):
    """A published protocol: results with sources, or why there is none."""

    protocol: Text
    citation: Text = Field(description="authors, title, venue, DOI where there is one")
    cited_as: int | None = Field(None, gt=0, description="number in the paper's references")
    results: tuple[Result, ...] = ()
    not_found: str = Field("", description="why there is no number")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.results) == bool(self.not_found):
            raise ValueError("not_found: needed where there are no results, and only there")
        for data_set in get_args(DataSet):
            here = [result for result in self.results if result.data_set == data_set]
            if here and sum(result.compared for result in here) != 1:
                raise ValueError(f"compared: exactly one result for {data_set} must be")
            if len({result.network for result in here}) < len(here):
                raise ValueError(f"network: two results for {data_set} have the same")
        return self


_PROTOCOLS: TypeAdapter[tuple[Protocol, ...]] = TypeAdapter(tuple[Protocol, ...])


def load(path: Path = DATA) -> tuple[Protocol, ...]:
    """Read and check the protocols, in the file's order.

    Raises:
        ChocoError: missing, not YAML, or an entry that does not fit; names the protocol.
    """
    data = read_yaml(path)
    try:
        protocols = _PROTOCOLS.validate_python(data)
    except ValidationError as error:
        position = next(iter(error.errors()[0]["loc"]), None)
        entry = data[position] if isinstance(data, list) and isinstance(position, int) else None
        name = entry.get("protocol") if isinstance(entry, dict) else None
        raise ChocoError(f"{path}: {f'{name}: ' if name else ''}{one_line(error)}") from None
    names = [protocol.protocol for protocol in protocols]
    for name in names:
        if names.count(name) > 1:
            raise ChocoError(f"{path}: {name} is listed twice")
    return protocols
