import subprocess
import sys

import pytest

from rtl.tb.runner import environment, sources

BUILDS = [
    {},
    {"Residues": 1, "MaxLogN": 12},
    {"Residues": 2, "Butterflies": 1, "Lanes": 1, "ClippedNormal": 1},
    {"Residues": 3, "Butterflies": 16, "MessageButterflies": 2, "Lanes": 8},
    {"Residues": 16, "MaxLogN": 15},
]


@pytest.mark.parametrize("parameters", BUILDS, ids=lambda p: "-".join(map(str, p.values())))
def test_design_has_no_warnings(parameters):
    """Every warning is on, and there is no waiver in the sources."""
    command = ["verilator", "--lint-only", "--language", "1800-2012", "-Wall"]
    command += ["--top-module", "taco_top", *(f"-G{k}={v}" for k, v in parameters.items())]
    command += map(str, sources())
    run = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "%Warning" not in run.stderr


@pytest.mark.parametrize("parameters", BUILDS[:3], ids=lambda p: "-".join(map(str, p.values())))
def test_yosys_reads_the_design(parameters):
    """Without warnings, latches, or anything driven twice or not at all."""
    values = " ".join(f"-G {k}={v}" for k, v in parameters.items())
    commands = [
        f"read_slang --std 1800-2017 {values} --top taco_top {' '.join(map(str, sources()))}",
        "hierarchy -check",
        "proc",
        "select -assert-none t:$dlatch",
        "check -assert",
    ]
    program = "import sys; from pyosys import libyosys as y; [y.run_pass(c) for c in sys.argv[1:]]"
    run = subprocess.run([sys.executable, "-c", program, *commands], capture_output=True, text=True)
    output = run.stdout + run.stderr
    assert run.returncode == 0, output[-3000:]
    assert "Warning" not in output


def test_no_waivers():
    for file in sources():
        assert "lint_off" not in file.read_text(), file
