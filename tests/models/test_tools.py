import dataclasses
from pathlib import Path

import pytest

from models import tools
from models.config import Config
from models.config.platform import Providers, Tools
from models.errors import ChocoError
from models.tools import DESTINY, GEM5, OPENROAD, doctor, find, probe_version, resolve

RECORDED = Path(__file__).parents[2] / "results/recorded"
DRIVEN = dataclasses.replace(GEM5, live_route=True)
"""gem5 as it will be once the workflow can run it."""


@pytest.fixture
def path(tmp_path, monkeypatch):
    """An empty directory as the whole PATH."""
    directory = tmp_path / "bin"
    directory.mkdir()
    monkeypatch.setenv("PATH", str(directory))
    return directory


def put(directory, name, script):
    executable = directory / name
    executable.write_text(f"#!/bin/sh\n{script}\n")
    executable.chmod(0o755)
    return executable


def put_gem5(directory, version="99.1"):
    return put(directory, "gem5.opt", f'[ "$1" = --build-info ] && echo "gem5 version {version}"')


def test_auto_without_the_tool_is_recorded_and_says_so(path):
    chosen = resolve(GEM5, "auto", recorded=RECORDED)
    assert chosen.provider == "recorded"
    assert chosen.recorded == RECORDED / "gem5"
    assert chosen.sentence == ("recorded gem5 24.0.0.1 2026-11-21 (no gem5.opt or gem5 on PATH)")


def test_live_without_the_tool_says_how_to_point_at_it(path):
    with pytest.raises(ChocoError, match=r"PATH.*tools: \{gem5: /path/to/gem5\.opt\}"):
        resolve(GEM5, "live", recorded=RECORDED)


def test_live_with_the_tool_but_no_route_is_an_error(path):
    put_gem5(path)
    with pytest.raises(ChocoError, match=r"live runs of gem5 are not built into this version"):
        resolve(GEM5, "live", recorded=RECORDED)


def test_auto_with_the_tool_but_no_route_is_recorded_and_says_why(path):
    binary = put_gem5(path)
    chosen = resolve(GEM5, "auto", recorded=RECORDED)
    assert chosen.provider == "recorded"
    assert str(binary) in chosen.sentence
    assert "not built" in chosen.sentence


@pytest.mark.parametrize("provider", ["auto", "live"])
def test_a_tool_with_a_route_runs_live(path, provider):
    binary = put_gem5(path)
    chosen = resolve(DRIVEN, provider, recorded=RECORDED)
    assert (chosen.provider, chosen.path) == ("live", binary)
    assert chosen.sentence.startswith("live gem5 99.1 at ")


def test_recorded_ignores_a_tool_that_is_there(path):
    put_gem5(path)
    assert resolve(DRIVEN, "recorded", recorded=RECORDED).provider == "recorded"


def test_nothing_live_and_nothing_recorded_is_an_error(path, tmp_path):
    for provider in ("auto", "recorded"):
        with pytest.raises(ChocoError, match="no recorded outputs"):
            resolve(OPENROAD, provider, recorded=tmp_path)


def test_the_configured_path_goes_before_path(path, tmp_path):
    put_gem5(path)
    own = put_gem5(tmp_path, "7")
    assert find(GEM5, own) == own
    assert probe_version(GEM5, own) == "7"
    assert find(GEM5) == path / "gem5.opt"


def test_a_configured_path_that_is_no_executable_is_an_error(path, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    for wrong in (plain, tmp_path / "absent"):
        with pytest.raises(ChocoError, match=r"tools\.gem5: .*not an executable file"):
            resolve(GEM5, "auto", wrong, RECORDED)


def test_a_tool_that_prints_no_version_fails_in_one_line(path):
    for script in ("exit 3", "echo hello", "echo gem5 version 1; exit 1"):
        with pytest.raises(ChocoError, match="printed no gem5 version") as error:
            probe_version(GEM5, put(path, "gem5.opt", script))
        assert "\n" not in str(error.value)


def test_a_tool_that_hangs_is_given_up(path, monkeypatch):
    monkeypatch.setattr(tools, "_PROBE_TIMEOUT_S", 0.2)
    with pytest.raises(ChocoError, match="cannot be asked for its version"):
        probe_version(GEM5, put(path, "gem5.opt", "while :; do :; done"))


def test_a_tool_runs_in_a_scratch_directory(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    binary = put(path, "gem5", "echo > litter; echo gem5 version 1")
    assert probe_version(GEM5, binary) == "1"
    assert not (tmp_path / "litter").exists()


def test_a_tool_without_a_version_is_named_by_its_checksum(path):
    first = probe_version(DESTINY, put(path, "destiny", "exit 1"))
    assert first == probe_version(DESTINY, path / "destiny")
    assert first != probe_version(DESTINY, put(path, "destiny", "exit 2"))


def test_doctor_reports_every_tool_and_survives_broken_ones(path, tmp_path):
    put(path, "openroad", "exit 1")
    config = Config(providers=Providers(gem5="live"), tools=Tools(destiny=tmp_path / "absent"))
    rows = {row.tool: row for row in doctor(config, RECORDED)}
    assert set(rows) == {"gem5", "DESTINY", "OpenROAD", "Yosys", "OpenSTA"}
    assert rows["gem5"].path == "not found"
    assert "tools: {gem5:" in rows["gem5"].provider
    assert "not an executable file" in rows["DESTINY"].provider
    assert rows["OpenROAD"].path == str(path / "openroad")
    assert "printed no OpenROAD version" in rows["OpenROAD"].version
    assert all(row.unlocks for row in rows.values())


def test_doctor_says_that_opensta_is_missing(path):
    row = {row.tool: row for row in doctor(Config(), RECORDED)}["OpenSTA"]
    assert (row.path, row.version) == ("not found", "-")
    assert "committed results" in row.provider
