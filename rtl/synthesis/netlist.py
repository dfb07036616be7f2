"""A mapped netlist: cells of a library, black boxes, and nets between them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import ChocoError
from rtl.synthesis.liberty import Cell

Bit = int | str
"""A net's number, or a constant: "0", "1", "x"."""


@dataclass(frozen=True)
class Port:
    """A port of a module: its direction (input or output) and nets, the lowest bit first."""

    direction: str
    bits: tuple[Bit, ...]


@dataclass(frozen=True)
class Instance:
    """A cell of the library: pins to nets, one bit each."""

    kind: str
    pins: dict[str, Bit]


@dataclass(frozen=True)
class Box:
    """An instance of a module that is not inside: a block with a row of its own, or a memory."""

    module: str
    path: str
    parameters: dict[str, int]
    ports: dict[str, tuple[Bit, ...]]


@dataclass(frozen=True)
class Netlist:
    """One module after mapping."""

    module: str
    ports: dict[str, Port]
    instances: tuple[Instance, ...]
    boxes: tuple[Box, ...]

    def counts(self) -> Counter[str]:
        """Return how many instances of each library cell there are."""
        return Counter(instance.kind for instance in self.instances)

    def inputs(self) -> list[Bit]:
        """Return the nets that something outside drives: input ports, outputs of boxes."""
        nets = [b for p in self.ports.values() if p.direction == "input" for b in p.bits]
        for box in self.boxes:
            nets += [b for name, bits in box.ports.items() if is_output(name) for b in bits]
        return nets


def is_output(port: str) -> bool:
    """Tell the direction of a port of the design by its name, as the code style has it."""
    return port.endswith("_o")


def read(path: Path, cells: Mapping[str, Cell], boxes: Iterable[str]) -> Netlist:
    """Read a netlist that Yosys wrote as JSON, and check that it is one.

    Raises:
        ChocoError: it is empty, has latches, or cells that neither the library nor ``boxes`` has.
    """
    try:
        modules = json.loads(path.read_text(encoding="utf-8"))["modules"]
    except (OSError, ValueError, KeyError) as error:
        raise ChocoError(f"{path}: no netlist here: {error}") from None
    tops = {name: m for name, m in modules.items() if "top" in m["attributes"]}
    if len(tops) != 1:
        raise ChocoError(f"{path}: expected one top module, found {len(tops)}")
    ((name, top),) = tops.items()
    instances, found = [], []
    boxes = set(boxes)
    for path_name, cell in top["cells"].items():
        kind, pins = cell["type"], cell["connections"]
        if kind in boxes:
            values = {n: _number(v) for n, v in cell["parameters"].items()}
            ports = {n: tuple(bits) for n, bits in pins.items()}
            found.append(Box(kind, path_name, values, ports))
        elif kind not in cells:
            raise ChocoError(f"{path}: {name} has an unmapped cell {kind!r} ({path_name})")
        elif cells[kind].is_latch:
            raise ChocoError(f"{path}: {name} has a latch {kind!r} ({path_name})")
        else:
            instances.append(Instance(kind, {pin: bits[0] for pin, bits in pins.items()}))
    if not instances and not found:
        raise ChocoError(f"{path}: {name} was mapped to nothing")
    ports = {n: Port(p["direction"], tuple(p["bits"])) for n, p in top["ports"].items()}
    return Netlist(name, ports, tuple(instances), tuple(found))


