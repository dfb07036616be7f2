"""Buffer trees on nets of many sinks, in a netlist as Yosys writes it.

ABC buffers what it maps, but not what registers, inputs and black boxes drive: a net may reach
thousands of multiplexers. Clock and reset stay as they are: they get trees of their own in layout.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rtl.synthesis.liberty import Cell
from rtl.synthesis.signals import CLOCK, RESET

MAX_FANOUT = 16


def buffer_cell(cells: Mapping[str, Cell], dont_use: Iterable[str] = ()) -> Cell | None:
    """Return a buffer of middling strength: the third smallest, or the largest of fewer."""
    patterns = list(dont_use)
    found = [
        cell
        for cell in cells.values()
        if len(cell.inputs) == 1
        and len(cell.outputs) == 1
        and not cell.state[0]
        and cell.truth_table(next(iter(cell.outputs))) == 0b10
        and not any(fnmatchcase(cell.name, pattern) for pattern in patterns)
    ]
    found.sort(key=lambda cell: (cell.area, cell.name))
    return found[min(2, len(found) - 1)] if found else None


def buffer_fanout(path: Path, cells: Mapping[str, Cell], dont_use: Iterable[str] = ()) -> int:
    """Insert buffers until no net drives more than ``MAX_FANOUT`` cells; return how many."""
    buffer = buffer_cell(cells, dont_use)
    design = json.loads(path.read_text(encoding="utf-8"))
    top = next(m for m in design["modules"].values() if "top" in m["attributes"])
    if buffer is None:
        return 0
    left_alone = {
        bit for name in (CLOCK, RESET) if name in top["ports"] for bit in top["ports"][name]["bits"]
    }
    sinks: defaultdict[int, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    highest = 1
    for cell in top["cells"].values():
        known = cells.get(cell["type"])
        for pin, bits in cell["connections"].items():
            highest = max([highest, *(b for b in bits if isinstance(b, int))])
            if known is not None and pin in known.inputs and bits[0] not in left_alone:
                sinks[bits[0]].append((cell, pin))
    for port in top["ports"].values():
        highest = max([highest, *(b for b in port["bits"] if isinstance(b, int))])
    (source,), (target,) = buffer.inputs, buffer.outputs
    made = 0
    for net, reached in list(sinks.items()):
        while isinstance(net, int) and len(reached) > MAX_FANOUT:
            groups = -(-len(reached) // MAX_FANOUT)
            above: list[tuple[dict[str, Any], str]] = []
            for i in range(groups):
                highest += 1
                tree = {
                    "type": buffer.name,
                    "parameters": {},
                    "attributes": {},
                    "connections": {source: [net], target: [highest]},
                }
                for cell, pin in reached[i::groups]:
                    cell["connections"][pin] = [highest]
                top["cells"][f"$fanout${made}"] = tree
                above.append((tree, source))
                made += 1
            reached = above
    path.write_text(json.dumps(design), encoding="utf-8")
    return made
