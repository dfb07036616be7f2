"""Stage: area, timing and energy of one block, from its netlist and its recording.

What is in a block and has a row of its own (a box) is added by instance: its area and leakage, and
its energy by the share of time in which it works while the block does. Each block pays for the
capacitance of its own input pins, the clock's among them.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from models import provenance
from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tools import OPENSTA, YOSYS, probe_version
from rtl.lib.generate import WIRES
from rtl.synthesis import opensta
from rtl.synthesis.blocks import Block, block_list, by_name, matching, reference
from rtl.synthesis.liberty import Cell, nominal_voltage, read_cells
from rtl.synthesis.map import plain_liberty
from rtl.synthesis.mapping import sources
from rtl.synthesis.netlist import Bit, Box, Netlist, interface_cells, read, write_verilog
from rtl.synthesis.replay import Activity, replay
from rtl.synthesis.signals import CLOCK, Recording, Signal, load, signals

UM2 = 1e-12


class Settings(BaseModel):
    """Which block, which library, which clock."""

    block: str
    pdk: Pdk = Pdk()
    period_s: float = 10e-9
    opensta: Path | None = None


@dataclass(frozen=True)
class Context:
    """What all blocks of a run share."""

    cells: dict[str, Cell]
    liberty: Path
    voltage_v: float
    wire_f: float
    """Capacitance of the wire to one more sink, before layout."""
    netlists: Path
    metrics: Path
    sta: Path | None

    def netlist(self, block: Block) -> Netlist:
        """Return the netlist of a block of the list."""
        boxes = (*block.entry.boxes, *block_list().memories)
        return read(self.netlists / block.name / "netlist.json", self.cells, boxes)

    def cost(self, block: Block) -> dict[str, Any]:
        """Return the metrics of a block that was done before."""
        path = self.metrics / block.name / "metrics.json"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ChocoError(f"{path}: no metrics here: {error}") from None
        return found


def parts(netlist: Netlist) -> list[tuple[Box, Block]]:
    """Return the boxes of a netlist that have rows of their own, with their blocks.

    Raises:
        ChocoError: the list has no block with these parameters.
    """
    found = []
    for box in netlist.boxes:
        if box.module in block_list().memories:
            continue
        block = matching(box.module, box.parameters)
        if block is None:
            raise ChocoError(
                f"rtl/synthesis/blocks.yaml: {netlist.module} has a {box.module} with "
                f"{box.parameters}, which is not in the list"
            )
        found.append((box, block))
    return found


def measure_timing(
    netlist: Netlist, context: Context, period_s: float, directory: Path
) -> opensta.Timing | None:
    """Return the worst path of a block, into and out of its boxes; None: it has none of its own."""
    files = [directory / "netlist.v"]
    write_verilog(netlist, files[0])
    inside = {block.module: block for _, block in parts(netlist)}
    for module, block in inside.items():
        files.append(directory / f"{module}.v")
        part = context.netlist(block)
        write_verilog(part, files[-1], interface_cells(part, context.cells))
    clocked = CLOCK in netlist.ports
    try:
        return opensta.timing(
            netlist.module,
            files,
            context.liberty,
            period_s,
            directory,
            clocked=clocked,
            sta=context.sta,
        )
    except ChocoError:
        # Where nothing but boxes is clocked inside, all paths may be theirs.
        if inside and "reported no path" in (directory / "timing.log").read_text():
            return None
        raise


def working(block: Block, recorded: list[Signal], recording: Recording) -> NDArray[np.bool_]:
    """Return in which cycles of its recording a block works; shape (cycles,)."""
    if block.entry.active:
        columns = [recording.column(path) for path in block.entry.active]
        return np.asarray(np.maximum.reduce(columns) > 0, dtype=np.bool_)
    applied = sum(len(s.bits) for s in recorded if not s.expected)
    bits = recording.bits[:, :applied]
    moved = (bits[1:] != bits[:-1]).any(axis=1)
    return np.concatenate([[False], moved])


def input_energy_j(netlist: Netlist, context: Context, rates: Mapping[Bit, float]) -> float:
    """Return the energy a cycle of charging the input pins and wires of inputs, clock included."""
    loads: defaultdict[Bit, float] = defaultdict(float)
    for instance in netlist.instances:
        for pin, farad in context.cells[instance.kind].capacitance_f.items():
            if pin in instance.pins:
                loads[instance.pins[pin]] += farad + context.wire_f
    clock = netlist.ports[CLOCK].bits[0] if CLOCK in netlist.ports else None
    total = 0.0
    for bit in set(netlist.inputs()):
        rate = 2.0 if bit == clock else rates.get(bit, 0.0)
        total += rate * 0.5 * loads[bit] * context.voltage_v**2
    return total


def cell_energy_j(
    netlist: Netlist,
    context: Context,
    powers: Mapping[int, opensta.CellPower],
    rates: Mapping[Bit, float],
    period_s: float,
) -> float:
    """Return the dynamic energy a cycle of a block's own cells at these transitions a cycle."""
    total = 0.0
    for i, instance in enumerate(netlist.instances):
        outputs = context.cells[instance.kind].outputs
        moved = [rates.get(bit, 0.0) for pin, bit in instance.pins.items() if pin in outputs]
        if moved:
            # Outputs of one cell (Q and its complement, sum and carry) share its energy.
            rate = sum(moved) / len(moved)
            total += powers[i].still_w + rate * powers[i].per_transition_w
    return total * period_s


