"""DESTINY's files: the configuration that asks for an array, the report that answers, its failures.

DESTINY (Poremba et al., DATE 2015, pages 1543-1546) searches the organizations of an
array and reports the best for each of eight targets. Nothing here starts it
(``models.memory.runner`` does): text in, text or numbers out.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.config.memory import DeviceRoadmap, OptimizationTarget
from models.errors import ChocoError

CELL = Path(__file__).with_name("sram_6t.cell")
"""The 6T cell: 146 F2 and transistor widths as in DESTINY's own SRAM sample."""

TARGETS: Mapping[str, OptimizationTarget] = {
    "Read Latency": "ReadLatency",
    "Write Latency": "WriteLatency",
    "Read Energy": "ReadDynamicEnergy",
    "Write Energy": "WriteDynamicEnergy",
    "Read Energy-Delay-Product": "ReadEDP",
    "Write Energy-Delay-Product": "WriteEDP",
    "Leakage": "LeakagePower",
    "Area": "Area",
}
"""What the report calls a target, and what the configuration calls it."""

_CONFIGURATION = """\
-DesignTarget: RAM
-ProcessNode: 45
-Capacity (B): {capacity_bytes}
-WordWidth (bit): {word_bits}
-DeviceRoadmap: {device_roadmap}
-LocalWireType: LocalAggressive
-LocalWireRepeaterType: RepeatedNone
-LocalWireUseLowSwing: No
-GlobalWireType: GlobalAggressive
-GlobalWireRepeaterType: RepeatedNone
-GlobalWireUseLowSwing: No
-Routing: H-tree
-InternalSensing: true
-MemoryCellInputFile: {cell}
-Temperature (K): 300
-OptimizationTarget: ReadDynamicEnergy
-EnablePruning: Yes
-PrintAllOptimals: true
-BufferDesignOptimization: latency
-StackedDieCount: 1
"""

_LINES = {
    "area_m2": r"- Total Area = .* = (\S+)$",
    "read_latency_s": r"-  Read Latency = (\S+)$",
    "write_latency_s": r"- Write Latency = (\S+)$",
    "precharge_latency_s": r"\|--- Precharge Latency   = (\S+)$",
    "read_energy_j": r"-  Read Dynamic Energy = (\S+)$",
    "write_energy_j": r"- Write Dynamic Energy = (\S+)$",
    "leakage_w": r"- Leakage Power = (\S+)$",
}
_ORGANIZATION = {
    "bank": r"^Bank Organization: (.+)$",
    "mat": r"^Mat Organization: (.+)$",
    "subarray": r"- Subarray Size    : (.+)$",
}
_PREFIXES = {"p": -12, "n": -9, "u": -6, "m": -3, "": 0}
_SECTION = re.compile(r"^Optimized for: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """An array to ask DESTINY for."""

    capacity_bytes: int
    word_bits: int
    device_roadmap: DeviceRoadmap

    def __str__(self) -> str:
        return f"{self.capacity_bytes} bytes in {self.word_bits}-bit words, {self.device_roadmap}"


@dataclass(frozen=True)
class Optimum:
    """What DESTINY says of the best organization for a target; one port, one access of a word."""

    area_m2: float
    read_latency_s: float
    write_latency_s: float
    precharge_latency_s: float
    read_energy_j: float
    write_energy_j: float
    leakage_w: float
    bank: str
    mat: str
    subarray: str


def configuration(request: Request, cell: str = CELL.name) -> str:
    """Return the configuration file for an array: 45 nm, 300 K, aggressive wires, one die.

    Args:
        request: the array.
        cell: name of the cell file as DESTINY will find it.

    Raises:
        ChocoError: the array cannot be asked for; DESTINY divides by powers of two only.
    """
    for value, what in ((request.capacity_bytes, "bytes"), (request.word_bits, "bits a word")):
        if value < 8 or value.bit_count() != 1:
            raise ChocoError(f"DESTINY builds powers of two; {value} {what} is none (from 8 on)")
    if request.capacity_bytes * 8 < 2 * request.word_bits:
        raise ChocoError(f"an SRAM array has two words or more; asked for {request}")
    return _CONFIGURATION.format(
        capacity_bytes=request.capacity_bytes,
        word_bits=request.word_bits,
        device_roadmap=request.device_roadmap,
        cell=cell,
    )


def parse_report(text: str, request: Request) -> dict[OptimizationTarget, Optimum]:
    """Return the optimum of every target that a report holds.

    Raises:
        ChocoError: DESTINY found nothing, gave up, or printed something else; one line.
    """
    sections = _SECTION.split(text)
    if len(sections) == 1 or "Finished!" not in text:
        raise ChocoError(f"DESTINY, {request}: {explain(text)}")
    found: dict[OptimizationTarget, Optimum] = {}
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        target = TARGETS.get(title.strip())
        if target is None:
            raise ChocoError(f"DESTINY, {request}: unknown target {title.strip()!r} in its report")
        where = f"DESTINY, {request}, {target}"
        values: dict[str, Any] = {
            name: _quantity(_find(line, body, where), where) for name, line in _LINES.items()
        }
        values |= {name: _find(line, body, where) for name, line in _ORGANIZATION.items()}
        found[target] = Optimum(**values)
    return found


def explain(text: str, returncode: int = 0) -> str:
    """Say in a few words why a run gave no report, from what it printed and how it ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if returncode < 0:
        return f"stopped by signal {-returncode}"
    if "No valid solutions" in text:
        return "it found no organization for this array"
    if "capacity violation" in text:
        return "it cannot divide this capacity into subarrays (it knows powers of two only)"
    for line in lines:
        if "cannot be found" in line:
            return f"it misses a file: {line}"
        if "error" in line.lower():
            return f"it says: {line[:120]}"
    if not lines:
        return "it printed nothing"
    return f"its report breaks off or is no report: {lines[-1][:80]!r} is its last line"


def _find(pattern: str, body: str, where: str) -> str:
    match = re.search(pattern, body, re.MULTILINE)
    if match is None:
        label = pattern.split("=")[0].strip(r"^-\| ") or pattern
        raise ChocoError(f"{where}: no {label.strip()!r} in its report")
    return match[1].strip()


def _quantity(printed: str, where: str) -> float:
    """Return a printed number in SI units, e.g. ``0.864ns`` or ``176862.551um^2``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([pnum]?)(s|J|W|m\^2)", printed)
    if match is None:
        raise ChocoError(f"{where}: {printed!r} is not a quantity")
    number, prefix, unit = match.groups()
    exponent = _PREFIXES[prefix] * (2 if unit == "m^2" else 1)
    value = float(Decimal(number).scaleb(exponent))
    if value <= 0:
        raise ChocoError(f"{where}: {printed!r} is not above zero")
    return value
