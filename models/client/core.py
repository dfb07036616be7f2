"""A simulated client core: one YAML file that gem5's board and the fast model both read.

Latencies are in cycles of the core where its pipeline and caches decide them and in seconds where
the memory outside does, so that a file stays right at another clock.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError

from models.config.base import Section, one_line
from models.errors import ChocoError

Positive = Annotated[int, Field(ge=1)]
PowerOfTwo = Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]


class FunctionalUnit(Section):
    """Units of one kind; pipelined where ``interval`` is less than ``latency``."""

    count: Annotated[int, Field(ge=1, le=2)] = Field(1, description="how many")
    latency: Annotated[int, Field(ge=1, le=8)] | Literal[9] = Field(
        description="cycles from issue to commit"
    )
    forwarding: Annotated[int, Field(ge=0)] = Field(
        0, description="cycles before a source is ready in which an operation may issue"
    )
    interval: Positive = Field(1, description="cycles between two issues")
    extra_latency: Annotated[int, Field(ge=0)] = Field(
        0, description="cycles after the unit in which a load's result is expected"
    )


class FunctionalUnits(Section):
    """All units, by what they execute."""

    integer: FunctionalUnit
    multiply: FunctionalUnit
    divide: FunctionalUnit
    floating: FunctionalUnit = Field(description="floating point and Advanced SIMD")
    memory: FunctionalUnit
    misc: FunctionalUnit = Field(description="system registers and barriers")


class Pipeline(Section):
    """Widths and buffers of an in-order pipeline."""

    fetch_width: Positive = Field(2, description="instructions fetched and decoded in a cycle")
    issue_width: Positive = Field(2, description="operations issued in a cycle")
    memory_issue_width: Literal[1] = Field(1, description="loads and stores issued in a cycle")
    commit_width: Positive = Field(2, description="operations committed in a cycle")
    decode_cycles: Positive = Field(2, description="cycles from fetch to the first issue")
    front_end_buffer: Annotated[int, Field(ge=2, le=63)] = Field(
        20, description="operations between fetch and issue"
    )
    accesses_in_memory: Annotated[int, Field(ge=1, le=8)] = Field(
        2, description="accesses of the data port that wait for an answer"
    )
    transfers: Annotated[int, Field(ge=1, le=8)] = Field(
        2, description="accesses between issue and commit"
    )
    store_buffer: Annotated[int, Field(ge=1, le=8)] = Field(
        5, description="stores between commit and the cache"
    )


class CacheLevel(Section):
    """A set-associative cache."""

    size_bytes: Annotated[int, Field(ge=1024)] = Field(description="data it holds")
    ways: Positive = Field(description="associativity")
    latency: Positive = Field(description="cycles of a lookup")
    response_latency: Positive = Field(description="cycles a miss adds on its way back")
    mshrs: Positive = Field(description="outstanding misses")
    replacement: Literal["lru", "random"] = Field("lru", description="replacement policy")


class Caches(Section):
    """Two first-level caches over a second level that holds what they evict."""

    line_bytes: Literal[32, 64, 128] = Field(64, description="line size of all levels")
    l1i: CacheLevel
    l1d: CacheLevel
    l2: CacheLevel
    bus_latency: Positive = Field(2, description="cycles between the levels")


class Memory(Section):
    """Main memory."""

    gem5_device: str = Field(description="gem5's DRAM interface class")
    device_bus_bits: Literal[8, 16, 32, 64] | None = Field(
        None, description="width of the data bus; null: the device's own"
    )
    device_clock_hz: Annotated[float, Field(gt=0)] | None = Field(
        None, description="clock of the data bus in Hz; null: the device's own"
    )
    read_latency_s: Annotated[float, Field(gt=0)] = Field(
        description="seconds from a miss of the last cache to the data (fast model)"
    )
    size_bytes: Positive = Field(512 << 20, description="capacity")


class BranchPredictor(Section):
    """Tournament of local and global history."""

    local_entries: PowerOfTwo = 2048
    global_entries: PowerOfTwo = 8192
    target_entries: PowerOfTwo = 4096
    return_entries: PowerOfTwo = 16


class Core(Section):
    """A core and what is around it."""

    name: str = Field(description="what it stands for")
    clock_hz: Annotated[float, Field(gt=0)] = Field(description="core clock in Hz")
    pipeline: Pipeline = Pipeline()
    functional_units: FunctionalUnits
    caches: Caches
    memory: Memory
    branch_predictor: BranchPredictor = BranchPredictor()

    @property
    def l2_hit_cycles(self) -> int:
        """Cycles of a load that misses the first level and hits the second."""
        caches = self.caches
        l1d = caches.l1d
        return l1d.latency + l1d.response_latency + caches.bus_latency + caches.l2.latency

    @property
    def dram_cycles(self) -> int:
        """Cycles of a load that misses both levels."""
        return self.l2_hit_cycles + round(self.memory.read_latency_s * self.clock_hz)


def read_core(path: Path) -> Core:
    """Read a core from its YAML file.

    Raises:
        ChocoError: the file is missing or does not validate; one line that names file and key.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Core.model_validate(data)
    except OSError as error:
        raise ChocoError(f"{path}: no such core file: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None


def fast_parameters(core: Core) -> str:
    """Return what the fast model reads: one ``name value`` a line."""
    pipeline, predictor = core.pipeline, core.branch_predictor
    values: dict[str, int | str] = {
        "fetch_width": pipeline.fetch_width,
        "issue_width": pipeline.issue_width,
        "memory_issue_width": pipeline.memory_issue_width,
        "commit_width": pipeline.commit_width,
        "decode_latency": pipeline.decode_cycles,
        "front_end_buffer": pipeline.front_end_buffer,
        "accesses_in_memory": pipeline.accesses_in_memory,
        "transfers": pipeline.transfers,
        "store_buffer": pipeline.store_buffer,
        "line_bytes": core.caches.line_bytes,
        "l1_latency": core.caches.l1d.latency,
        "l2_latency": core.l2_hit_cycles,
        "dram_latency": core.dram_cycles,
        "predictor_local": predictor.local_entries,
        "predictor_global": predictor.global_entries,
        "target_buffer": predictor.target_entries,
        "return_stack": predictor.return_entries,
    }
    for kind, unit in core.functional_units.model_dump().items():
        values |= {f"{kind}.{name}": value for name, value in unit.items()}
    for level in ("l1i", "l1d", "l2"):
        cache = getattr(core.caches, level)
        values |= {
            f"{level}.size_bytes": cache.size_bytes,
            f"{level}.ways": cache.ways,
            f"{level}.replacement": cache.replacement,
        }
    return "".join(f"{name} {value}\n" for name, value in values.items())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a core file as JSON, which gem5's Python can read without any package."""
    parser = argparse.ArgumentParser(description=(main.__doc__ or "").split("\n")[0])
    parser.add_argument("core", type=Path, help="core file (YAML)")
    try:
        print(read_core(parser.parse_args(arguments).core).model_dump_json(indent=2))
    except ChocoError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
