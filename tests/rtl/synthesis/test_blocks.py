"""The list of blocks, buffer trees, the committed table and the comparison of libraries."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from models.errors import ChocoError
from models.recorded import open_recorded
from models.tables import read_table
from rtl.lib.generate import LIBERTY
from rtl.synthesis.blocks import block_list, blocks, by_name, matching, needed, reference
from rtl.synthesis.compare import QUANTITIES, document, ratios
from rtl.synthesis.fanout import MAX_FANOUT, buffer_cell, buffer_fanout
from rtl.synthesis.liberty import read_cells
from rtl.synthesis.mapping import sources
from rtl.synthesis.netlist import read
from rtl.synthesis.table import BLOCKS

CELLS = read_cells(LIBERTY)
RECORDED = Path("results/recorded/synthesis")


def test_every_block_is_a_module_with_these_parameters():
    for module, entry in block_list().blocks.items():
        text = next(f for f in sources(module) if f.stem == module).read_text()
        for name in entry.sizes:
            assert f"{name} " in text, (module, name)
        for port in entry.active:
            assert port in text, (module, port)
        for box in entry.boxes:
            assert box in block_list().blocks


def test_what_is_needed_comes_first():
    order = [block.name for block in blocks()]
    assert len(order) == len(set(order)) == len(by_name())
    for block in blocks():
        for part in needed(block):
            if part.module != block.module:
                assert order.index(part.name) < order.index(block.name)


def test_a_block_is_found_by_the_parameters_of_its_instance():
    assert matching("taco_ntt", {"Butterflies": 8, "MaxLogN": 13}).text == "Butterflies=8"
    assert matching("taco_ntt", {"Butterflies": 3}) is None
    assert reference("taco_dyadic").text == "Lanes=2"


def wide_net(path: Path, sinks: int) -> None:
    """Write a netlist in which a register drives many inverters."""
    cells = {
        f"i{i}": {
            "type": "INV_X1",
            "parameters": {},
            "attributes": {},
            "connections": {"A": [3], "Y": [10 + i]},
        }
        for i in range(sinks)
    }
    cells["r"] = {
        "type": "DFFR_X1",
        "parameters": {},
        "attributes": {},
        "connections": {"D": [10], "CK": [2], "RN": [4], "Q": [3]},
    }
    ports = {
        "clk_i": {"direction": "input", "bits": [2]},
        "rst_ni": {"direction": "input", "bits": [4]},
        "data_o": {"direction": "output", "bits": list(range(10, 10 + sinks))},
    }
    module = {"attributes": {"top": "1"}, "ports": ports, "cells": cells}
    path.write_text(json.dumps({"modules": {"wide": module}}))


@pytest.mark.parametrize("sinks", [1, MAX_FANOUT, MAX_FANOUT + 1, 1000])
def test_no_net_has_too_many_sinks(tmp_path, sinks):
    path = tmp_path / "netlist.json"
    wide_net(path, sinks)
    made = buffer_fanout(path, CELLS)
    netlist = read(path, CELLS, ())
    assert len(netlist.instances) == sinks + 1 + made
    assert (made > 0) == (sinks > MAX_FANOUT)
    loads = Counter(
        bit
        for instance in netlist.instances
        for pin, bit in instance.pins.items()
        if pin in CELLS[instance.kind].inputs
    )
    assert max(loads.values()) <= MAX_FANOUT
    # Every inverter still reads the register, through buffers.
    driver = {i.pins["Y"]: i.pins["A"] for i in netlist.instances if i.kind.startswith("BUF")}
    for instance in netlist.instances:
        if instance.kind == "INV_X1":
            net = instance.pins["A"]
            while net in driver:
                net = driver[net]
            assert net == 3


def test_the_buffer_is_one_that_may_be_used():
    assert buffer_cell(CELLS, ["CLKBUF*"]).name == "BUF_X4"
    assert buffer_cell(CELLS, ["*BUF*"]) is None


@pytest.mark.parametrize("library", ["choco45", "nangate45"])
def test_the_committed_table_is_whole(library):
    store = open_recorded(RECORDED)
    store.verify()
    table = read_table(store.file("blocks", "blocks.csv"), BLOCKS).fillna({"parameters": ""})
    listed = {(block.module, block.text) for block in blocks()}
    rows = table[(table.stage == "synthesis") & (table.library == library)]
    assert set(zip(rows.block, rows.parameters, strict=True)) == listed
    assert not rows.duplicated(["block", "parameters"]).any()
    assert (rows.idle_energy_j < rows.active_energy_j * 1.2).all()
    transforms = rows[rows.block == "taco_ntt"].set_index("parameters")
    areas = [transforms.area_m2[f"Butterflies={p}"] for p in (1, 2, 4, 8, 16, 32)]
    assert areas == sorted(areas)


def table_of(**areas: float) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"block": "taco_mod_add", "parameters": None, "library": library, "stage": "synthesis"}
            | dict.fromkeys(QUANTITIES, area)
            for library, area in areas.items()
        ]
    )


def test_comparison():
    found = ratios(table_of(ours=1.1, theirs=1.0), "ours", "theirs")
    assert found.area_m2.iloc[0] == pytest.approx(0.1)
    assert "| `taco_mod_add` |  | +10% |" in document(found, "ours", "theirs")
    with pytest.raises(ChocoError, match="no block is recorded for both ours and theirs"):
        ratios(table_of(ours=1.0), "ours", "theirs")