def box_conditions(netlist: Netlist) -> dict[str, list[Bit]]:
    """Return, for each box with a row, the nets any of which is 1 while it works."""
    return {
        box.path: [bit for port in block.entry.active for bit in box.ports[port]]
        for box, block in parts(netlist)
        if block.entry.active
    }


def measured(
    block: Block,
    netlist: Netlist,
    context: Context,
    recording_file: Path,
    period_s: float,
    directory: Path,
) -> dict[str, Any]:
    """Return energies of a block's own cells under its recording, and the duty of its boxes."""
    recorded = signals(netlist)
    recording = load(recording_file, recorded)
    active = working(block, recorded, recording)
    activity: Activity = replay(
        netlist, context.cells, recorded, recording, active, box_conditions(netlist), directory
    )
    if activity.active_cycles == 0:
        raise ChocoError(f"{recording_file}: {block.name} never works in the recording")
    powers = _powers(netlist, context, period_s, directory)

    def energy_j(rates: Mapping[Bit, float]) -> float:
        own = cell_energy_j(netlist, context, powers, rates, period_s)
        return own + input_energy_j(netlist, context, rates)

    nets = {b for i in netlist.instances for b in i.pins.values()} | set(netlist.inputs())
    inner = [
        b
        for i in netlist.instances
        for p, b in i.pins.items()
        if p in context.cells[i.kind].outputs
    ]
    mean = float(np.mean([activity.working.get(b, 0.0) for b in inner])) if inner else 0.0
    return {
        "active_energy_j": energy_j(activity.working),
        "idle_energy_j": energy_j(activity.idle),
        "default_energy_j": energy_j(dict.fromkeys(nets, opensta.UNIFORM_ACTIVITY)),
        "leakage_w": sum(p.leakage_w for p in powers.values()),
        "transitions_per_net": mean,
        "cycles": activity.cycles,
        "active_cycles": activity.active_cycles,
        "idle_cycles": activity.idle_cycles,
        "box_duty": activity.box_duty,
        "activity": block_list().machine.describe(),
    }


def scaled(block: Block, netlist: Netlist, context: Context, area_m2: float) -> dict[str, Any]:
    """Return the same for a size that was not recorded: by area from the size that was."""
    measured_at = reference(block.module)
    known = context.cost(measured_at)["choco__own"]
    ratio = area_m2 / known["area_m2"] if known["area_m2"] else 0.0
    duty: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    by_path = {box.path: box.module for box, _ in parts(context.netlist(measured_at))}
    for path, values in known["box_duty"].items():
        duty[by_path[path]].append(tuple(values))
    means = {module: tuple(np.mean(values, axis=0)) for module, values in duty.items()}
    return {
        **{
            name: known[name] * ratio
            for name in ("active_energy_j", "idle_energy_j", "default_energy_j", "leakage_w")
        },
        "transitions_per_net": known["transitions_per_net"],
        "box_duty": {
            box.path: means[box.module] for box, _ in parts(netlist) if box.module in means
        },
        "activity": f"{known['activity']}, scaled by area from {measured_at.text}",
    }


def _powers(
    netlist: Netlist, context: Context, period_s: float, directory: Path
) -> dict[int, opensta.CellPower]:
    file = directory / "power.v"
    write_verilog(netlist, file, open_boxes=True)
    return opensta.power(
        netlist.module,
        file,
        context.liberty,
        period_s,
        directory,
        clocked=CLOCK in netlist.ports,
        sta=context.sta,
    )


