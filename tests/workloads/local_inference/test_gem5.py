"""Layers on gem5, with a program in gem5's place that leaves recorded statistics."""

import gzip
import json
from pathlib import Path

import pytest
import yaml

from models.client.gem5_stats import operation_counts
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table
from workloads.fast_core.measure import Counts, Region
from workloads.local_inference import gem5
from workloads.local_inference.layers import Run

ROOT = Path(__file__).parents[3]
STATS = ROOT / "results/recorded/gem5/seal-4.4.3-bfv-4096-3.stats.txt.gz"
FAKE = """#!/usr/bin/env python3
import json, sys
from pathlib import Path
if sys.argv[1] == "--build-info":
    print("gem5 version 99.1")
    raise SystemExit(0)
if {fails}:
    print("fatal: no such thing", file=sys.stderr)
    raise SystemExit(1)
with Path({seen!r}).open("a") as seen:
    seen.write(json.dumps(sys.argv[1:]) + "\\n")
Path(sys.argv[2], "stats.txt").write_bytes(Path({stats!r}).read_bytes())
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    def make(fails=False):
        (tmp_path / "stats.txt").write_bytes(gzip.decompress(STATS.read_bytes()))
        path = tmp_path / "gem5.opt"
        seen = str(tmp_path / "seen")
        path.write_text(FAKE.format(fails=fails, stats=str(tmp_path / "stats.txt"), seen=seen))
        path.chmod(0o755)
        outputs = {name: tmp_path / f"{name}.csv" for name in ("error", "timings")}
        return Job(gem5.Settings(gem5=path), {}, outputs)

    def simulate(core, command):
        return [Region(Counts(*[cycles] * 10), {}) for cycles in (9, 1000)]

    monkeypatch.setattr(gem5.build, "build", lambda settings: Path("local_inference"))
    monkeypatch.setattr(gem5, "simulate", simulate)
    monkeypatch.chdir(ROOT)
    return make


def test_both_simulators_run_every_layer(job, tmp_path):
    made = job()
    gem5.stage(made)
    truth = operation_counts(STATS, ["layer"])["layer"]
    table = read_table(made.outputs["error"], gem5.LAYER_ERROR)
    assert table.arguments.tolist() == yaml.safe_load(gem5.LAYERS.read_text())
    assert set(table.gem5_cycles) == {truth.cycles}
    assert set(table.cycles) == {1000}
    assert table.error[0] == pytest.approx(1000 / truth.cycles - 1)
    assert table.provenance[0].startswith("live gem5 99.1 + live fast model ")
    assert len(read_table(made.outputs["timings"], gem5.TIMINGS)) == len(table)
    calls = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    program = calls[0].index("local_inference")
    assert calls[0][program + 1 :] == ["--markers", "gem5", *table.arguments[0].split()]


def test_a_gem5_that_fails_is_one_line(job):
    with pytest.raises(ChocoError, match="exited with 1: fatal: no such thing"):
        gem5.stage(job(fails=True))


def test_checked_layers_are_of_both_types_and_of_the_plain_kind():
    layers = yaml.safe_load(gem5.LAYERS.read_text())
    assert len(layers) >= 6 and len(set(layers)) == len(layers)
    assert {layer.split()[-1] for layer in layers} == {"float32", "int8", "int32"}
    for layer in layers:
        words = [word for word in layer.split() if word != "--relu"]
        numbers = tuple(map(int, words[1:-1]))
        again = Run("layer", words[0], words[-1], numbers, relu="--relu" in layer)
        assert " ".join(again.arguments) == layer
