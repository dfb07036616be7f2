"""Cycles of layers from the fast model."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from models.client.inference import LAYER_CYCLES, recorded_cycles
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table
from workloads.fast_core.measure import Counts, Region
from workloads.local_inference import build, measure

NETWORK = """
name: Tiny
input: {channels: 3, height: 6, width: 6}
layers:
  - {kind: convolution, name: conv, out_channels: 8, kernel: 3, padding: same}
  - {kind: relu}
  - {kind: max_pool, size: 2}
  - {kind: fully_connected, name: fc, out_features: 10}
"""
RECORDED = Path("results/recorded/inference")


def region(cycles):
    return Region(Counts(*[cycles] * 10), {})


def needs_program():
    if (lacking := build.missing(build.Settings())) is not None:
        pytest.skip(lacking)
    if not build.program(build.Settings()).exists():
        pytest.skip("local_inference is not built; `snakemake local-inference-program` builds it")
    if shutil.which("qemu-arm") is None:
        pytest.skip("no qemu-arm on PATH")


def test_the_second_region_counts():
    assert measure.measured([region(30), region(20)]) == region(20)
    with pytest.raises(ChocoError, match="3 regions of interest, not 2"):
        measure.measured([region(1)] * 3)


def test_every_layer_of_every_network_is_listed(tmp_path):
    (tmp_path / "tiny.yaml").write_text(NETWORK)
    listed = measure.runs({"tiny": tmp_path / "tiny.yaml"})
    tiny = [(run.operation, run.dtype) for network, run in listed if network == "Tiny"]
    local = ["convolution", "max_pool", "fully_connected"]
    plain = ["relu", "max_pool", "requantize"]
    expected = [(name, dtype) for dtype in ("float32", "int8") for name in local]
    assert tiny == [*expected, *((name, "int32") for name in plain)]
    slots = [run for network, run in listed if network == "any"]
    assert len(slots) == 2 * len(measure.POLY_MODULUS_DEGREES)


def test_the_stage_measures_layers_once(tmp_path, monkeypatch):
    needs_program()
    monkeypatch.setattr(measure, "POLY_MODULUS_DEGREES", (2048,))
    (tmp_path / "tiny.yaml").write_text(NETWORK)
    outputs = {name: tmp_path / f"{name}.csv" for name in ("cycles", "timings")}
    # The same network twice: its layers are in the table twice and run once.
    inputs = {"tiny": tmp_path / "tiny.yaml", "again": tmp_path / "tiny.yaml"}
    measure.stage(Job(measure.Settings(), inputs, outputs))
    table = read_table(outputs["cycles"], LAYER_CYCLES)
    assert len(table) == 2 + 2 * 9
    assert len(read_table(outputs["timings"], measure.TIMINGS)) == 2 + 9
    assert table.provenance.str.startswith("live fast model ").all()
    pd.testing.assert_series_equal(
        table.cycles[2:11].reset_index(drop=True), table.cycles[11:].reset_index(drop=True)
    )
    linear = table[table.macs > 0]
    assert (linear.cycles < 100 * linear.macs).all()


def test_recorded_cycles_can_be_measured_again():
    needs_program()
    recorded = recorded_cycles(RECORDED, measure.Settings().core.stem)
    layers = recorded[(recorded.network == "LeNetSm") & (recorded.layer == "conv2")]
    core = measure.read_core(measure.Settings().core)
    program = str(build.program(build.Settings()))
    for _, layer in layers.iterrows():
        counts = measure.measured(
            measure.simulate(core, [program, *layer["arguments"].split()])
        ).counts
        # Library and compiler are this machine's, so another version may differ a little.
        assert counts.instructions == pytest.approx(layer["instructions"], rel=0.05)
        assert counts.cycles == pytest.approx(layer["cycles"], rel=0.1)
