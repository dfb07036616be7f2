"""Published speed of neural networks on Cortex-A7 cores, as data with sources.

``inference.yaml`` beside this module says of every number where it is from.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from models.baselines.protocols import Confidence, Text
from models.config.base import Section, one_line
from models.errors import ChocoError
from models.paper import read_yaml

DATA = Path(__file__).with_name("inference.yaml")

Dtype = Literal["float32", "int8"]


class Result(Section):
    """One network in one type."""

    network: Text
    dtype: Dtype
    macs: float = Field(gt=0, description="multiply-accumulate operations of the network")
    time_s: float = Field(gt=0, description="one inference")
    compared: bool = Field(True, description="whether its rate says something of our networks")


class Machine(Section):
    """A published table of one library on one machine."""

    library: Text
    citation: Text
    machine: Text
    clock_hz: float = Field(gt=0)
    threads: int = Field(gt=0)
    confidence: Confidence
    results: tuple[Result, ...] = Field(min_length=1)

    def macs_per_cycle(self, result: Result) -> float:
        """Return multiply-accumulates per cycle and core."""
        return result.macs / (result.time_s * self.clock_hz * self.threads)


_MACHINES: TypeAdapter[tuple[Machine, ...]] = TypeAdapter(tuple[Machine, ...])


def load(path: Path = DATA) -> tuple[Machine, ...]:
    """Read and check the tables, in the file's order.

    Raises:
        ChocoError: missing, not YAML, or an entry that does not fit; one line.
    """
    try:
        return _MACHINES.validate_python(read_yaml(path))
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None


def published_range(machines: tuple[Machine, ...], dtype: Dtype) -> tuple[float, float]:
    """Return the lowest and the highest compared rate, in multiply-accumulates per cycle and core.

    Raises:
        ChocoError: no result of this type is compared.
    """
    rates = [
        machine.macs_per_cycle(result)
        for machine in machines
        for result in machine.results
        if result.dtype == dtype and result.compared
    ]
    if not rates:
        raise ChocoError(f"no published result of {dtype} is compared")
    return min(rates), max(rates)
