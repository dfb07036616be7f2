from pathlib import Path

import pytest

from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job
from rtl.synthesis.liberty import Cell
from rtl.synthesis.netlist import Box, Instance, Netlist, Port
from rtl.synthesis.place_and_route import run
from rtl.synthesis.place_and_route.activity import Replayed, write_activity
from rtl.synthesis.place_and_route.settings import HERE

CELLS = {
    "INV": Cell("INV", 1.0, ("A",), {"Y": "!A"}),
    "DFF": Cell("DFF", 4.0, ("CK", "D"), {"Q": "IQ"}, "D", "CK", state=("IQ", "IQN")),
}
NETLIST = Netlist(
    "block",
    {
        "clk_i": Port("input", (2,)),
        "data_i": Port("input", (3, 4)),
        "data_o": Port("output", (6,)),
    },
    (
        Instance("INV", {"A": 3, "Y": 5}),
        Instance("DFF", {"CK": 2, "D": 5, "Q": 6}),
    ),
    (
        Box(
            "taco_sram_1r1w",
            "u_sram",
            {"Depth": 128, "Width": 2, "AddrWidth": 7},
            {"clk_i": (2,), "read_i": (5,), "read_data_o": (7, "0")},
        ),
    ),
)


def job(tmp_path: Path, **changed: object) -> Job[run.Settings]:
    settings = run.Settings.model_validate({"block": "taco_butterfly"} | changed)
    return Job(settings, {"netlist": tmp_path / "none"}, {"metrics": tmp_path / "metrics.json"})


def test_every_driver_gets_the_activity_of_its_net_and_mode(tmp_path: Path) -> None:
    rates = {"active": {3: 0.5, 4: 0.25, 5: 0.5, 6: 0.125, 7: 1.0}, "idle": {}}
    high = {"active": {5: 0.9}, "idle": {5: 0.1}}
    replayed = Replayed(10, rates, high)
    write_activity(NETLIST, CELLS, replayed, "active", tmp_path / "active")
    write_activity(NETLIST, CELLS, replayed, "idle", tmp_path / "idle")
    assert (tmp_path / "active").read_text().splitlines() == [
        "port data_i[0] 0.5 0.5000",
        "port data_i[1] 0.25 0.5000",
        "pin u0/Y 0.5 0.9000",
        "pin u1/Q 0.125 0.5000",
        "macro b0/read_data_o[0] 1 0.5000",
    ]
    assert "pin u0/Y 0 0.1000" in (tmp_path / "idle").read_text()


def test_our_own_library_has_no_layout(tmp_path: Path) -> None:
    with pytest.raises(ChocoError, match=r"choco45: place and route needs pdk\.lef"):
        run.stage(job(tmp_path))


def test_a_missing_file_of_the_library_is_named(tmp_path: Path) -> None:
    pdk = Pdk(name="other", lef=(tmp_path / "tech.lef",), layout=HERE / "nangate45.yaml")
    with pytest.raises(ChocoError, match=r"pdk other: no file .*tech\.lef"):
        run.stage(job(tmp_path, pdk=pdk))


def test_an_absent_openroad_is_explained(tmp_path: Path) -> None:
    lef = tmp_path / "tech.lef"
    lef.touch()
    pdk = Pdk(name="other", lef=(lef,), layout=HERE / "nangate45.yaml")
    with pytest.raises(ChocoError, match=r"tools\.openroad.*not an executable file"):
        run.stage(job(tmp_path, pdk=pdk, openroad=tmp_path / "openroad"))


def test_an_unknown_block_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChocoError, match="'taco_none' is not a block"):
        run.stage(job(tmp_path, block="taco_none"))
