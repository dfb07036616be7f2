"""The list of blocks, blocks.yaml, as typed objects."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

LIST = Path(__file__).with_name("blocks.yaml")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MachineRun(_Entry):
    """The machine whose signals are recorded, and what it does."""

    butterflies: int
    lanes: int
    poly_modulus_degree: int
    coeff_modulus_bits: tuple[int, ...]
    plain_modulus_bits: int
    operations: tuple[str, ...]

    def describe(self) -> str:
        """Return it in a few words, for the `activity` of a row."""
        bits = ",".join(map(str, self.coeff_modulus_bits))
        size = f"N={self.poly_modulus_degree} {{{bits}}}"
        return f"{' '.join(self.operations)} {size} {self.butterflies}x{self.lanes}"


class BlockEntry(_Entry):
    """A block of the list."""

    sizes: dict[str, Annotated[list[int], Field(min_length=1)]]
    boxes: tuple[str, ...] = ()
    instance: str
    active: tuple[str, ...] = ()


class BlockList(_Entry):
    """The whole list."""

    machine: MachineRun
    memories: tuple[str, ...]
    blocks: dict[str, BlockEntry]


@dataclass(frozen=True)
class Block:
    """A module at given parameters: one row of the result."""

    module: str
    parameters: tuple[tuple[str, int], ...]
    entry: BlockEntry

    @property
    def text(self) -> str:
        """Parameters as a table has them: ``Butterflies=4;MaxLogN=13``, sorted."""
        return ";".join(f"{name}={value}" for name, value in self.parameters)

    @property
    def name(self) -> str:
        """Name of its directory: ``taco_ntt-Butterflies4``."""
        return "-".join([self.module, *(f"{name}{value}" for name, value in self.parameters)])


@cache
def block_list() -> BlockList:
    """Return the list."""
    return BlockList.model_validate(yaml.safe_load(LIST.read_text(encoding="utf-8")))


def blocks() -> Iterator[Block]:
    """Yield every block at every size, in the list's order: what is in a block comes before it."""
    for module, entry in block_list().blocks.items():
        names = sorted(entry.sizes)
        for values in product(*(entry.sizes[name] for name in names)):
            yield Block(module, tuple(zip(names, values, strict=True)), entry)


@cache
def by_name() -> dict[str, Block]:
    """Return the blocks by the name of their directory."""
    return {block.name: block for block in blocks()}


def matching(module: str, values: Mapping[str, Any]) -> Block | None:
    """Return the block of the list that an instance with these parameter values is, or None."""
    for block in blocks():
        if block.module == module and all(values.get(n) == v for n, v in block.parameters):
            return block
    return None


def reference(module: str) -> Block:
    """Return the block as the simulated machine has it: the size whose activity is recorded."""
    machine = block_list().machine
    built = {
        "Butterflies": machine.butterflies,
        "Lanes": machine.lanes,
        "Residues": len(machine.coeff_modulus_bits),
        "DataLayers": len(machine.coeff_modulus_bits) - 1,
        "HalfRounds": 2,
        "ClippedNormal": 0,
    }
    found = matching(module, built)
    if found is None:
        raise KeyError(module)
    return found


def needed(block: Block) -> list[Block]:
    """Return the blocks whose costs must be known before this one's.

    What may be inside it (sizes that its own parameters rule out are not), and the size of it that
    is recorded, if it is another one.
    """
    own = dict(block.parameters)
    inside = [
        part
        for part in blocks()
        if part.module in block.entry.boxes
        and all(own.get(name, value) == value for name, value in part.parameters)
    ]
    measured = reference(block.module)
    return [*inside, *([] if measured == block else [measured])]
