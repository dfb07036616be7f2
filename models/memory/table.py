"""Stage: the table of SRAM arrays, from recorded runs of DESTINY or from live ones."""

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models import provenance
from models.config.base import Section
from models.config.memory import Memory
from models.config.platform import Provider
from models.errors import ChocoError
from models.memory.arrays import KEY, SRAM_ARRAYS
from models.memory.destiny import Request
from models.memory.runner import run_destiny
from models.memory.sense import check_agreement, check_growth
from models.recorded import open_recorded
from models.stage import Job, run_stage
from models.tables import read_table, write_table
from models.tools import DESTINY, probe_version, resolve

RUN = "arrays-45nm"


class Settings(Section):
    """What the stage needs."""

    memory: Memory = Field(Memory(), description="the arrays")
    provider: Provider = Field("auto", description="where DESTINY's numbers come from")
    destiny: Path | None = Field(None, description="path of destiny; empty: look on PATH")


def recorded_arrays(directory: Path) -> pd.DataFrame:
    """Return the recorded table, checked, with its provenance.

    Args:
        directory: recorded runs of DESTINY.

    Raises:
        ChocoError: the table is missing, has changed, or is not one.
    """
    store = open_recorded(directory)
    table = read_table(store.file(RUN))
    table["provenance"] = store.provenance(RUN)
    return table


def live_arrays(binary: Path, requests: Iterable[Request]) -> pd.DataFrame:
    """Run DESTINY for arrays, one after the other, and return the table of their optima.

    Raises:
        ChocoError: a run fails or its result makes no sense.
    """
    source = provenance.live(DESTINY.name, probe_version(DESTINY, binary))
    rows = []
    for request in tqdm(list(requests), desc="DESTINY", unit="array", file=sys.stderr):
        for target, array in run_destiny(binary, request).items():
            key = asdict(request) | {"optimization_target": target}
            rows.append(key | asdict(array) | {"provenance": source})
    return pd.DataFrame(rows)


def requests(memory: Memory) -> list[Request]:
    """Return the arrays that a live DESTINY is run for: powers of two, from two words on.

    Raises:
        ChocoError: no array is within the configured size.
    """
    wanted = []
    for bits in memory.live_word_bits:
        size = max(64, bits // 8 * 2)
        while size <= memory.live_largest_bytes:
            wanted.append(Request(size, bits, memory.device_roadmap))
            size *= 2
    if not wanted:
        raise ChocoError(
            f"memory.live_largest_bytes: no array of {memory.live_word_bits} bits a word "
            f"has at most {memory.live_largest_bytes} bytes"
        )
    return wanted


def stage(job: Job[Settings]) -> None:
    """Write the table of arrays; input: manifest of the recorded runs."""
    settings = job.settings
    directory = job.inputs["recorded"].parent
    chosen = resolve(DESTINY, settings.provider, settings.destiny, directory.parent)
    print(f"DESTINY: {chosen.sentence}", file=sys.stderr)
    recorded = recorded_arrays(directory)
    if chosen.path is None:
        table = recorded
    else:
        table = live_arrays(chosen.path, requests(settings.memory))
        check_agreement(table, recorded)
    check_growth(table)
    ordered = table.sort_values(list(KEY), ignore_index=True)
    write_table(ordered, job.outputs["arrays"], SRAM_ARRAYS)


if __name__ == "__main__":
    run_stage(stage, Settings)