def write_verilog(
    netlist: Netlist, path: Path, keep: Iterable[int] | None = None, *, open_boxes: bool = False
) -> None:
    """Write a netlist as structural Verilog: instance i is ``u<i>``, net i is ``n<i>``.

    Args:
        netlist: what to write; boxes become instances ``b<i>``, all but the first of a module
            under another name (``taco_mod_mul_again``), so that they can be left out.
        path: the file.
        keep: numbers of the instances to write; default all.
        open_boxes: write no boxes; what they drive are inputs of the module.
    """
    of_port: dict[Bit, str] = {}
    assigns, declarations, names = [], [], []
    for name, port in netlist.ports.items():
        width = f" [{len(port.bits) - 1}:0]" if len(port.bits) > 1 else ""
        declarations.append(f"  {port.direction}{width} {name};")
        names.append(name)
        for i, bit in enumerate(port.bits):
            wire = f"{name}[{i}]" if width else name
            if port.direction == "input":
                of_port[bit] = wire
            else:
                assigns.append((wire, bit))

    for box in netlist.boxes if open_boxes else ():
        for name, bits in box.ports.items():
            for bit in bits if is_output(name) else ():
                if isinstance(bit, int) and bit not in of_port:
                    of_port[bit] = f"n{bit}"
                    declarations.append(f"  input n{bit};")
                    names.append(f"n{bit}")

    def net(bit: Bit) -> str:
        if isinstance(bit, str):
            return "1'b1" if bit == "1" else "1'b0"
        return of_port.get(bit, f"n{bit}")

    lines = [f"module {netlist.module} ({', '.join(names)});", *declarations]
    used: set[int] = set()
    shown: set[str] = set()
    body = []
    chosen = range(len(netlist.instances)) if keep is None else keep
    for i in chosen:
        instance = netlist.instances[i]
        used.update(b for b in instance.pins.values() if isinstance(b, int))
        pins = ", ".join(f".{pin}({net(bit)})" for pin, bit in instance.pins.items())
        body.append(f"  {instance.kind} u{i} ({pins});")
    for i, box in enumerate(netlist.boxes if keep is None and not open_boxes else ()):
        ports = []
        for name, bits in box.ports.items():
            used.update(b for b in bits if isinstance(b, int))
            joined = ", ".join(net(b) for b in reversed(bits))
            ports.append(f".{name}({{{joined}}})" if len(bits) > 1 else f".{name}({joined})")
        # One of each kind is enough for timing, and the others stay black boxes.
        kind = box.module if box.module not in shown else f"{box.module}_again"
        shown.add(box.module)
        body.append(f"  {kind} b{i} ({', '.join(ports)});")
    used.update(b for _, b in assigns if isinstance(b, int))
    lines += [f"  wire n{bit};" for bit in sorted(used - of_port.keys())]
    lines += body
    lines += [f"  assign {wire} = {net(bit)};" for wire, bit in assigns]
    lines.append("endmodule\n")
    path.write_text("\n".join(lines), encoding="utf-8")


def interface_cells(netlist: Netlist, cells: Mapping[str, Cell]) -> list[int]:
    """Return the instances between the ports and the first flip-flops, flip-flops included.

    What a block shows to its neighbours' timing, a small part of it: paths from inputs forward and
    from outputs backward, each up to flip-flops.
    """
    readers: defaultdict[Bit, list[int]] = defaultdict(list)
    driver: dict[Bit, int] = {}
    for i, instance in enumerate(netlist.instances):
        cell = cells[instance.kind]
        for pin, bit in instance.pins.items():
            if pin in cell.outputs:
                driver[bit] = i
            else:
                readers[bit].append(i)
    clock = {b for n, p in netlist.ports.items() if n in ("clk_i", "rst_ni") for b in p.bits}
    kept: set[int] = set()
    ports = netlist.ports.values()
    waiting = [b for p in ports if p.direction == "input" for b in p.bits if b not in clock]
    while waiting:
        for i in readers[waiting.pop()]:
            if i not in kept:
                kept.add(i)
                instance = netlist.instances[i]
                if not cells[instance.kind].next_state:
                    outputs = cells[instance.kind].outputs
                    waiting += [bit for pin, bit in instance.pins.items() if pin in outputs]
    back = [b for p in ports if p.direction == "output" for b in p.bits]
    seen: set[Bit] = set()
    while back:
        bit = back.pop()
        if bit in seen or bit not in driver:
            continue
        seen.add(bit)
        i = driver[bit]
        kept.add(i)
        instance = netlist.instances[i]
        if not cells[instance.kind].next_state:
            back += [b for p, b in instance.pins.items() if p not in cells[instance.kind].outputs]
    return sorted(kept)


def _number(text: str | int) -> int:
    if isinstance(text, int):
        return text
    return int(text, 2) if text and set(text) <= {"0", "1"} else 0
