"""Replay a recording on a mapped netlist: checks it against the RTL and counts transitions.

The program replay.cpp does the work; it is compiled once. Every net settles to one value a cycle:
glitches inside a cycle are not counted.
"""

import hashlib
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from rtl.synthesis.liberty import Cell, truth_table
from rtl.synthesis.netlist import Bit, Instance, Netlist
from rtl.synthesis.signals import CLOCK, Recording, Signal

PROGRAM = Path(__file__).with_name("replay.cpp")
BUILD = Path(__file__).with_name("_build")
SETTLED_CYCLES = 16
"""A block is idle when nothing has been active for so many cycles: its pipeline is empty."""


@dataclass(frozen=True)
class Activity:
    """Transitions of every net, per cycle, while the block works and while it is idle.

    ``working`` is what an active cycle costs above its share of idle ones: all transitions of the
    recording = active cycles x working + other cycles x idle.

    Attributes:
        cycles: of the recording.
        active_cycles: in which the block worked.
        idle_cycles: in which it was settled.
        working, idle: net to transitions in a cycle.
        high: net to the share of time that it is 1.
        box_duty: for each box with conditions, the share of active cycles in which it works, and
            the share of idle ones.
    """

    cycles: int
    active_cycles: int
    idle_cycles: int
    working: dict[Bit, float]
    idle: dict[Bit, float]
    high: dict[Bit, float]
    box_duty: dict[str, tuple[float, float]]


class _Builder:
    """Numbers the nets and orders the gates of a netlist for the program."""

    def __init__(self, netlist: Netlist, cells: Mapping[str, Cell]) -> None:
        self.cells = cells
        self.number: dict[object, int] = {"0": 0, "1": 1, "x": 0}
        self.gates: list[tuple[int, list[int], int]] = []
        self.flops: list[tuple[int, int, int, int, int]] = []
        clock = netlist.ports[CLOCK].bits[0] if CLOCK in netlist.ports else None
        for i, instance in enumerate(netlist.instances):
            cell = cells[instance.kind]
            if cell.next_state:
                self._flip_flop(i, instance, cell, clock, netlist.module)
            else:
                for output, function in cell.outputs.items():
                    if output in instance.pins:
                        self._gate(self.net(instance.pins[output]), function, cell, instance)

    def net(self, key: object) -> int:
        return self.number.setdefault(key, max(len(self.number) - 1, 2))

    def either(self, nets: Sequence[int]) -> int:
        """Add a gate that is 1 where any of the nets is; return its net."""
        made = nets[0] if nets else 0
        for other in nets[1:]:
            pair = (made, other)
            made = self.net(("or", pair))
            self.gates.append((made, list(pair), 0b1110))
        return made

    def _gate(self, output: int, function: str, cell: Cell, instance: Instance) -> None:
        nets = [self.net(instance.pins.get(pin, "0")) for pin in cell.inputs]
        self.gates.append((output, nets, truth_table(function, cell.inputs)))

    def _flip_flop(
        self, i: int, instance: Instance, cell: Cell, clock: Bit | None, module: str
    ) -> None:
        if instance.pins.get(cell.clock.strip("()")) != clock:
            raise ChocoError(f"{module}: {instance.kind} is not clocked by the rising {CLOCK}")
        nets = []
        for kind in ("next_state", "clear", "preset"):
            function = getattr(cell, kind)
            nets.append(self.net((kind, i)) if function else 0)
            if function:
                self._gate(nets[-1], function, cell, instance)
        outputs = [0, 0]
        for pin, function in cell.outputs.items():
            if pin in instance.pins:
                outputs[cell.state.index(function.strip("() "))] = self.net(instance.pins[pin])
        self.flops.append((*nets, *outputs))

    def ordered(self) -> list[tuple[int, list[int], int]]:
        """Return the gates so that each comes after what it reads.

        Raises:
            ChocoError: there is a combinational loop.
        """
        driver = {gate[0]: i for i, gate in enumerate(self.gates)}
        readers: defaultdict[int, list[int]] = defaultdict(list)
        missing = []
        for i, (_, nets, _) in enumerate(self.gates):
            inside = [n for n in nets if n in driver]
            missing.append(len(inside))
            for n in inside:
                readers[n].append(i)
        ready = [i for i, count in enumerate(missing) if count == 0]
        order = []
        while ready:
            i = ready.pop()
            order.append(self.gates[i])
            for reader in readers[self.gates[i][0]]:
                missing[reader] -= 1
                if missing[reader] == 0:
                    ready.append(reader)
        if len(order) != len(self.gates):
            raise ChocoError("the netlist has a combinational loop")
        return order


