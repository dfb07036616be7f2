"""Activity of a whole block from a recording of the machine, as a file for flow.tcl."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import ChocoError
from rtl.synthesis.blocks import Block, block_list
from rtl.synthesis.cost import working
from rtl.synthesis.liberty import Cell
from rtl.synthesis.netlist import Bit, Netlist, is_output
from rtl.synthesis.replay import Activity, replay
from rtl.synthesis.signals import CLOCK, load, signals

MODES = ("active", "idle")


@dataclass(frozen=True)
class Replayed:
    """Transitions a cycle and share of time high of every net, by mode.

    Nets that enable an SRAM have the share of their mode, all others that of the whole recording.
    """

    active_cycles: int
    rates: Mapping[str, Mapping[Bit, float]]
    high: Mapping[str, Mapping[Bit, float]]


def replay_block(
    netlist: Netlist, cells: Mapping[str, Cell], recording: Path, scratch: Path
) -> Replayed:
    """Replay the recording of a block on its mapped netlist, which must do what the RTL did.

    Raises:
        ChocoError: the netlist differs from the RTL, or the block never works in the recording.
    """
    recorded = signals(netlist)
    values = load(recording, recorded)
    block = Block(netlist.module, (), block_list().blocks[netlist.module])
    enables = {
        f"{box.path}.{port}": box.ports[port]
        for box in netlist.boxes
        for port in ("read_i", "write_i")
    }
    active = working(block, recorded, values)
    activity: Activity = replay(netlist, cells, recorded, values, active, enables, scratch)
    if activity.active_cycles == 0:
        raise ChocoError(f"{recording}: {netlist.module} never works in the recording")
    high: dict[str, dict[Bit, float]] = {mode: dict(activity.high) for mode in MODES}
    for path, duties in activity.box_duty.items():
        for mode, duty in zip(MODES, duties, strict=True):
            high[mode][enables[path][0]] = min(max(duty, 0.0), 1.0)
    return Replayed(
        activity.active_cycles, {"active": activity.working, "idle": activity.idle}, high
    )


def write_activity(
    netlist: Netlist, cells: Mapping[str, Cell], replayed: Replayed, mode: str, path: Path
) -> None:
    """Write ``kind name toggles high``: input ports, outputs of cells (``pin``) and of macros."""
    rates, high = replayed.rates[mode], replayed.high[mode]

    def line(kind: str, name: str, bit: Bit) -> str:
        return f"{kind} {name} {rates.get(bit, 0.0):.6g} {high.get(bit, 0.5):.4f}\n"

    with path.open("w", encoding="utf-8") as file:
        for name, port in netlist.ports.items():
            if port.direction == "input" and name != CLOCK:
                for i, bit in enumerate(port.bits):
                    index = f"[{i}]" if len(port.bits) > 1 else ""
                    file.write(line("port", name + index, bit))
        for i, instance in enumerate(netlist.instances):
            for pin, bit in instance.pins.items():
                if pin in cells[instance.kind].outputs and isinstance(bit, int):
                    file.write(line("pin", f"u{i}/{pin}", bit))
        for i, box in enumerate(netlist.boxes):
            for name, bits in box.ports.items():
                for j, bit in enumerate(bits):
                    if is_output(name) and isinstance(bit, int):
                        file.write(line("macro", f"b{i}/{name}[{j}]", bit))
