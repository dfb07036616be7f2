"""Cost of SRAM arrays from the recorded DESTINY table (45 nm).

DESTINY models an array with one port. The accelerator's buffers read and write in the same cycle
(one read and one write port); until a two-port array is modelled, each port is charged the
single-port energy of its access, and the leakage of the single-port array. A real two-port cell
is larger and costs more, so energies here are a lower bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from models.errors import ChocoError
from models.recorded import open_recorded

DeviceRoadmap = Literal["LOP", "LSTP", "HP"]
"""ITRS device classes: low operating power, low standby power, high performance."""

_RUN = "sram-45nm"


@dataclass(frozen=True)
class SramArray:
    """One array: cost of an access of a whole word, leakage, area, latency."""

    capacity_bytes: int
    word_bits: int
    read_energy_j: float
    write_energy_j: float
    leakage_w: float
    area_m2: float
    read_latency_s: float


class SramTable:
    """SRAM arrays of one word width, roadmap and optimization target; exact sizes only."""

    def __init__(self, arrays: Iterable[SramArray], description: str, provenance: str) -> None:
        self.arrays = {array.capacity_bytes: array for array in arrays}
        self.description = description
        self.provenance = provenance

    def array(self, capacity_bytes: int) -> SramArray:
        """Return the array of exactly this capacity.

        Raises:
            ChocoError: DESTINY was not run for it; lists the capacities that there are.
        """
        if capacity_bytes not in self.arrays:
            known = ", ".join(map(str, sorted(self.arrays)))
            raise ChocoError(
                f"no recorded DESTINY run of {capacity_bytes} bytes ({self.description}); "
                f"recorded are: {known}"
            )
        return self.arrays[capacity_bytes]


def load_sram(
    recorded: Path,
    *,
    word_bits: int = 512,
    device_roadmap: DeviceRoadmap = "LOP",
    optimization_target: str = "ReadDynamicEnergy",
) -> SramTable:
    """Load the recorded arrays of one kind.

    Args:
        recorded: directory of the recorded DESTINY runs.
        word_bits: bits of one access; the paper accesses 64 bytes (CHOCO, Section 4.2).
        device_roadmap: device class of the transistors.
        optimization_target: what DESTINY's search minimized; the paper chose read energy.

    Raises:
        ChocoError: the recorded table is missing or has changed, or has no such arrays.
    """
    store = open_recorded(recorded)
    path = store.file(_RUN)
    table = pd.read_csv(path)
    chosen = table[
        (table.word_bits == word_bits)
        & (table.device_roadmap == device_roadmap)
        & (table.optimization_target == optimization_target)
        & (table.status == "ok")
    ]
    description = f"{word_bits}-bit words, {device_roadmap}, {optimization_target}"
    if chosen.empty:
        raise ChocoError(f"{path}: no array with {description}")
    arrays = [
        SramArray(
            capacity_bytes=int(row["capacity_bytes"]),
            word_bits=word_bits,
            read_energy_j=float(row["read_energy_j"]),
            write_energy_j=float(row["write_energy_j"]),
            leakage_w=float(row["leakage_w"]),
            area_m2=float(row["area_m2"]),
            read_latency_s=float(row["read_latency_s"]),
        )
        for row in chosen.to_dict("records")
    ]
    return SramTable(arrays, description, store.provenance(_RUN))
