"""The timing and power model (Liberty) of an SRAM macro."""

import math
from collections.abc import Iterator

from models.memory.macro_shape import Macro, Port

_NS, _FF, _FJ, _NW = 1e-9, 1e-15, 1e-15, 1e-9
_SLEW = math.log(0.7 / 0.3)
"""Time from 30 to 70 % of an RC edge, over RC."""


def liberty(macro: Macro) -> str:
    """Return the Liberty of a macro: setup, hold, clock to output, leakage, energy of accesses.

    Energies are per access and belong to the clock pin, under the condition of a read, a write or
    both; without either, the macro's clock costs nothing (DESTINY has no idle cycle). Units: ns,
    fF, nW, and so fJ.
    """
    return "\n".join(_lines(macro)) + "\n"


def _lines(macro: Macro) -> Iterator[str]:
    shape = macro.interface
    load = shape.largest_load_f
    yield f"/* {macro.description} */"
    yield f"library ({macro.name}) {{"
    yield "  technology (cmos);"
    yield "  delay_model : table_lookup;"
    yield '  time_unit : "1ns";'
    yield '  voltage_unit : "1V";'
    yield '  current_unit : "1mA";'
    yield '  pulling_resistance_unit : "1kohm";'
    yield '  leakage_power_unit : "1nW";'
    yield "  capacitive_load_unit (1, ff);"
    yield "  nom_process : 1.0;"
    yield "  nom_temperature : 25.0;"
    yield f"  nom_voltage : {shape.voltage_v:g};"
    for edge in ("rise", "fall"):
        yield f"  input_threshold_pct_{edge} : 50.0;"
        yield f"  output_threshold_pct_{edge} : 50.0;"
        yield f"  slew_lower_threshold_pct_{edge} : 30.0;"
        yield f"  slew_upper_threshold_pct_{edge} : 70.0;"
    yield "  lu_table_template (by_load) {"
    yield "    variable_1 : total_output_net_capacitance;"
    yield f'    index_1 ("0.0, {load / _FF:g}");'
    yield "  }"
    for bits in sorted({port.bits for port in macro.ports if port.bus}):
        yield f"  type (bits{bits}) {{"
        yield "    base_type : array;"
        yield "    data_type : bit;"
        yield f"    bit_width : {bits};"
        yield f"    bit_from : {bits - 1};"
        yield "    bit_to : 0;"
        yield "    downto : true;"
        yield "  }"
    yield f"  cell ({macro.name}) {{"
    yield f"    area : {macro.area_m2 * 1e12:.6g};"
    yield "    dont_use : true;"
    yield "    dont_touch : true;"
    yield "    is_macro_cell : true;"
    yield f"    cell_leakage_power : {macro.leakage_w / _NW:.6g};"
    for port in macro.ports:
        yield from _port(macro, port)
    yield "  }"
    yield "}"


def _port(macro: Macro, port: Port) -> Iterator[str]:
    shape = macro.interface
    yield f"    {'bus' if port.bus else 'pin'} ({port.name}) {{"
    if port.bus:
        yield f"      bus_type : bits{port.bits};"
    if port.output:
        yield "      direction : output;"
        yield f"      max_capacitance : {shape.largest_load_f / _FF:g};"
        yield from _access(macro)
    elif port.name == "clk_i":
        yield "      direction : input;"
        yield "      clock : true;"
        yield f"      capacitance : {shape.clock_capacitance_f / _FF:g};"
        yield f"      min_period : {macro.cycle_time_s / _NS:.6g};"
        yield from _energy("read_i & !write_i", macro.read_energy_j)
        yield from _energy("!read_i & write_i", macro.write_energy_j)
        yield from _energy("read_i & write_i", macro.read_energy_j + macro.write_energy_j)
    else:
        yield "      direction : input;"
        yield f"      capacitance : {shape.input_capacitance_f / _FF:g};"
        yield from _constraint("setup_rising", shape.setup_s)
        yield from _constraint("hold_rising", shape.hold_s)
    yield "    }"


def _access(macro: Macro) -> Iterator[str]:
    """Yield the arc from the clock to the data: the access, then an output driver (RC)."""
    shape = macro.interface
    rc = shape.output_resistance_ohm * shape.largest_load_f
    delays = macro.access_time_s, macro.access_time_s + rc * math.log(2)
    slews = 0.01 * _NS, rc * _SLEW
    yield "      timing () {"
    yield '        related_pin : "clk_i";'
    yield "        timing_type : rising_edge;"
    for kind, values in (("cell", delays), ("transition", slews)):
        text = ", ".join(f"{value / _NS:.6g}" for value in values)
        for edge in ("rise", "fall"):
            name = f"cell_{edge}" if kind == "cell" else f"{edge}_transition"
            yield f'        {name} (by_load) {{ values ("{text}"); }}'
    yield "      }"


def _constraint(kind: str, time_s: float) -> Iterator[str]:
    yield "      timing () {"
    yield '        related_pin : "clk_i";'
    yield f"        timing_type : {kind};"
    for edge in ("rise", "fall"):
        yield f'        {edge}_constraint (scalar) {{ values ("{time_s / _NS:g}"); }}'
    yield "      }"


def _energy(when: str, energy_j: float) -> Iterator[str]:
    yield "      internal_power () {"
    yield f'        when : "{when}";'
    yield f'        rise_power (scalar) {{ values ("{energy_j / _FJ:.6g}"); }}'
    yield '        fall_power (scalar) { values ("0.0"); }'
    yield "      }"
