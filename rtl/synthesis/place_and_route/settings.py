"""What place and route must be told: the block, the technology, the files of the library."""

from functools import cache
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.config.base import one_line
from models.errors import ChocoError
from rtl.synthesis.blocks import MachineRun
from rtl.tb.machine import Build

HERE = Path(__file__).resolve().parent


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Block(_Strict):
    """A module of ``rtl/taco`` that is placed and routed as a whole."""

    module: str
    parameters: dict[str, int] = {}
    utilization: Annotated[float, Field(gt=0.1, lt=0.9)] = 0.55
    """Area of the cells over the area of the core that macros leave."""
    detailed: bool = True
    """Detailed routing and extraction; else global routing and estimated wires."""
    route_iterations: Annotated[int, Field(ge=1, le=64)] = 64
    """Most passes of detailed routing; it stops earlier once no rule is broken."""

    @property
    def text(self) -> str:
        """Return the parameters as tables write them: ``Butterflies=1;Lanes=1``."""
        return ";".join(f"{name}={value}" for name, value in sorted(self.parameters.items()))

    @property
    def name(self) -> str:
        """Return a name for files: ``taco_layer-Butterflies1-Lanes1``."""
        return "-".join([self.module, *(f"{n}{v}" for n, v in sorted(self.parameters.items()))])


class BlockList(_Strict):
    """All of them, and the machine whose signals are recorded."""

    machine: MachineRun
    max_log_n: int
    blocks: tuple[Block, ...]

    def machine_build(self) -> Build:
        """Return the parameters of the machine: no larger than its run needs."""
        return Build(
            residues=len(self.machine.coeff_modulus_bits),
            max_log_n=self.max_log_n,
            butterflies=self.machine.butterflies,
            message_butterflies=self.machine.butterflies,
            lanes=self.machine.lanes,
        )


class Technology(_Strict):
    """What the LEF and Liberty of a cell library do not give (``nangate45.yaml``)."""

    site: str
    tap: str
    tap_distance: float
    fill: str
    ties: tuple[str, ...]
    clock_buffer: str
    clock_cluster_um: float
    dont_use: tuple[str, ...]
    stripes: tuple[tuple[str, float, float, float], ...]
    """Layer, width, pitch (0: along the cell rows), offset."""
    stripe_vias: tuple[tuple[str, str], ...]
    macro_vias: tuple[tuple[str, str], ...]
    halo: float
    signal_layers: str
    clock_layers: str
    layer_adjustment: float
    bottom_layer: str
    top_layer: str
    pin_layer_horizontal: str
    pin_layer_vertical: str
    signal_rc_layer: str
    clock_rc_layer: str
    row_height: float
    snap_x: float
    clock_port: str = "clk_i"
    io_share: float = 0.2
    """Share of the period that neighbours use before inputs and after outputs."""


def read_technology(path: Path) -> Technology:
    """Read the description of a technology.

    Raises:
        ChocoError: it is missing or does not validate; one line.
    """
    try:
        return Technology.model_validate(_yaml(path))
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None


@cache
def block_list(path: Path = HERE / "blocks.yaml") -> BlockList:
    """Read the list of blocks.

    Raises:
        ChocoError: it is missing or does not validate; one line.
    """
    try:
        return BlockList.model_validate(_yaml(path))
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None


def find_block(name: str) -> Block:
    """Return a block of the list by the name of its directory.

    Raises:
        ChocoError: the list has no such block.
    """
    for block in block_list().blocks:
        if block.name == name:
            return block
    known = ", ".join(block.name for block in block_list().blocks)
    raise ChocoError(f"{name!r} is not a block that is placed and routed: {known}")


def _yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
