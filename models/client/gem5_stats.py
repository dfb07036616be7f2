"""Reads the statistics that gem5 writes (``stats.txt``), one block for each measured operation."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.errors import ChocoError

OPERATIONS = ("encode", "encrypt", "decrypt", "decode")
"""The order in which the client program runs, and gem5 dumps, its measured operations."""

_BEGIN = "---------- Begin Simulation Statistics"
_CPU = "system.timing_cpu"
_CYCLES = f"{_CPU}.numCycles"
_INSTRUCTIONS = f"{_CPU}.commitStats0.numInsts"


@dataclass(frozen=True)
class OperationCount:
    """What one operation took on the simulated core."""

    cycles: int
    instructions: int


def parse_blocks(path: Path) -> list[dict[str, float]]:
    """Return the statistics blocks of a ``stats.txt`` (or ``.gz``), name to value, in file order.

    Distributions (several values in a line) keep their first value.

    Raises:
        ChocoError: the file cannot be read or holds no statistics block.
    """
    blocks: list[dict[str, float]] = []
    try:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(_BEGIN):
                    blocks.append({})
                fields = line.split("#")[0].split()
                if blocks and len(fields) >= 2 and (value := _number(fields[1])) is not None:
                    blocks[-1][fields[0]] = value
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ChocoError(f"{path}: cannot be read as gem5 statistics: {error}") from None
    if not blocks:
        raise ChocoError(f"{path}: no gem5 statistics block in it")
    return blocks


def operation_counts(
    path: Path, operations: Sequence[str] = OPERATIONS
) -> dict[str, OperationCount]:
    """Return cycles and instructions of a program's measured operations, by their names.

    The file holds a block for each of them, in this order, then the rest of the program.

    Raises:
        ChocoError: a block is missing, or an operation took no cycles on the timing CPU.
    """
    blocks = parse_blocks(path)
    if len(blocks) < len(operations):
        raise ChocoError(
            f"{path}: {len(blocks)} statistics blocks; needs one each for {', '.join(operations)}"
        )
    counts = {}
    for operation, block in zip(operations, blocks, strict=False):
        cycles, instructions = block.get(_CYCLES, 0), block.get(_INSTRUCTIONS, 0)
        if cycles <= 0 or instructions <= 0:
            raise ChocoError(
                f"{path}: {operation} has no {_CYCLES} or {_INSTRUCTIONS}; "
                "it must run on the timing CPU"
            )
        counts[operation] = OperationCount(int(cycles), int(instructions))
    return counts


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
