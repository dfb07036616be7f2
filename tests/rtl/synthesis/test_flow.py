"""The flow on blocks that map in a second: netlist, replay against a model, timing, power."""

import json
import shutil

import numpy as np
import pytest

from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job
from rtl.lib.generate import LIBERTY
from rtl.synthesis import map as map_stage
from rtl.synthesis import opensta
from rtl.synthesis.liberty import parse, read_cells
from rtl.synthesis.mapping import map_block, sources
from rtl.synthesis.netlist import interface_cells, read, write_verilog
from rtl.synthesis.replay import replay, settled
from rtl.synthesis.signals import load, signals

CELLS = read_cells(LIBERTY)
live = [
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("sta") is None, reason="no OpenSTA (sta) on PATH"),
]

ACCUMULATOR = """
module accumulator (
  input  logic       clk_i, rst_ni, valid_i,
  input  logic [3:0] a_i, b_i,
  output logic [9:0] sum_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_o <= '0;
    else if (valid_i) sum_o <= sum_o + a_i * b_i;
  end
endmodule
"""
LATCH = """
module latch (input logic enable_i, data_i, output logic data_o);
  always_latch if (enable_i) data_o = data_i;
endmodule
"""


@pytest.fixture(scope="module")
def accumulator(tmp_path_factory):
    """Return the mapped accumulator and the directory of its files."""
    directory = tmp_path_factory.mktemp("accumulator")
    source = directory / "accumulator.sv"
    source.write_text(ACCUMULATOR)
    mapped = map_block("accumulator", {}, (), LIBERTY, CELLS, directory, files=[source])
    return mapped, directory


def recording(directory, mapped, cycles=400, wrong=None):
    """Write what the RTL would show under random inputs; return the recording and its signals."""
    rng = np.random.default_rng(1)
    recorded = signals(mapped)
    rows, total = [], 0
    for cycle in range(cycles):
        values = {
            "rst_ni": int(cycle > 2),
            "valid_i": int(rng.integers(2)) if cycle < cycles // 2 else 0,
            "a_i": int(rng.integers(16)),
            "b_i": int(rng.integers(16)),
        }
        values["sum_o"] = total if cycle != wrong else total ^ 1
        word = at = 0
        for signal in recorded:
            word |= values[signal.path] << at
            at += len(signal.bits)
        rows.append(f"{word:0{(at + 3) // 4}x}")
        if not values["rst_ni"]:
            total = 0
        elif values["valid_i"]:
            total = (total + values["a_i"] * values["b_i"]) % 1024
    file = directory / "accumulator.hex"
    file.write_text("\n".join(rows))
    return recorded, load(file, recorded)


def test_the_netlist_does_what_the_rtl_does(accumulator, tmp_path):
    mapped, _ = accumulator
    assert mapped.counts()["DFFR_X1"] == 10
    assert any(name.startswith("FA") for name in mapped.counts())
    recorded, trace = recording(tmp_path, mapped)
    active = trace.column("valid_i") > 0
    activity = replay(mapped, CELLS, recorded, trace, active, {}, tmp_path)
    assert activity.cycles == 399
    assert activity.active_cycles == active[1:].sum()
    # With valid low nothing is stored, so the outputs rest; while it works the lowest bit of the
    # sum moves when both factors are odd, in a quarter of its cycles.
    lowest = mapped.ports["sum_o"].bits[0]
    assert activity.idle[lowest] == 0
    assert activity.working[lowest] == pytest.approx(0.25, abs=0.1)


def test_a_netlist_that_differs_is_found(accumulator, tmp_path):
    mapped, _ = accumulator
    recorded, trace = recording(tmp_path, mapped, wrong=57)
    active = trace.column("valid_i") > 0
    with pytest.raises(ChocoError, match=r"accumulator: 1 output bits .* first in cycle 57"):
        replay(mapped, CELLS, recorded, trace, active, {}, tmp_path)


def test_settled():
    active = np.zeros(60, dtype=bool)
    active[20] = True
    quiet = settled(active)
    assert not quiet[:16].any()
    assert quiet[16:20].all()
    assert not quiet[20:36].any()
    assert quiet[37:].all()


def test_a_recording_of_another_width_is_refused(accumulator, tmp_path):
    mapped, _ = accumulator
    recorded = signals(mapped)
    for text in ("", "123\n123\n"):
        (tmp_path / "x.hex").write_text(text)
        with pytest.raises(ChocoError, match="expected 5 digits"):
            load(tmp_path / "x.hex", recorded)
    with pytest.raises(ChocoError, match="no recording"):
        load(tmp_path / "none.hex", recorded)


def test_a_block_of_the_design_maps(tmp_path):
    block = "taco_sequence"
    job = Job(map_stage.Settings(block=block), {}, {"netlist": tmp_path / block / "netlist.json"})
    map_stage.stage(job)
    mapped = read(tmp_path / block / "netlist.json", CELLS, ())
    assert mapped.module == "taco_sequence"
    flops = sum(n for kind, n in mapped.counts().items() if CELLS[kind].next_state)
    assert 0 < flops < len(mapped.instances)


