"""LEF and Liberty of SRAM macros: geometry, and what the tools that read them make of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from models.errors import ChocoError
from models.memory.costs import SramModel
from models.memory.lef import lef, signal_pins, supply_stripes
from models.memory.liberty import liberty
from models.memory.macro import Settings, stage
from models.memory.macro_shape import Interface, make_macro
from models.memory.table import Settings as TableSettings
from models.memory.table import recorded_arrays
from models.memory.table import stage as table_stage
from models.stage import Job

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "results/recorded/destiny"
MODEL = SramModel(recorded_arrays(RECORDED))
SHAPE = Interface()
DEPTHS = (2, 16, 128, 384, 1024, 4096)

TOP = """\
module top (input clk, read, write, input [6:0] from, to, input [511:0] in, output [511:0] out);
  taco_sram_1r1w_128x512 u_sram (
    .clk_i(clk), .read_i(read), .read_addr_i(from), .read_data_o(out),
    .write_i(write), .write_addr_i(to), .write_data_i(in)
  );
endmodule
"""


def on_grid(value, step):
    return abs(value / step - round(value / step)) < 1e-6


@pytest.mark.parametrize("depth", DEPTHS)
def test_outline_is_the_area_of_the_model(depth):
    macro = make_macro(MODEL, depth, 512)
    area_um2 = float(MODEL(depth * 64, 512).area_m2) * 1e12
    assert area_um2 <= macro.width_um * macro.height_um <= 1.1 * area_um2
    assert f"SIZE {macro.width_um:g} BY {macro.height_um:g} ;" in lef(macro)


@pytest.mark.parametrize("depth", DEPTHS)
def test_pins_are_on_tracks_inside_and_apart(depth):
    macro = make_macro(MODEL, depth, 512)
    boxes = [box for _, box in signal_pins(macro).values()]
    assert len(boxes) == 2 * 512 + 2 * (depth - 1).bit_length() + 3
    for left, bottom, right, top in boxes:
        assert on_grid((left + right) / 2 - SHAPE.first_track_um, SHAPE.pitch_um)
        assert 0 <= left < right <= macro.width_um
        assert (bottom == 0) != (top == macro.height_um)  # at the lower or at the upper edge
    assert len(set(boxes)) == len(boxes)  # a track of an edge has one pin
    for _, (left, bottom, right, top) in supply_stripes(macro):
        assert 0 <= left < right <= macro.width_um
        assert SHAPE.pin_height_um < bottom < top < macro.height_um - SHAPE.pin_height_um


def test_lef_has_every_port_of_the_rtl_and_both_supplies():
    text = lef(make_macro(MODEL, 128, 512))
    rtl = (ROOT / "rtl/taco/taco_sram_1r1w.sv").read_text()
    ports = re.findall(r"^ *(?:input|output) +logic .*?(\w+),?$", rtl, re.MULTILINE)
    assert len(ports) == 7
    pins = re.findall(r"^  PIN (\S+)$", text, re.MULTILINE)
    assert len(pins) == len(set(pins))
    assert {pin.split("[")[0] for pin in pins} == {*ports, "VDD", "VSS"}
    assert {f"read_data_o[{i}]" for i in range(512)} <= set(pins)
    assert text.count("\n  END ") == len(pins)  # every PIN is closed
    assert text.endswith("END taco_sram_1r1w_128x512\nEND LIBRARY\n")


def test_blockages_of_the_pin_layer_leave_pins_and_stripes_free():
    macro = make_macro(MODEL, 128, 512)
    blocked = lef(macro).split("OBS")[1].split("LAYER metal4 ;")[1]
    boxes = [tuple(map(float, box.split())) for box in re.findall(r"RECT ([\d. ]+) ;", blocked)]
    free = [box for _, box in signal_pins(macro).values()]
    free += [box for _, box in supply_stripes(macro)]
    assert boxes
    for left, bottom, right, top in boxes:
        for other_left, other_bottom, other_right, other_top in free:
            apart = (
                right <= other_left or other_right <= left,
                top <= other_bottom or other_top <= bottom,
            )
            assert any(apart)


def test_an_impossible_macro_is_refused():
    with pytest.raises(ChocoError, match="1 words of 512 bits"):
        make_macro(MODEL, 1, 512)
    with pytest.raises(ChocoError, match="outside the table"):
        make_macro(MODEL, 1 << 20, 512)
    with pytest.raises(ChocoError, match="no SRAM array with 72-bit words"):
        make_macro(MODEL, 1024, 72)


def test_stage_writes_both_files(tmp_path):
    arrays = tmp_path / "arrays.csv"
    recorded = {"recorded": RECORDED / "manifest.yaml"}
    table_stage(Job(TableSettings(provider="recorded"), recorded, {"arrays": arrays}))
    outputs = {"lef": tmp_path / "a.lef", "liberty": tmp_path / "a.lib"}
    stage(Job(Settings(depth=384), {"arrays": arrays}, outputs))
    assert "MACRO taco_sram_1r1w_384x512" in outputs["lef"].read_text()
    assert "interpolated" in outputs["lef"].read_text()
    assert "cell (taco_sram_1r1w_384x512)" in outputs["liberty"].read_text()


@pytest.fixture
def files(tmp_path):
    macro = make_macro(MODEL, 128, 512)
    (tmp_path / "sram.lib").write_text(liberty(macro))
    (tmp_path / "sram.lef").write_text(lef(macro))
    (tmp_path / "top.v").write_text(TOP)
    return tmp_path


def test_yosys_reads_the_liberty_and_its_area(files):
    pyosys = pytest.importorskip("pyosys.libyosys")
    design = pyosys.Design()
    for command in (
        f"read_liberty -lib {files / 'sram.lib'}",
        f"read_verilog {files / 'top.v'}",
        "hierarchy -check -top top",
        f"tee -q -o {files / 'stat'} stat -liberty {files / 'sram.lib'}",
    ):
        pyosys.run_pass(command, design)
    area = float(re.search(r"Chip area for module .*: ([\d.]+)", (files / "stat").read_text())[1])
    assert area == pytest.approx(float(MODEL(8192, 512).area_m2) * 1e12, rel=1e-3)


def sta(directory, *commands):
    script = directory / "run.tcl"
    read = (
        "read_liberty sram.lib",
        "read_verilog top.v",
        "link_design top",
        "create_clock -name clock -period 10 [get_ports clk]",
    )
    script.write_text("\n".join([*read, *commands, "exit"]) + "\n")
    run = subprocess.run(
        ["sta", "-no_splash", "-exit", script.name],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0 and "rror" not in run.stdout + run.stderr, run.stdout + run.stderr
    return run.stdout


@pytest.mark.skipif(shutil.which("sta") is None, reason="no OpenSTA on PATH")
def test_opensta_finds_access_time_setup_and_smallest_period(files):
    costs = MODEL(8192, 512)
    text = sta(
        files,
        "set_output_delay 0 -clock clock [all_outputs]",
        "set_input_delay 0 -clock clock [get_ports {read write from* to* in*}]",
        "report_checks -to [get_ports {out[3]}] -digits 5",
        "report_checks -from [get_ports {in[3]}] -digits 5",
        "report_check_types -min_period -verbose -digits 5",
    )
    access = float(re.search(r"([\d.]+) +[\d.]+ . u_sram/read_data_o\[3\]", text)[1])
    assert access == pytest.approx(float(costs.read_latency_s) * 1e9, abs=1e-4)
    assert (
        float(re.search(r"-([\d.]+) +[\d.]+ +library setup time", text)[1]) == SHAPE.setup_s * 1e9
    )
    period = float(re.search(r"-([\d.]+) +min_period", text)[1])
    assert period == pytest.approx(float(costs.cycle_time_s) * 1e9, abs=1e-4)


@pytest.mark.skipif(shutil.which("sta") is None, reason="no OpenSTA on PATH")
def test_opensta_finds_the_power_of_reads_and_writes(files):
    """A read every cycle and a write every fourth at 100 MHz.

    OpenSTA 2.0 counts the internal energy of both edges of a pin twice; later versions do not.
    """
    costs = MODEL(8192, 512)
    text = sta(
        files,
        "set_input_delay 0 -clock clock [get_ports {read write from* to* in*}]",
        "set_power_activity -input_port read -activity 0.0 -duty 1.0",
        "set_power_activity -input_port write -activity 0.5 -duty 0.25",
        "report_power -instances u_sram -digits 8",
    )
    version = subprocess.run(["sta", "-version"], capture_output=True, text=True).stdout
    counted = 2 if version.startswith("2.0.") else 1
    internal, _, leakage, _ = map(
        float, re.search(r"^ *(\S+) +(\S+) +(\S+) +(\S+) u_sram", text, re.M).groups()
    )
    energy = float(costs.read_energy_j) + 0.25 * float(costs.write_energy_j)
    assert internal == pytest.approx(counted * energy * 100e6, rel=1e-4)
    assert leakage == pytest.approx(float(costs.leakage_w), rel=1e-4)
