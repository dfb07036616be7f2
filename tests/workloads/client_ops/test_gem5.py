"""The live gem5 stage, with a program in gem5's place that leaves recorded statistics."""

import gzip
import json
from pathlib import Path

import pytest

from models.client.gem5_stats import operation_counts
from models.client.operations import CLIENT_OPERATIONS
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.stage import Job
from models.tables import read_table
from workloads.client_ops import gem5
from workloads.client_ops.gem5 import Settings, stage

ROOT = Path(__file__).parents[3]
STATS = ROOT / "results/recorded/gem5/seal-4.4.3-bfv-4096-3.stats.txt.gz"
SET = ParameterSet(
    scheme="bfv",
    poly_modulus_degree=4096,
    coeff_modulus_bits=(36, 36, 37),
    plain_modulus_bits=18,
)
FAKE = """#!/usr/bin/env python3
import json, sys
from pathlib import Path
if sys.argv[1] == "--build-info":
    print("gem5 version 99.1")
    raise SystemExit(0)
if {fails}:
    print("fatal: no such thing", file=sys.stderr)
    raise SystemExit(1)
out = Path(sys.argv[2])
Path({seen!r}).write_text(json.dumps([sys.argv[1:], (out / "core.json").read_text()]))
(out / "stats.txt").write_bytes(Path({stats!r}).read_bytes())
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    stats, seen = tmp_path / "stats.txt", tmp_path / "seen.json"
    stats.write_bytes(gzip.decompress(STATS.read_bytes()))
    monkeypatch.setattr(gem5, "arm_program", lambda program, client: tmp_path / "client_ops")
    monkeypatch.chdir(ROOT)

    def make(fails=False):
        path = tmp_path / "gem5.opt"
        path.write_text(FAKE.format(fails=fails, stats=str(stats), seen=str(seen)))
        path.chmod(0o755)
        return path, seen

    return make


def settings(path):
    return Settings(
        client=Client(seal_version="4.4.3", clock_hz=264e6), parameter_sets={"B": SET}, gem5=path
    )


def test_cycles_come_from_the_run(fake, tmp_path):
    path, seen = fake()
    output = tmp_path / "operations.csv"
    stage(Job(settings(path), {}, {"operations": output}))
    table = read_table(output, CLIENT_OPERATIONS).set_index("operation")
    truth = operation_counts(STATS)
    assert table.cycles.to_dict() == {name: count.cycles for name, count in truth.items()}
    assert set(table.provenance) == {"live gem5 99.1"}
    assert table.time_s["encrypt"] == pytest.approx(truth["encrypt"].cycles / 264e6)
    command, core = json.loads(seen.read_text())
    assert command[2] == "gem5-configs/cortex_a7.py"
    assert command[-2:] == ["--markers", "gem5"]
    assert json.loads(core)["clock_hz"] == 264e6


def test_a_failing_gem5_is_told_with_its_last_words(fake, tmp_path):
    path, _ = fake(fails=True)
    with pytest.raises(ChocoError, match="exited with 1: fatal: no such thing"):
        stage(Job(settings(path), {}, {"operations": tmp_path / "operations.csv"}))


def test_live_needs_gem5(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ChocoError, match=r"no gem5\.opt on PATH; point at it: tools:"):
        stage(Job(Settings(), {}, {}))
