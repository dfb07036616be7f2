"""Generate choco45.lib, a Liberty of a generic 45 nm process, from choco45.yaml.

    python -m rtl.lib.generate

writes choco45.lib and wires.lib, which has the wire load that stands in for a layout.

A transistor is a resistance and capacitances per width; a cell is a chain of stages. A stage of
resistance R at a node of capacitance C, seen from an input that moves from 20 to 80 % in s:

    delay = 0.69 R C + slew_sensitivity s        output slew = 1.39 R C + 0.1 s

R of the unit inverter follows from the fanout-of-4 delay that the YAML states. Series transistors
add `stack_factor` each; all transistors of a size have one width, as in a row of cells. Energy is
C V^2 / 2 a transition of every node inside, plus the short-circuit share.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rtl.synthesis.liberty import truth_table

HERE = Path(__file__).resolve().parent
SOURCE, LIBERTY, WIRES = (HERE / name for name in ("choco45.yaml", "choco45.lib", "wires.lib"))
SLEWS_NS = (0.004, 0.015, 0.05, 0.15, 0.4)
LOADS = (0.0, 2.0, 6.0, 16.0, 40.0)
"""Loads of the tables, in gates of the unit inverter, for a cell of size 1."""
HALF, SLEW = math.log(2), math.log(4)
SLEW_FEEDTHROUGH = 0.1
FF, FJ, NW = 1e15, 1e15, 1e9
UNITS = (
    '  time_unit : "1ns";',
    '  voltage_unit : "1V";',
    '  current_unit : "1uA";',
    '  leakage_power_unit : "1nW";',
    '  pulling_resistance_unit : "1kohm";',
    "  capacitive_load_unit (1, ff);",
    *(
        f"  {kind}_threshold_pct_{edge} : 50;"
        for kind in ("input", "output")
        for edge in ("rise", "fall")
    ),
    *(f"  slew_lower_threshold_pct_{edge} : 20;" for edge in ("rise", "fall")),
    *(f"  slew_upper_threshold_pct_{edge} : 80;" for edge in ("rise", "fall")),
    "  slew_derate_from_library : 1;",
)


@dataclass(frozen=True)
class Technology:
    """Derived constants of the process: SI units."""

    figures: dict[str, float]
    geometry: dict[str, float]

    @property
    def unit_um(self) -> float:
        """Width of a transistor pair."""
        return self.geometry["nmos_um"] + self.geometry["pmos_um"]

    @property
    def gate_f(self) -> float:
        """Capacitance of the gate of a transistor pair."""
        return self.figures["gate_capacitance_f_per_um"] * self.unit_um

    @property
    def drain_f(self) -> float:
        """Capacitance of the drains of a transistor pair."""
        return self.figures["drain_capacitance_f_per_um"] * self.unit_um

    @property
    def resistance_ohm(self) -> float:
        """Resistance of the unit inverter, from its fanout-of-4 delay with the slew of its like."""
        node = 4 * (self.gate_f + self.figures["pin_wire_f"]) + self.drain_f
        slew = SLEW / (1 - SLEW_FEEDTHROUGH)
        return self.figures["fo4_s"] / node / (HALF + self.figures["slew_sensitivity"] * slew)

    def stage_ohm(self, stage: dict[str, float], rising: bool) -> float:
        """Resistance of a stage of size 1 that pulls its output up or down."""
        width = self.geometry["pmos_um"] / self.geometry["nmos_um"]
        up = self.figures["hole_mobility_ratio"] / width
        share = 2 * (up if rising else 1) / (1 + up)
        series = stage["up"] if rising else stage["down"]
        return self.resistance_ohm * share * (1 + self.figures["stack_factor"] * (series - 1))


@dataclass(frozen=True)
class Arc:
    """Timing and energy from one pin to one output: tables over (input slew, load)."""

    delay_ns: dict[bool, list[list[float]]]
    slew_ns: dict[bool, list[list[float]]]
    energy_fj: dict[bool, float]


def arc(technology: Technology, stages: list[dict[str, float]], size: int, load: float) -> Arc:
    """Return the arc of a chain of inverting stages, the last one ``size`` wide.

    Args:
        technology: the process.
        stages: from input to output.
        size: width of the last stage.
        load: gates that every inner node drives besides the next stage.
    """
    figures = technology.figures
    delays: dict[bool, list[list[float]]] = {}
    slews: dict[bool, list[list[float]]] = {}
    for rising in (True, False):
        delays[rising], slews[rising] = [], []
        for slew_ns in SLEWS_NS:
            delay_row, slew_row = [], []
            for gates in LOADS:
                delay, slew = 0.0, slew_ns * 1e-9
                for i, stage in enumerate(stages):
                    last = i == len(stages) - 1
                    width = size if last else 1
                    following = size if i == len(stages) - 2 else 1
                    gate = gates * size if last else following + load
                    node = stage["drains"] * width * technology.drain_f + gate * technology.gate_f
                    up = rising == ((len(stages) - 1 - i) % 2 == 0)
                    rc = technology.stage_ohm(stage, up) / width * node
                    delay += HALF * rc + figures["slew_sensitivity"] * slew
                    slew = SLEW * rc + SLEW_FEEDTHROUGH * slew
                delay_row.append(delay * 1e9)
                slew_row.append(slew * 1e9)
            delays[rising].append(delay_row)
            slews[rising].append(slew_row)
    inside = sum(
        stage["drains"] * (size if i == len(stages) - 1 else 1) * technology.drain_f
        for i, stage in enumerate(stages)
    )
    inside += (
        sum((size if i == len(stages) - 2 else 1) + load for i in range(len(stages) - 1))
        * technology.gate_f
    )
    energy = 0.5 * inside * figures["voltage_v"] ** 2 * (1 + figures["short_circuit"]) * FJ
    return Arc(delays, slews, {True: energy, False: energy})


def sense(function: str, inputs: tuple[str, ...], pin: str) -> str:
    """Return positive_unate, negative_unate or non_unate: how an output follows one input."""
    table, bit = truth_table(function, inputs), inputs.index(pin)
    signs = set()
    for i in range(2 ** len(inputs)):
        if not i >> bit & 1:
            signs.add((table >> (i | 1 << bit) & 1) - (table >> i & 1))
    if {1, -1} <= signs:
        return "non_unate"
    return "positive_unate" if 1 in signs else "negative_unate"


class Writer:
    """Writes cells as Liberty text."""

    def __init__(self, data: dict[str, Any]) -> None:
        figures = {name: float(entry["value"]) for name, entry in data["technology"].items()}
        self.technology = Technology(figures, data["geometry"])
        self.stages: dict[str, dict[str, float]] = data["stages"]
        self.data = data
        self.lines: list[str] = []

    def library(self) -> str:
        """Return the whole library."""
        self._header()
        for name, cell in self.data["cells"].items():
            for size in cell["sizes"]:
                self._combinational(f"{name}_X{size}", cell, size)
        for name, cell in self.data["flip_flops"].items():
            for size in cell["sizes"]:
                self._flip_flop(f"{name}_X{size}", cell, size)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _header(self) -> None:
        figures = self.technology.figures
        slews = ", ".join(f"{s:g}" for s in SLEWS_NS)
        self._put(
            "library (choco45) {",
            '  comment : "generic 45 nm, typical; from rtl/lib/generate.py; no foundry data";',
            "  delay_model : table_lookup;",
            *UNITS,
            f"  nom_voltage : {figures['voltage_v']:g};",
            f"  nom_temperature : {figures['temperature_c']:g};",
            "  nom_process : 1;",
            f"  default_max_transition : {SLEWS_NS[-1]:g};",
            "  default_fanout_load : 1;",
            "  operating_conditions (typical) {",
            f"    process : 1; temperature : {figures['temperature_c']:g};"
            f" voltage : {figures['voltage_v']:g}; tree_type : balanced_tree;",
            "  }",
            "  default_operating_conditions : typical;",
        )
        for size in sorted({s for c in self._all_cells() for s in c["sizes"]}):
            loads = ", ".join(f"{n * size * self.technology.gate_f * FF:g}" for n in LOADS)
            self._put(
                f"  lu_table_template (delay_X{size}) {{",
                "    variable_1 : input_net_transition;",
                "    variable_2 : total_output_net_capacitance;",
                f'    index_1 ("{slews}");',
                f'    index_2 ("{loads}");',
                "  }",
            )
        self._put(
            "  lu_table_template (constraint) {",
            "    variable_1 : related_pin_transition;",
            "    variable_2 : constrained_pin_transition;",
            f'    index_1 ("{slews}");',
            f'    index_2 ("{slews}");',
            "  }",
        )

    def _all_cells(self) -> list[dict[str, Any]]:
        return [*self.data["cells"].values(), *self.data["flip_flops"].values()]

    def _open_cell(self, name: str, cell: dict[str, Any], size: int) -> None:
        columns = cell["columns"] + size - 1  # the last stage has `size` columns
        if len(self._longest(cell)) == 1:  # the only stage is the whole cell
            columns = cell["columns"] * size
        pitches = columns + 1 + cell.get("breaks", 0)
        area = pitches * self.data["geometry"]["pitch_um"] * self.data["geometry"]["height_um"]
        figures = self.technology.figures
        # Half of the transistors are off; in a stack the current of one is shared by all.
        series = [(self.stages[s]["up"] + self.stages[s]["down"]) / 2 for s in self._longest(cell)]
        stacked = sum(series) / len(series) if series else 1
        off_um = columns * self.technology.unit_um / 2 / stacked
        leakage = off_um * figures["off_current_a_per_um"] * figures["voltage_v"] * NW
        self._put(
            f"  cell ({name}) {{",
            f"    area : {area:.3f};",
            f"    cell_leakage_power : {leakage:.3f};",
        )

    def _longest(self, cell: dict[str, Any]) -> list[str]:
        if "path" in cell:
            return list(cell["path"])
        return max((list(out["path"]) for out in cell["outputs"].values()), key=len)

    def _input(self, pin: str, gates: float, size: int, *extra: str) -> None:
        capacitance = gates * size * self.technology.gate_f + self.technology.figures["pin_wire_f"]
        self._put(
            f"    pin ({pin}) {{",
            "      direction : input;",
            f"      capacitance : {capacitance * FF:.3f};",
            *(f"      {line}" for line in extra),
        )

    def _combinational(self, name: str, cell: dict[str, Any], size: int) -> None:
        self._open_cell(name, cell, size)
        one_stage = len(self._longest(cell)) == 1
        inputs = tuple(cell["pins"])
        for pin, gates in cell["pins"].items():
            self._input(pin, gates, size if one_stage else 1)
            self._put("    }")
        for output, spec in cell["outputs"].items():
            self._put(f"    pin ({output}) {{", "      direction : output;")
            self._put(f'      function : "{spec["function"]}";')
            if inputs:
                self._put(f"      max_capacitance : {self._max_load(size):g};")
            for pin in inputs:
                path = spec.get("paths", {}).get(pin, spec["path"])
                made = arc(
                    self.technology, [self.stages[s] for s in path], size, spec.get("load", 0)
                )
                self._timing(made, pin, size, sense(spec["function"], inputs, pin))
                self._power(made, pin)
            self._put("    }")
        self._put("  }")

    def _flip_flop(self, name: str, cell: dict[str, Any], size: int) -> None:
        self._open_cell(name, cell, size)
        control = "".join(
            f' {kind} : "{cell[kind]}";' for kind in ("clear", "preset") if kind in cell
        )
        self._put(f'    ff (IQ, IQN) {{ next_state : "D"; clocked_on : "CK";{control} }}')
        clock = cell["clock_gates"] * self.technology.gate_f
        volts = self.technology.figures["voltage_v"]
        clock_fj = 0.5 * clock * volts**2 * (1 + self.technology.figures["short_circuit"]) * FJ
        # Data moves the master while the clock is low: two inner nodes of two gates each.
        setup = arc(self.technology, [self.stages[s] for s in cell["setup"]], 1, 1)
        for pin, gates in cell["pins"].items():
            extra = ["clock : true;"] if pin == "CK" else []
            self._input(pin, gates, 1, *extra)
            if pin == "CK":
                self._scalar_power(None, clock_fj)
            elif pin == "D":
                self._scalar_power(None, setup.energy_fj[True])
                self._constraint("setup_rising", setup, 1.0)
                self._constraint("hold_rising", setup, -0.5)
            else:
                self._constraint("recovery_rising", setup, 1.0)
                self._constraint("removal_rising", setup, 0.5)
            self._put("    }")
        self._put("    pin (Q) {", "      direction : output;", '      function : "IQ";')
        self._put(f"      max_capacitance : {self._max_load(size):g};")
        made = arc(self.technology, [self.stages[s] for s in cell["path"]], size, 2)
        self._timing(made, "CK", size, "non_unate", "rising_edge")
        slave = arc(self.technology, [self.stages[s] for s in cell["path"][2:]], size, 1)
        self._power(slave, "CK")
        for kind, edge in (("clear", False), ("preset", True)):
            if kind in cell:
                made = arc(self.technology, [self.stages[s] for s in cell["path"][2:]], size, 1)
                pin = cell[kind].lstrip("!")
                way = "positive_unate" if kind == "clear" else "negative_unate"
                self._timing(made, pin, size, way, kind, only=edge)
        self._put("    }", "  }")

    def _max_load(self, size: int) -> float:
        return LOADS[-1] * size * self.technology.gate_f * FF

    def _timing(
        self,
        made: Arc,
        pin: str,
        size: int,
        unate: str,
        kind: str = "",
        only: bool | None = None,
    ) -> None:
        self._put("      timing () {", f'        related_pin : "{pin}";')
        self._put(f"        timing_sense : {unate};")
        if kind:
            self._put(f"        timing_type : {kind};")
        for rising, edge in ((True, "rise"), (False, "fall")):
            if only is None or only == rising:
                self._table(f"cell_{edge} (delay_X{size})", made.delay_ns[rising])
                self._table(f"{edge}_transition (delay_X{size})", made.slew_ns[rising])
        self._put("      }")

    def _constraint(self, kind: str, made: Arc, share: float) -> None:
        # Independent of the clock's slew; the unloaded chain in front of the storage node.
        self._put("      timing () {", '        related_pin : "CK";')
        self._put(f"        timing_type : {kind};")
        for rising, edge in ((True, "rise"), (False, "fall")):
            row = [share * made.delay_ns[rising][i][0] for i in range(len(SLEWS_NS))]
            if kind == "hold_rising":
                row = [share * made.delay_ns[rising][0][0]] * len(SLEWS_NS)
            if kind in ("setup_rising", "hold_rising") or edge == "rise":
                self._table(f"{edge}_constraint (constraint)", [row] * len(SLEWS_NS))
        self._put("      }")

    def _power(self, made: Arc, pin: str) -> None:
        self._scalar_power(pin, made.energy_fj[True])

    def _scalar_power(self, pin: str | None, energy_fj: float) -> None:
        related = f' related_pin : "{pin}";' if pin else ""
        value = f'{{ values ("{energy_fj:.4f}"); }}'
        self._put(
            f"      internal_power () {{{related}"
            f" rise_power (scalar) {value} fall_power (scalar) {value} }}"
        )

    def _table(self, name: str, rows: list[list[float]]) -> None:
        text = ", \\\n            ".join(
            '"' + ", ".join(f"{value:.5f}" for value in row) + '"' for row in rows
        )
        self._put(f"        {name} {{ values ({text}); }}")

    def _put(self, *lines: str) -> None:
        self.lines += lines


def generate(source: Path = SOURCE) -> str:
    """Return the library's Liberty text."""
    return Writer(yaml.safe_load(source.read_text(encoding="utf-8"))).library()


def wires(source: Path = SOURCE) -> str:
    """Return the Liberty text of the wire load ``block``: wires before layout, by sinks."""
    data = yaml.safe_load(source.read_text(encoding="utf-8"))["wires"]
    figures = {name: float(entry["value"]) for name, entry in data.items()}
    length = figures["length_um"]
    lines = [
        "library (wires) {",
        *UNITS,
        "  wire_load (block) {",
        f"    capacitance : {figures['capacitance_f_per_um'] * FF:g};",
        f"    resistance : {figures['resistance_ohm_per_um'] / 1e3:g};",
        "    area : 0;",
        f"    slope : {length:g};",
        *(f"    fanout_length ({n}, {n * length:g});" for n in (1, 2, 4, 8)),
        "  }",
        "}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both libraries."""
    LIBERTY.write_text(generate(), encoding="utf-8")
    WIRES.write_text(wires(), encoding="utf-8")


if __name__ == "__main__":
    main()
