"""What benches share: clock and reset, and stream ends that stall at random."""

import random
from collections.abc import Iterable

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer


async def start(dut, **inputs: int) -> None:
    """Start a 10 ns clock, set ``inputs``, reset for two cycles, return at a falling edge.

    Benches change inputs at falling edges and look at outputs once these have settled, so that what
    they read in a cycle is what the design sees at the rising edge.
    """
    for name, value in inputs.items():
        getattr(dut, name).value = value
    dut.rst_ni.value = 1
    dut.clk_i.value = 0
    await Timer(1, "ns")
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start(start_high=False))
    for _ in range(2):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await FallingEdge(dut.clk_i)


async def drive(dut, prefix: str, items: Iterable[dict[str, int]], *, stall: float = 0.0) -> None:
    """Send ``items`` (data port name to value) on the stream ``<prefix>_valid_i/_ready_o``."""
    rng = random.Random(1)
    valid, ready = _port(dut, prefix, "valid_i"), _port(dut, prefix, "ready_o")
    for item in items:
        while rng.random() < stall:
            valid.value = 0
            await FallingEdge(dut.clk_i)
        valid.value = 1
        for name, value in item.items():
            getattr(dut, name).value = value
        while True:
            await ReadOnly()
            taken = int(ready.value)
            await FallingEdge(dut.clk_i)
            if taken:
                break
    valid.value = 0


async def collect(dut, prefix: str, port: str, count: int, *, stall: float = 0.0) -> list[int]:
    """Take ``count`` transfers of ``port`` from the stream ``<prefix>_valid_o/_ready_i``."""
    rng = random.Random(2)
    valid, ready = _port(dut, prefix, "valid_o"), _port(dut, prefix, "ready_i")
    data = getattr(dut, port)
    taken: list[int] = []
    while len(taken) < count:
        willing = rng.random() >= stall
        ready.value = willing
        await ReadOnly()
        if willing and int(valid.value):
            taken.append(int(data.value))
        await FallingEdge(dut.clk_i)
    ready.value = 0
    return taken


def _port(dut, prefix: str, name: str):
    """Return a port of a stream; a module's only stream may have no prefix."""
    return getattr(dut, f"{prefix}_{name}" if prefix else name)


def split(value: int, width: int, count: int) -> list[int]:
    """Split a packed value into ``count`` fields of ``width`` bits, the lowest first."""
    mask = (1 << width) - 1
    return [value >> width * i & mask for i in range(count)]


def join(fields: Iterable[int], width: int) -> int:
    """Pack ``fields`` of ``width`` bits, the lowest first."""
    return sum(field << width * i for i, field in enumerate(fields))