def replay(
    netlist: Netlist,
    cells: Mapping[str, Cell],
    recorded: Sequence[Signal],
    recording: Recording,
    active: NDArray[np.bool_],
    box_active: Mapping[str, Sequence[Bit]],
    scratch: Path,
) -> Activity:
    """Replay a recording and count.

    Args:
        netlist: of the block.
        cells: its library.
        recorded: the signals, in the order of the recording.
        recording: their values.
        active: in which cycles the block works; shape (cycles,).
        box_active: path of a box to the nets any of which is 1 while the box works.
        scratch: directory for the program's files.

    Raises:
        ChocoError: an output of the netlist differs from the RTL's.
    """
    builder = _Builder(netlist, cells)
    duty_nets = {
        path: builder.either([builder.net(bit) for bit in bits])
        for path, bits in box_active.items()
    }
    inputs = [builder.net(b) for s in recorded if not s.expected for b in s.bits]
    outputs = [builder.net(b) for s in recorded if s.expected for b in s.bits]
    # Two inputs never share a net, but a constant may be tied to one: it stays constant.
    gates = builder.ordered()
    nets = max(builder.number.values()) + 1
    words = [nets, len(gates), len(builder.flops), len(inputs), len(outputs)]
    for output, pins, table in gates:
        words += [output, len(pins), table & 0xFFFFFFFF, table >> 32, *pins]
    for flop in builder.flops:
        words += flop
    words += inputs + outputs
    scratch.mkdir(parents=True, exist_ok=True)
    files = [scratch / name for name in ("replay.netlist", "replay.trace", "replay.result")]
    np.array(words, dtype=np.uint32).tofile(files[0])
    idle = settled(active)
    packed = np.packbits(recording.bits, axis=1, bitorder="little")
    np.column_stack([idle.astype(np.uint8), packed]).tofile(files[1])
    run = subprocess.run([program(), *files], capture_output=True, text=True)
    if run.returncode or not files[2].exists():
        raise ChocoError(f"replay of {netlist.module} failed with {run.returncode} {run.stderr}")
    result = np.fromfile(files[2], dtype=np.uint64)
    for file in files:
        file.unlink()
    cycles, idle_cycles, mismatches, first = (int(v) for v in result[:4])
    if mismatches:
        raise ChocoError(
            f"{netlist.module}: {mismatches} output bits of the netlist differ from the RTL, "
            f"the first in cycle {first}"
        )
    moved, moved_idle, high, high_idle = result[4:].reshape(-1, 4).astype(float).T
    active_cycles = int(active[1:].sum())
    idle_rate = moved_idle / max(idle_cycles, 1)
    rest = cycles - active_cycles
    working = (moved - idle_rate * rest) / max(active_cycles, 1)
    keys = {key: n for key, n in builder.number.items() if isinstance(key, int)}
    high_rate = high_idle / max(idle_cycles, 1)
    duty = {}
    for path, n in duty_nets.items():
        in_active = (high[n] - high_rate[n] * rest) / max(active_cycles, 1)
        duty[path] = (float(in_active), float(high_rate[n]))
    return Activity(
        cycles=cycles,
        active_cycles=active_cycles,
        idle_cycles=idle_cycles,
        working={key: max(float(working[n]), 0.0) for key, n in keys.items()},
        idle={key: float(idle_rate[n]) for key, n in keys.items()},
        high={key: float(high[n]) / max(cycles, 1) for key, n in keys.items()},
        box_duty=duty,
    )


def settled(active: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cycles before which nothing was active for ``SETTLED_CYCLES`` cycles."""
    counts = np.cumsum(active)
    before = np.concatenate([np.zeros(SETTLED_CYCLES, dtype=counts.dtype), counts])[: len(active)]
    quiet = counts == before
    quiet[:SETTLED_CYCLES] = False
    return np.asarray(quiet, dtype=np.bool_)


def program() -> Path:
    """Compile the program, if this version of it is not compiled yet, and return its path.

    Raises:
        ChocoError: there is no C++ compiler, or it fails.
    """
    digest = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:16]
    made = BUILD / f"replay-{digest}"
    if not made.exists():
        BUILD.mkdir(exist_ok=True)
        fresh = made.with_suffix(f".{id(made)}")
        command = ["g++", "-std=c++17", "-O3", "-o", str(fresh), str(PROGRAM)]
        try:
            run = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise ChocoError(f"no C++ compiler: {error}") from None
        if run.returncode:
            raise ChocoError(f"{PROGRAM.name} does not compile: {run.stderr[-500:]}")
        fresh.replace(made)
    return made
