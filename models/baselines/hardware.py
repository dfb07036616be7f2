"""Hardware that supports a part of encryption and decryption, by the paper's method.

CHOCO (DOI 10.1145/3503222.3507737, Section 2.2) takes its own software and divides the time of the
functions that a published accelerator supports by the speedup which that accelerator reports.
``hardware.yaml`` beside this module says what each supports, how much faster, and how well that is
known.
"""

from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import Field, TypeAdapter, ValidationError

from models.baselines.protocols import Confidence, Text
from models.client.profile import FunctionGroup
from models.config.base import Section, one_line
from models.errors import ChocoError
from models.paper import read_yaml

DATA = Path(__file__).with_name("hardware.yaml")


class Support(Section):
    """What hardware does of some operations, and how much faster than software."""

    operations: tuple[Text, ...] = Field(min_length=1)
    function_groups: dict[FunctionGroup, Annotated[float, Field(gt=1)]] = Field(min_length=1)
    confidence: Confidence
    note: str = ""


class Hardware(Section):
    """A published accelerator."""

    name: Text
    system: Text = Field(description="how tables of the client's cost call a client that has it")
    citation: Text
    cited_as: int = Field(gt=0, description="number in the paper's references")
    supports: tuple[Support, ...] = Field(min_length=1)


_HARDWARE: TypeAdapter[tuple[Hardware, ...]] = TypeAdapter(tuple[Hardware, ...])


def load(path: Path = DATA) -> tuple[Hardware, ...]:
    """Read and check the accelerators, in the file's order.

    Raises:
        ChocoError: missing, not YAML, or an entry that does not fit; one line.
    """
    try:
        return _HARDWARE.validate_python(read_yaml(path))
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None


def accelerated(profile: pd.DataFrame, hardware: Hardware) -> pd.Series:
    """Return the cycles of each operation when hardware does what it supports of it.

    Args:
        profile: cycles by ``operation`` and ``function_group`` at one parameter set, as columns
            with ``cycles``; cycles are of software, at the client's clock.
        hardware: what supports it.

    Returns:
        Cycles (float) by operation, in the client's cycles.
    """
    speedup = pd.Series(1.0, index=profile.index)
    for support in hardware.supports:
        for group, factor in support.function_groups.items():
            here = profile.operation.isin(support.operations) & (profile.function_group == group)
            speedup[here] = factor
    cycles: pd.Series = (profile.cycles / speedup).groupby(profile.operation, sort=False).sum()
    return cycles