def stage(job: Job[Settings]) -> None:
    """Write the metrics of one block."""
    settings = job.settings
    if settings.block not in by_name():
        raise ChocoError(f"{settings.block!r} is not a block of rtl/synthesis/blocks.yaml")
    block = by_name()[settings.block]
    directory = job.outputs["metrics"].parent
    scratch = directory / "opensta"
    scratch.mkdir(parents=True, exist_ok=True)
    cells = read_cells(settings.pdk.liberty)
    context = Context(
        cells=cells,
        liberty=plain_liberty(settings.pdk.liberty, scratch),
        voltage_v=nominal_voltage(settings.pdk.liberty),
        wire_f=wire_f(),
        netlists=job.inputs["netlists"],
        metrics=directory.parent,
        sta=settings.opensta,
    )
    metrics = cost(block, context, job.inputs["recordings"], settings.period_s, scratch)
    metrics["choco__library"] = settings.pdk.name
    binary = Path(opensta.binary(settings.opensta))
    metrics["choco__provenance"] = provenance.combine(
        provenance.live("Yosys", probe_version(YOSYS, None)),
        provenance.live("OpenSTA", probe_version(OPENSTA, binary)),
    )
    text = json.dumps(metrics, indent=2, sort_keys=True) + "\n"
    job.outputs["metrics"].write_text(text, encoding="utf-8")
    shutil.rmtree(scratch)
    print(
        f"{block.name}: {metrics['design__instance__count']} cells, "
        f"{metrics['design__instance__area']:.0f} um2, "
        f"{metrics['choco__min_period_s'] * 1e9:.2f} ns, "
        f"{metrics['choco__active_energy_j'] * 1e12:.2f} pJ"
    )


def cost(
    block: Block, context: Context, recordings: Path, period_s: float, directory: Path
) -> dict[str, Any]:
    """Return all metrics of a block; names as in METRICS2.1 where it has one."""
    netlist = context.netlist(block)
    inside = [(box, context.cost(part)) for box, part in parts(netlist)]
    cells = context.cells
    area_m2 = sum(cells[i.kind].area for i in netlist.instances) * UM2
    path = measure_timing(netlist, context, period_s, directory)
    if block == reference(block.module):
        file = recordings / f"{block.module}.hex"
        own = measured(block, netlist, context, file, period_s, directory)
    else:
        own = scaled(block, netlist, context, area_m2)
    own["area_m2"] = area_m2
    active, idle = own["active_energy_j"], own["idle_energy_j"]
    for box, part in inside:
        duty = own["box_duty"].get(box.path, (1.0, 0.0))
        high, low = part["choco__active_energy_j"], part["choco__idle_energy_j"]
        active += duty[0] * high + (1 - duty[0]) * low
        idle += duty[1] * high + (1 - duty[1]) * low
    periods = [part["choco__min_period_s"] for _, part in inside]
    own_period = path.min_period_s if path else 0.0
    count = len(netlist.instances) + sum(part["design__instance__count"] for _, part in inside)
    flops = sum(1 for i in netlist.instances if cells[i.kind].next_state)
    flops += sum(part["design__instance__count__class:sequential_cell"] for _, part in inside)
    total_m2 = area_m2 + sum(part["design__instance__area"] for _, part in inside) * UM2
    leakage = own["leakage_w"] + sum(part["choco__leakage_w"] for _, part in inside)
    slowest = max([own_period, *periods])
    return {
        "design__instance__count": count,
        "design__instance__count__class:sequential_cell": flops,
        "design__instance__area": total_m2 / UM2,
        "timing__setup__ws": (period_s - slowest) * 1e9,
        "timing__hold__ws": path.hold_slack_s * 1e9 if path else None,
        "power__total": active / period_s + leakage,
        "power__leakage__total": leakage,
        "clock__period": period_s * 1e9,
        "choco__block": block.module,
        "choco__parameters": block.text,
        "choco__min_period_s": slowest,
        "choco__path": {"between": path.between, "start": path.start, "end": path.end}
        if path
        else None,
        "choco__leakage_w": leakage,
        "choco__active_energy_j": active,
        "choco__idle_energy_j": idle,
        "choco__activity": own["activity"],
        "choco__own": own,
        "choco__boxes": sorted(f"{part['choco__block']} {box.path}" for box, part in inside),
        "choco__memories": sorted(
            b.path for b in netlist.boxes if b.module in block_list().memories
        ),
        "choco__rtl": [file.name for file in sources(block.module)],
    }


def wire_f() -> float:
    """Return the capacitance of the wire to one sink that OpenSTA assumes (wires.lib)."""
    from rtl.synthesis.liberty import parse, read_text

    load = next(parse(read_text(WIRES)).children("wire_load"))
    return float(load.value("capacitance")) * float(load.value("slope")) * 1e-15


if __name__ == "__main__":
    run_stage(stage, Settings)
