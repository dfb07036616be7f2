"""The `choco` command: what it prints, and one line for a mistake."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def choco(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "models.cli", *arguments], cwd=cwd, capture_output=True, text=True
    )


def test_params_shows_sizes_and_security():
    header, row_a = choco("params").stdout.splitlines()[:2]
    for column in ("scheme", "{k} bits", "log2 q", "security", "ciphertext B", "public key B"):
        assert column in header
    assert row_a.split()[:4] == ["A", "bfv", "8192", "58,58,59"]
    assert {"175", "218", "128", str(2 * 8192 * 8 * 2)} <= set(row_a.split())


def test_doctor_names_every_tool_and_its_provider():
    shown = choco("doctor").stdout
    tools = ("gem5", "DESTINY", "OpenROAD", "Yosys", "OpenSTA")
    for tool in tools:
        assert tool in shown
    assert shown.count("  provider  ") == len(tools)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("config", "check", "missing.yaml"), "missing.yaml: No such file"),
        (("claims", "missing.csv"), "missing.csv: no such table"),
        (("params", "--config", "pyproject.toml"), "pyproject.toml: not YAML"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_1(arguments, message):
    run = choco(*arguments)
    assert run.returncode == 1
    assert message in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


def test_unknown_status_is_refused_with_the_known_ones():
    run = choco("claims", "--status", "nope")
    assert run.returncode == 2
    assert "not yet" in run.stderr
