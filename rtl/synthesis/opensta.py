"""Timing and power of a netlist with OpenSTA, through small Tcl scripts.

The version that Debian packages (2.0.17, 2019) does all that is asked here: it reads Liberty and
Verilog, reports the worst path between registers, and the power of every cell.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.errors import ChocoError
from rtl.lib.generate import LIBERTY, WIRES
from rtl.synthesis.liberty import parse, read_text

MARK = "choco-taco:"
UNIFORM_ACTIVITY = 0.1
"""Transitions a cycle of every net: what a flow without recordings would guess."""
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"


@dataclass(frozen=True)
class Timing:
    """The worst setup and hold paths.

    Attributes:
        setup_slack_s: at the given period.
        min_period_s: the period at which it would be zero.
        hold_slack_s: with an ideal clock.
        between: what the path is between: ``registers`` or ``ports`` (a combinational block).
        start, end: of the setup path.
    """

    setup_slack_s: float
    min_period_s: float
    hold_slack_s: float
    between: str
    start: str
    end: str


@dataclass(frozen=True)
class CellPower:
    """Power of one cell.

    Attributes:
        leakage_w: whatever it does.
        still_w: dynamic power while only its clock pin moves.
        per_transition_w: what one transition a cycle of its outputs adds.
    """

    leakage_w: float
    still_w: float
    per_transition_w: float


def binary(configured: Path | None = None) -> str:
    """Return OpenSTA's binary.

    Raises:
        ChocoError: it is not there; says how to get it.
    """
    found = shutil.which(configured or "sta")
    if found is None:
        raise ChocoError(
            f"no OpenSTA: {str(configured or 'sta')!r} is not on PATH; "
            "`make system-deps` installs it (Debian's opensta), or set tools.opensta"
        )
    return found


def timing(
    top: str,
    netlists: Sequence[Path],
    liberty: Path,
    period_s: float,
    directory: Path,
    *,
    clocked: bool,
    sta: Path | None = None,
) -> Timing:
    """Return the worst paths of a module.

    Args:
        top: name of the module.
        netlists: structural Verilog of it and of what it instantiates; what is missing is a black
            box.
        liberty: the library.
        period_s: period of ``clk_i``; in a module without registers, from inputs to outputs.
        directory: for script and log.
        clocked: whether the module has registers.
        sta: the binary, if not on PATH.

    Raises:
        ChocoError: OpenSTA is missing, failed, or reported no path.
    """
    if clocked:
        ends = "-from [all_registers -clock_pins] -to [all_registers -data_pins]"
        clock = f"create_clock -name clk -period {period_s * 1e9:g} [get_ports clk_i]"
    else:
        ends = "-from [all_inputs] -to [all_outputs]"
        clock = (
            f"create_clock -name clk -period {period_s * 1e9:g}\n"
            "set_input_delay 0 -clock clk [all_inputs]\n"
            "set_output_delay 0 -clock clk [all_outputs]"
        )
    text = _run(
        directory / "timing.tcl",
        [
            *_read(top, netlists, liberty),
            clock,
            f'puts "{MARK} setup"',
            f"report_checks -path_delay max {ends} -digits 6",
            f'puts "{MARK} hold"',
            f"report_checks -path_delay min {ends} -digits 6",
            f'puts "{MARK} end"',
        ],
        sta,
    )
    setup, hold = text.partition(f"{MARK} hold")[::2]
    setup = setup.partition(f"{MARK} setup")[2]
    slack = re.search(rf"{_NUMBER}\s+slack", setup)
    hold_slack = re.search(rf"{_NUMBER}\s+slack", hold)
    start = re.search(r"Startpoint: (\S+)", setup)
    end = re.search(r"Endpoint: (\S+)", setup)
    if not (slack and hold_slack and start and end):
        raise ChocoError(f"OpenSTA reported no path in {top} (see {directory / 'timing.log'})")
    slack_s = float(slack[1]) * 1e-9
    return Timing(
        setup_slack_s=slack_s,
        min_period_s=period_s - slack_s,
        hold_slack_s=float(hold_slack[1]) * 1e-9,
        between="registers" if clocked else "ports",
        start=start[1],
        end=end[1],
    )


def power(
    top: str,
    netlist: Path,
    liberty: Path,
    period_s: float,
    directory: Path,
    *,
    clocked: bool,
    sta: Path | None = None,
) -> dict[int, CellPower]:
    """Return the power of every cell ``u<i>``, as a function of its activity.

    OpenSTA is asked twice, with every net at rest and with every net at ``UNIFORM_ACTIVITY``: the
    power of a cell is linear in between. Internal power is corrected (``internal_excess``). This
    version takes an activity for a pin, but only of
    registers and inputs, and propagates from there; this is how every net gets its own.

    Args:
        top: name of the module.
        netlist: structural Verilog without boxes.
        liberty: the library.
        period_s: clock period.
        directory: for script and log.
        clocked: whether the module has a clock.
        sta: the binary, if not on PATH.

    Raises:
        ChocoError: OpenSTA is missing, failed, or reported no power.
    """
    target = " [get_ports clk_i]" if clocked else ""
    script = [
        *_read(top, [netlist], liberty),
        f"create_clock -name clk -period {period_s * 1e9:g}{target}",
        "set_input_delay 0 -clock clk [all_inputs]",  # activities are per cycle of a clock
    ]
    for activity in (0, UNIFORM_ACTIVITY):
        script += [
            f"set_power_activity -global -activity {activity:g} -duty 0.5",
            f'puts "{MARK} power"',
            "report_power -instances [get_cells *] -digits 9",
        ]
    text = _run(directory / "power.tcl", [*script, f'puts "{MARK} end"'], sta)
    excess = internal_excess(sta)
    reports = [
        {i: (internal / excess, *rest) for i, (internal, *rest) in _cell_powers(part).items()}
        for part in text.split(f"{MARK} power")[1:]
    ]
    if len(reports) != 2 or not reports[0] or reports[0].keys() != reports[1].keys():
        raise ChocoError(f"OpenSTA reported no power of {top} (see {directory / 'power.log'})")
    still, moving = reports
    return {
        i: CellPower(
            leakage_w=still[i][2],
            still_w=still[i][0] + still[i][1],
            per_transition_w=(sum(moving[i][:2]) - sum(still[i][:2])) / UNIFORM_ACTIVITY,
        )
        for i in still
    }


@cache
def internal_excess(sta: Path | None = None) -> float:
    """Return how many times too large this OpenSTA reports internal power: 1 or 2.

    Liberty gives an internal energy for the rising and one for the falling edge. Versions before
    May 2020, Debian's among them, charge every edge with the sum of both; later ones with the mean.
    Measured on one flip-flop of our own library whose clock alone moves.

    Raises:
        ChocoError: OpenSTA is missing or failed, or the ratio is neither.
    """
    period_s = 10e-9
    flop = next(g for g in parse(read_text(LIBERTY)).children("cell") if "DFF_X1" in g.arguments)
    clock = next(pin for pin in flop.children("pin") if "CK" in pin.arguments)
    edges = next(clock.children("internal_power")).children("rise_power", "fall_power")
    expected_w = sum(float(edge.value("values")) for edge in edges) * 1e-15 / period_s  # fJ
    with tempfile.TemporaryDirectory() as scratch:
        netlist = Path(scratch) / "flop.v"
        netlist.write_text(
            "module flop (input clk_i, input d, output q);\n"
            "  DFF_X1 u0 (.CK(clk_i), .D(d), .Q(q));\nendmodule\n",
            encoding="utf-8",
        )
        script = [
            *_read("flop", [netlist], LIBERTY),
            f"create_clock -name clk -period {period_s * 1e9:g} [get_ports clk_i]",
            "set_power_activity -global -activity 0 -duty 0.5",
            "report_power -instances [get_cells *] -digits 9",
            f'puts "{MARK} end"',
        ]
        reported_w = _cell_powers(_run(Path(scratch) / "flop.tcl", script, sta))[0][0]
    excess = reported_w / expected_w
    for known in (1.0, 2.0):
        if abs(excess / known - 1) < 0.01:
            return known
    raise ChocoError(
        f"OpenSTA reports {reported_w:.4g} W internal power of a flip-flop for which the library "
        f"says {expected_w:.4g} W: neither once nor twice as much"
    )


def _cell_powers(report: str) -> dict[int, tuple[float, float, float]]:
    """Return internal, switching and leakage power in W of every cell ``u<i>`` of a report."""
    line = re.compile(rf"^\s*{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+u(\d+)$", re.MULTILINE)
    return {int(m[5]): (float(m[1]), float(m[2]), float(m[3])) for m in line.finditer(report)}


def _read(top: str, netlists: Sequence[Path], liberty: Path) -> list[str]:
    return [
        f"read_liberty {liberty}",
        f"read_liberty {WIRES}",
        *(f"read_verilog {path}" for path in netlists),
        f"link_design {top}",
        "set_wire_load_mode top",
        "set_wire_load_model -name block",
    ]


def _run(script: Path, lines: Sequence[str], sta: Path | None) -> str:
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = script.with_suffix(".log")
    command = [binary(sta), "-no_splash", "-exit", str(script)]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace")
    text = run.stdout + run.stderr
    log.write_text(text, encoding="utf-8")
    if (error := re.search(r"^Error: (.*)$", text, re.MULTILINE)) or f"{MARK} end" not in text:
        raise ChocoError(f"OpenSTA: {error[1] if error else 'stopped early'} (see {log})")
    return text
