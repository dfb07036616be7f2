"""Which signals of a block are recorded, and the recording as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from rtl.synthesis.netlist import Bit, Netlist, is_output

CLOCK, RESET = "clk_i", "rst_ni"


@dataclass(frozen=True)
class Signal:
    """A signal in a block: a port, or an output of what was left out of it."""

    path: str
    """As SystemVerilog says it inside the block."""
    bits: tuple[Bit, ...]
    """Its nets, the lowest bit first."""
    expected: bool
    """An output of the block: compared, not applied."""


def signals(netlist: Netlist) -> list[Signal]:
    """Return the signals of a block to record, in their order in the recording, lowest first."""
    found = []
    for name, port in sorted(netlist.ports.items()):
        if name != CLOCK:
            found.append(Signal(name, port.bits, port.direction == "output"))
    for box in sorted(netlist.boxes, key=lambda box: box.path):
        found += [
            Signal(f"{box.path}.{name}", bits, False)
            for name, bits in sorted(box.ports.items())
            if is_output(name)
        ]
    return sorted(found, key=lambda signal: signal.expected)


@dataclass(frozen=True)
class Recording:
    """Signals of a block, cycle by cycle, as its registers sample them.

    Attributes:
        bits: shape (cycles, bits), 0 or 1, in the order of ``signals``.
        first: where a signal begins.
    """

    bits: NDArray[np.uint8]
    first: Mapping[str, int]

    def column(self, path: str) -> NDArray[np.uint8]:
        """Return the lowest bit of a signal, or whether any bit of it is 1; shape (cycles,)."""
        start = self.first[path]
        later = [at for at in self.first.values() if at > start]
        end = min(later, default=self.bits.shape[1])
        return self.bits[:, start:end].max(axis=1)


def load(path: Path, recorded: list[Signal]) -> Recording:
    """Read a recording: a line of hexadecimal digits a cycle.

    Raises:
        ChocoError: it is missing, empty, or of another width than the signals.
    """
    try:
        lines = path.read_text().split()
    except OSError as error:
        raise ChocoError(f"{path}: no recording: {error.strerror}") from None
    width = sum(len(signal.bits) for signal in recorded)
    digits = (width + 3) // 4
    if not lines or len(lines[0]) != digits:
        found = len(lines[0]) if lines else 0
        raise ChocoError(f"{path}: expected {digits} digits a cycle, found {found}")
    if len(lines[-1]) != digits:  # the simulation ended in the middle of a line
        lines.pop()
    data = bytes.fromhex("".join(line.rjust(digits + digits % 2, "0") for line in lines))
    rows = np.frombuffer(data, dtype=np.uint8).reshape(len(lines), -1)[:, ::-1]
    bits = np.unpackbits(rows, axis=1, bitorder="little")[:, :width]
    first, at = {}, 0
    for signal in recorded:
        first[signal.path] = at
        at += len(signal.bits)
    return Recording(bits, first)
