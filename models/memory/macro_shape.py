"""An SRAM macro with one read and one write port: its ports, outline, times and energies.

The macro has the ports of ``taco_sram_1r1w``. Its area, energies, leakage and times are those of
the cost model (``models.memory.costs``); its outline is a square of that area where its pins fit.
What DESTINY does not know are assumptions of ours, fields of ``Interface`` here. The macro is a
stand-in for floorplanning, timing and power: there is no layout behind it.
"""

import math
from dataclasses import dataclass

from models.config.base import Section
from models.errors import ChocoError
from models.memory.costs import SramModel

BITS_A_BYTE = 8


class Interface(Section):
    """Pins of a macro and where they lie; defaults fit the metal stack of Nangate45.

    Lengths in micrometres. A macro whose origin is on a multiple of ``pitch_um`` has its pins on
    the tracks of the pin layer.
    """

    pin_layer: str = "metal4"
    """Vertical; pins are at the lower and the upper edge, power stripes between them."""
    blocked_layers: tuple[str, ...] = ("metal1", "metal2", "metal3")
    pitch_um: float = 0.28
    first_track_um: float = 0.095
    pin_width_um: float = 0.14
    pin_height_um: float = 0.42
    row_um: float = 1.4
    """The height is a multiple of this."""
    stripe_width_um: float = 0.56
    stripe_pitch_tracks: int = 80
    edge_um: float = 2.8
    """Between the edges with pins and what is inside."""
    voltage_v: float = 1.1
    setup_s: float = 5e-11
    hold_s: float = 1e-11
    input_capacitance_f: float = 2e-15
    clock_capacitance_f: float = 2e-14
    output_resistance_ohm: float = 1000.0
    largest_load_f: float = 1e-13


@dataclass(frozen=True)
class Port:
    """A port of the macro; one bit is a pin, more are a bus."""

    name: str
    bits: int
    output: bool = False
    bus: bool = True

    @property
    def pins(self) -> tuple[str, ...]:
        """Names of its pins as LEF has them, bit 0 first."""
        return tuple(f"{self.name}[{i}]" for i in range(self.bits)) if self.bus else (self.name,)


@dataclass(frozen=True)
class Macro:
    """An SRAM macro; lengths in micrometres, everything else in SI units."""

    name: str
    depth: int
    word_bits: int
    width_um: float
    height_um: float
    area_m2: float
    """Of the model; the outline is this, rounded up to whole tracks and rows."""
    read_energy_j: float
    write_energy_j: float
    leakage_w: float
    access_time_s: float
    cycle_time_s: float
    interface: Interface
    source: str

    @property
    def description(self) -> str:
        """What the macro is, in a line."""
        return (
            f"{self.depth} words of {self.word_bits} bits, 1 read and 1 write port: {self.source}"
        )

    @property
    def address_bits(self) -> int:
        """Bits of an address."""
        return max(1, (self.depth - 1).bit_length())

    @property
    def read_ports(self) -> tuple[Port, ...]:
        """Ports at the upper edge."""
        return (
            Port("clk_i", 1, bus=False),
            Port("read_i", 1, bus=False),
            Port("read_addr_i", self.address_bits),
            Port("read_data_o", self.word_bits, output=True),
        )

    @property
    def write_ports(self) -> tuple[Port, ...]:
        """Ports at the lower edge."""
        return (
            Port("write_i", 1, bus=False),
            Port("write_addr_i", self.address_bits),
            Port("write_data_i", self.word_bits),
        )

    @property
    def ports(self) -> tuple[Port, ...]:
        """All signal ports."""
        return self.read_ports + self.write_ports


def macro_name(depth: int, word_bits: int) -> str:
    """Return the name of a macro's cell, e.g. ``taco_sram_1r1w_128x512``."""
    return f"taco_sram_1r1w_{depth}x{word_bits}"


def make_macro(
    model: SramModel, depth: int, word_bits: int, interface: Interface | None = None
) -> Macro:
    """Return the macro of ``depth`` words.

    Raises:
        ChocoError: there are no such arrays in the model.
    """
    if depth < 2 or word_bits % BITS_A_BYTE:
        raise ChocoError(
            f"no SRAM macro of {depth} words of {word_bits} bits: 2 or more, whole bytes"
        )
    shape = Interface() if interface is None else interface
    costs = model(depth * word_bits // BITS_A_BYTE, word_bits)
    pins = word_bits + max(1, (depth - 1).bit_length()) + 2  # at the edge that has more
    area_um2 = float(costs.area_m2) * 1e12
    width = _up(max(math.sqrt(area_um2), (pins + 2) * shape.pitch_um), shape.pitch_um)
    height = _up(max(area_um2 / width, 4 * shape.edge_um), shape.row_um)
    return Macro(
        name=macro_name(depth, word_bits),
        depth=depth,
        word_bits=word_bits,
        width_um=width,
        height_um=height,
        area_m2=float(costs.area_m2),
        read_energy_j=float(costs.read_energy_j),
        write_energy_j=float(costs.write_energy_j),
        leakage_w=float(costs.leakage_w),
        access_time_s=float(costs.read_latency_s),
        cycle_time_s=float(costs.cycle_time_s),
        interface=shape,
        source=f"{model.device_roadmap}, {model.optimization_target}; {model.provenance}"
        + ("" if bool(costs.exact) else "; interpolated"),
    )


def _up(value: float, step: float) -> float:
    return round(math.ceil(value / step - 1e-9) * step, 4)
