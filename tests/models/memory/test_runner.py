"""Runs of DESTINY: with stand-ins that fail, and with the tool where it is found."""

import shutil
from pathlib import Path

import pytest

from models.config.memory import Memory
from models.errors import ChocoError
from models.memory.destiny import Request
from models.memory.runner import run_destiny
from models.memory.table import Settings, live_arrays, recorded_arrays, requests, stage
from models.stage import Job
from models.tools import DESTINY, find

RECORDED = Path(__file__).parents[3] / "results/recorded/destiny"
REPORT = RECORDED / "example_65536B_512bit_LOP.report.txt"
REQUEST = Request(65536, 512, "LOP")


@pytest.fixture
def put(tmp_path):
    def write(script):
        binary = tmp_path / "destiny"
        binary.write_text(f"#!/bin/sh\n{script}\n")
        binary.chmod(0o755)
        return binary

    return write


def test_a_run_finds_its_configuration_and_cell_and_leaves_nothing(put, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    binary = put(
        f'grep -q "Capacity (B): 65536" "$1" && grep -q "CellArea" sram_6t.cell && cat {REPORT}'
    )
    found = run_destiny(binary, REQUEST)
    assert found["ReadDynamicEnergy"].read_energy_j == pytest.approx(4.606e-12)
    assert [path.name for path in tmp_path.iterdir()] == ["destiny"]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"cat {RECORDED}/refused_49152B_512bit_LOP.report.txt; exit 255", "cannot divide.*255"),
        ("kill -SEGV $$", "stopped by signal 11"),
        ("echo No valid solutions.; echo Finished!", "found no organization"),
        ("exec sleep 60", "not done after 1 s"),
        (f"sed 's/= 4.606pJ/= 487.000pJ/' {REPORT} | sed 's/= 4.606nJ//'", "optimum of"),
    ],
)
def test_failures_are_one_line(put, script, message):
    with pytest.raises(ChocoError, match=message) as error:
        run_destiny(put(script), REQUEST, timeout_s=1)
    assert "\n" not in str(error.value)


def test_what_is_no_program_is_one_line(tmp_path):
    plain = tmp_path / "destiny"
    plain.write_text("text")
    plain.chmod(0o755)
    with pytest.raises(ChocoError, match="cannot be started"):
        run_destiny(plain, REQUEST)


def test_a_live_table_is_of_the_configured_kind_from_two_words_on():
    wanted = requests(Memory(device_roadmap="LSTP", live_word_bits=(512,), live_largest_bytes=1024))
    assert wanted == [Request(size, 512, "LSTP") for size in (128, 256, 512, 1024)]


def test_recorded_arrays_are_written_where_no_destiny_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "arrays.csv"
    job = Job(Settings(), {"recorded": RECORDED / "manifest.yaml"}, {"arrays": out})
    stage(job)
    assert "recorded DESTINY 32ef839 2026-11-21" in out.read_text()


def test_live_without_destiny_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    job = Job(
        Settings(provider="live"),
        {"recorded": RECORDED / "manifest.yaml"},
        {"arrays": tmp_path / "arrays.csv"},
    )
    with pytest.raises(ChocoError, match=r"tools: \{destiny: /path/to/destiny\}"):
        stage(job)


@pytest.mark.live
@pytest.mark.skipif(find(DESTINY) is None, reason="no destiny on PATH")
def test_live_runs_are_identical_to_the_recorded_ones():
    """The author's version (32ef839) computes what is recorded, to the last printed digit."""
    binary = find(DESTINY)
    assert binary is not None and shutil.which(binary)
    recorded = recorded_arrays(RECORDED)
    kinds = [Request(1024, 512, "LOP"), Request(4096, 64, "LOP")]
    live = live_arrays(binary, kinds).drop(columns="provenance")
    both = live.merge(recorded, how="left", on=list(live.columns), indicator=True)
    assert len(live) == 16
    assert (both._merge == "both").all()
