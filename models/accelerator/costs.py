"""Costs of blocks and memories as the accelerator's stages take them."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from models import provenance
from models.accelerator.blocks import load_blocks
from models.accelerator.simulator import Technology
from models.config import platform
from models.config.base import Section
from models.config.memory import Memory
from models.memory.costs import SramModel, load_sram
from models.memory.table import recorded_arrays
from models.recorded import MANIFEST, open_recorded


class CostSettings(Section):
    """What every stage needs to know about costs."""

    technology: platform.Technology = Field(
        platform.Technology(), description="library and stage of the blocks"
    )
    memory: Memory = Field(Memory(), description="the kind of SRAM")


@dataclass(frozen=True)
class Costs:
    """Costs, and where they come from."""

    technology: Technology
    provenance: str


def load_costs(blocks: Path, arrays: Path, settings: CostSettings) -> Costs:
    """Load the costs of synthesized blocks, from their manifest, and of SRAM, from its table.

    Raises:
        ChocoError: a table is missing or has changed, or has no such library or arrays.
    """
    return _costs(blocks, load_sram(arrays, settings.memory), settings)


def load_recorded_costs(recorded: Path, settings: CostSettings) -> Costs:
    """Load costs from recorded outputs alone; see ``load_costs``."""
    kind = settings.memory
    arrays = recorded_arrays(recorded / "destiny")
    sram = SramModel(arrays, kind.device_roadmap, kind.optimization_target, kind.two_ports)
    return _costs(recorded / "synthesis" / MANIFEST, sram, settings)


def _costs(blocks: Path, sram: SramModel, settings: CostSettings) -> Costs:
    wanted = settings.technology
    table = load_blocks(open_recorded(blocks.parent), wanted.library, wanted.stage)
    return Costs(Technology(table, sram), provenance.combine(table.provenance, sram.provenance))
