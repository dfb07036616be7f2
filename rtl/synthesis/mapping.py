"""Start the mapper for one block and judge what it made."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from models.errors import ChocoError
from rtl.synthesis.fanout import buffer_fanout
from rtl.synthesis.liberty import Cell, full_adder
from rtl.synthesis.netlist import Netlist, read

ROOT = Path(__file__).resolve().parents[2]
TACO = ROOT / "rtl" / "taco"
FASTEST_PS = 1.0
"""A period that nothing reaches: ABC then makes everything as fast as it can."""


def sources(module: str) -> list[Path]:
    """Return the design's files that a module needs, in the order of ``sources.f``.

    Raises:
        ChocoError: the design has no such module.
    """
    files = {Path(name).stem: TACO / name for name in (TACO / "sources.f").read_text().split()}
    if module not in files:
        raise ChocoError(f"rtl/taco has no module {module!r}")
    needed, waiting = {"taco_pkg"}, [module]
    while waiting:
        name = waiting.pop()
        needed.add(name)
        words = set(re.findall(r"^\s*(taco_\w+)", files[name].read_text(), re.MULTILINE))
        waiting += sorted((words & files.keys()) - needed)
    return [file for name, file in files.items() if name in needed]


def ties(cells: Mapping[str, Cell]) -> list[tuple[str, str]]:
    """Return the cells and pins that are constantly one and zero, or nothing."""
    found = {}
    for value in ("1", "0"):
        for cell in cells.values():
            if not cell.inputs and list(cell.outputs.values()) == [value]:
                found[value] = (cell.name, next(iter(cell.outputs)))
    return [found["1"], found["0"]] if len(found) == 2 else []


def map_block(
    module: str,
    parameters: Mapping[str, int],
    black_boxes: Iterable[str],
    liberty: Path,
    cells: Mapping[str, Cell],
    directory: Path,
    *,
    period_s: float | None = 10e-9,
    dont_use: Iterable[str] = (),
    files: Iterable[Path] | None = None,
) -> Netlist:
    """Map a module of the design and return the netlist, also written to ``directory``.

    Args:
        module: its name; ``files`` default to the design's.
        parameters: values of its parameters.
        black_boxes: modules to leave out.
        liberty: plain text Liberty (the mapper does not decompress).
        cells: the cells of that Liberty.
        directory: ``netlist.json`` and ``yosys.log`` go there.
        period_s: clock period to map for; None: as fast as possible.
        dont_use: patterns of cells that the mapper must not take.
        files: SystemVerilog files instead of the design's.

    Raises:
        ChocoError: Yosys failed, or the result is empty, has latches or unmapped cells.
    """
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / "netlist.json"
    target.unlink(missing_ok=True)
    black_boxes, dont_use = list(black_boxes), list(dont_use)
    job = {
        "module": module,
        "parameters": dict(parameters),
        "black_boxes": black_boxes,
        "files": [str(f) for f in (sources(module) if files is None else files)],
        "liberty": str(liberty),
        "dont_use": dont_use,
        "full_adder": full_adder(dict(cells)),
        "ties": ties(cells),
        "period_ps": FASTEST_PS if period_s is None else period_s * 1e12,
        "fast": period_s is None,
        "netlist": str(target),
    }
    command = [sys.executable, "-m", "rtl.synthesis.mapper", json.dumps(job)]
    log = directory / "yosys.log"
    with log.open("w") as output:
        subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False)
    # The log and the netlist are judged, not the exit status.
    text = log.read_text(errors="replace")
    error = re.search(r"^ERROR: (.*)|^\S*Error: (.*)|error: (.*)$", text, re.MULTILINE)
    if not target.exists():
        why = next((g for g in error.groups() if g), "") if error else text.strip()[-200:]
        raise ChocoError(f"Yosys made no netlist of {module}: {why} (see {log})")
    read(target, cells, black_boxes)
    buffer_fanout(target, cells, dont_use)
    return read(target, cells, black_boxes)
