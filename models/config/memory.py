"""Section of the on-chip memories: what DESTINY is asked for, and what a second port costs."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from models.config.base import Section

DeviceRoadmap = Literal["LOP", "LSTP", "HP"]
"""ITRS device classes: low operating power, low standby power, high performance."""

OptimizationTarget = Literal[
    "ReadLatency",
    "WriteLatency",
    "ReadDynamicEnergy",
    "WriteDynamicEnergy",
    "ReadEDP",
    "WriteEDP",
    "LeakagePower",
    "Area",
]
"""What DESTINY's search minimizes, in its own words (EDP: energy times delay)."""

Factor = Annotated[float, Field(ge=1, le=10)]


class TwoPorts(Section):
    """Cost of an array with one read and one write port over DESTINY's array with a single port.

    DESTINY has no second port. The defaults are what CACTI 7 says of 64-byte words at 45 nm (LOP,
    300 K, read-energy optimum): its array with one read and one write port over its array with one
    port for both, median of 4 kB to 256 kB (``results/recorded/cacti``). CACTI adds a word line and
    bit lines to the 6T cell; an 8T cell with a read stack is smaller (published: area about 1.3).
    All 1: the ports of a single-port array that works twice a cycle.
    """

    area: Factor = Field(2.16, description="area")
    read_energy: Factor = Field(1.39, description="energy of a read")
    write_energy: Factor = Field(1.33, description="energy of a write")
    leakage: Factor = Field(1.24, description="leakage power")
    latency: Factor = Field(1.17, description="read and write latency, and precharge")


class Memory(Section):
    """On-chip SRAM (CHOCO, Section 4.4: 45 nm, aggressive wires, optimized for read energy)."""

    device_roadmap: DeviceRoadmap = Field(
        "LOP", description="ITRS devices: LOP, LSTP or HP (low power, low standby power, fast)"
    )
    optimization_target: OptimizationTarget = Field(
        "ReadDynamicEnergy", description="what DESTINY minimizes"
    )
    two_ports: TwoPorts = Field(
        TwoPorts(), description="cost of 1 read + 1 write port, over DESTINY's single port"
    )
    live_word_bits: Annotated[tuple[int, ...], Field(min_length=1)] = Field(
        (64, 512), description="word widths that a live DESTINY is run for"
    )
    live_largest_bytes: Annotated[int, Field(ge=1024, le=1 << 24)] = Field(
        1 << 18, description="largest array that a live DESTINY is run for, in bytes"
    )

    @field_validator("live_word_bits")
    @classmethod
    def _powers_of_two(cls, widths: tuple[int, ...]) -> tuple[int, ...]:
        for width in widths:
            if width < 8 or width.bit_count() != 1:
                raise ValueError(f"{width} is not a power of two from 8 on")
        return widths