def test_an_unknown_block_or_library_is_one_line(tmp_path):
    outputs = {"netlist": tmp_path / "netlist.json"}
    with pytest.raises(ChocoError, match="'taco_x' is not a block"):
        map_stage.stage(Job(map_stage.Settings(block="taco_x"), {}, outputs))
    missing = Pdk(liberty=tmp_path / "none.lib")
    settings = map_stage.Settings(block="taco_sequence", pdk=missing)
    with pytest.raises(ChocoError, match=r"none\.lib: not a readable Liberty file"):
        map_stage.stage(Job(settings, {}, outputs))
    with pytest.raises(ChocoError, match="no module 'taco_x'"):
        sources("taco_x")


def test_what_cannot_be_mapped_is_refused(tmp_path, accumulator):
    source = tmp_path / "latch.sv"
    source.write_text(LATCH)
    with pytest.raises(ChocoError, match="latches are not supported"):
        map_block("latch", {}, (), LIBERTY, CELLS, tmp_path, files=[source])
    source.write_text("module latch (input logic a_i); nonsense endmodule")
    with pytest.raises(ChocoError, match="Yosys made no netlist of latch"):
        map_block("latch", {}, (), LIBERTY, CELLS, tmp_path, files=[source])
    _, directory = accumulator
    fewer = {name: cell for name, cell in CELLS.items() if not name.startswith("DFFR")}
    with pytest.raises(ChocoError, match="unmapped cell 'DFFR_X1'"):
        read(directory / "netlist.json", fewer, ())


def test_an_empty_netlist_is_refused(tmp_path):
    file = tmp_path / "netlist.json"
    module = {"attributes": {"top": 1}, "cells": {}, "ports": {}}
    file.write_text(json.dumps({"modules": {"nothing": module}}))
    with pytest.raises(ChocoError, match="mapped to nothing"):
        read(file, CELLS, ())


def test_without_opensta(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ChocoError, match="no OpenSTA: 'sta' is not on PATH"):
        opensta.binary()


class TestOpenSta:
    pytestmark = live

    def test_timing(self, accumulator, tmp_path):
        mapped, _ = accumulator
        write_verilog(mapped, tmp_path / "a.v")
        found = {
            period: opensta.timing(
                "accumulator", [tmp_path / "a.v"], LIBERTY, period, tmp_path, clocked=True
            )
            for period in (10e-9, 2e-9)
        }
        assert found[10e-9].min_period_s == pytest.approx(found[2e-9].min_period_s, abs=2e-15)
        # An adder of ten bits behind a flip-flop: some 10 to 60 delays of a loaded inverter.
        assert 0.1e-9 < found[10e-9].min_period_s < 1.5e-9

    def test_paths_through_the_interface_are_kept(self, accumulator, tmp_path):
        mapped, _ = accumulator
        kept = interface_cells(mapped, CELLS)
        assert 0 < len(kept) <= len(mapped.instances)
        write_verilog(mapped, tmp_path / "a.v", kept)
        assert "DFFR_X1" in (tmp_path / "a.v").read_text()

    def test_no_path_is_an_error(self, tmp_path):
        (tmp_path / "a.v").write_text("module a (clk_i); input clk_i; endmodule\n")
        with pytest.raises(ChocoError, match="OpenSTA"):
            opensta.timing("a", [tmp_path / "a.v"], LIBERTY, 1e-8, tmp_path, clocked=True)

    def test_internal_power_is_the_librarys(self, tmp_path):
        """A flip-flop at rest takes what the library says for both edges of its clock."""
        (tmp_path / "a.v").write_text(
            "module a (input clk_i, d, rst_ni, output q);\n"
            "  DFFR_X1 u0 (.CK(clk_i), .D(d), .RN(rst_ni), .Q(q));\nendmodule\n"
        )
        flop = next(
            cell
            for cell in parse(LIBERTY.read_text()).children("cell")
            if cell.arguments == ("DFFR_X1",)
        )
        clock = next(pin for pin in flop.children("pin") if pin.arguments == ("CK",))
        edges = next(clock.children("internal_power")).children("rise_power", "fall_power")
        stated_j = sum(float(edge.value("values")) for edge in edges) * 1e-15
        powers = opensta.power("a", tmp_path / "a.v", LIBERTY, 1e-8, tmp_path, clocked=True)
        assert powers[0].still_w * 1e-8 == pytest.approx(stated_j, rel=0.01)

    def test_power_of_cells(self, accumulator, tmp_path):
        mapped, _ = accumulator
        write_verilog(mapped, tmp_path / "a.v", open_boxes=True)
        powers = opensta.power(
            "accumulator", tmp_path / "a.v", LIBERTY, 1e-8, tmp_path, clocked=True
        )
        assert powers.keys() == set(range(len(mapped.instances)))
        for i, instance in enumerate(mapped.instances):
            assert powers[i].leakage_w > 0
            assert powers[i].per_transition_w > 0, instance
            clocked = bool(CELLS[instance.kind].next_state)
            assert (powers[i].still_w > 1e-8) == clocked, instance
