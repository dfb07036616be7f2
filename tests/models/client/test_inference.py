"""Costs of networks on the client itself."""

from pathlib import Path

import pandas as pd
import pytest

from models.baselines.inference import load, published_range
from models.client import inference
from models.client.inference import LAYER_CYCLES, LOCAL_INFERENCE, LOCAL_NETWORKS
from models.config.platform import Client
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table, write_table

CLIENT = Client(clock_hz=1e8, active_power_w=0.5)
RECORDED = Path(__file__).parents[3] / "results/recorded/inference/manifest.yaml"


def row(layer, operation, dtype, macs, cycles, network="net"):
    return {
        "network": network,
        "layer": layer,
        "operation": operation,
        "dtype": dtype,
        "arguments": "-",
        "macs": macs,
        "instructions": cycles,
        "cycles": cycles,
        "provenance": f"run of {dtype}",
    }


@pytest.fixture
def cycles():
    return pd.DataFrame(
        [
            row("conv", "convolution", "float32", 600, 1000),
            row("conv", "max_pool", "float32", 0, 200),
            row("conv", "convolution", "int8", 600, 300),
            row("conv", "relu", "int32", 0, 50),
            row("4096 slots", "pack", "int32", 0, 70, network="any"),
        ]
    )


def test_layers_have_time_energy_and_rate(cycles):
    layers = inference.local_inference(cycles, CLIENT)
    assert layers.time_s.tolist() == pytest.approx([1e-5, 2e-6, 3e-6, 5e-7, 7e-7])
    assert (layers.energy_j / layers.time_s).tolist() == pytest.approx([0.5] * 5)
    assert layers.macs_per_cycle[[0, 2]].tolist() == pytest.approx([0.6, 2.0])
    assert layers.macs_per_cycle[[1, 3, 4]].isna().all()


def test_networks_are_sums_of_local_layers(cycles):
    table = inference.networks(inference.local_inference(cycles, CLIENT), CLIENT)
    assert table.dtype.tolist() == ["float32", "int8"]
    assert table.cycles.tolist() == [1200, 300]
    assert table.macs_per_cycle.tolist() == pytest.approx([0.5, 2.0])
    assert table.macs_per_second.tolist() == pytest.approx([5e7, 2e8])
    assert table.provenance.tolist() == ["run of float32", "run of int8"]
    low, high = published_range(load(), "int8")
    assert (table.published_macs_per_cycle_low[1], table.published_macs_per_cycle_high[1]) == (
        low,
        high,
    )


def test_the_stage_reads_a_live_run(tmp_path, cycles):
    write_table(cycles, tmp_path / "cycles.csv", LAYER_CYCLES)
    outputs = {name: tmp_path / f"{name}.csv" for name in ("layers", "networks")}
    settings = inference.Settings(client=CLIENT)
    inference.stage(Job(settings, {"cycles": tmp_path / "cycles.csv"}, outputs))
    assert len(read_table(outputs["layers"], LOCAL_INFERENCE)) == 5
    assert len(read_table(outputs["networks"], LOCAL_NETWORKS)) == 2


def test_the_stage_reads_the_recorded_run(tmp_path):
    outputs = {name: tmp_path / f"{name}.csv" for name in ("layers", "networks")}
    inference.stage(Job(inference.Settings(), {"recorded": RECORDED}, outputs))
    networks = read_table(outputs["networks"], LOCAL_NETWORKS)
    assert len(networks) == 8
    assert networks.provenance.str.startswith("recorded ").all()
    int8 = networks[networks.dtype == "int8"].set_index("network")
    float32 = networks[networks.dtype == "float32"].set_index("network")
    assert (int8.time_s < float32.time_s).all()


def test_an_unknown_recorded_run_is_an_error(tmp_path):
    outputs = {name: tmp_path / f"{name}.csv" for name in ("layers", "networks")}
    settings = inference.Settings(run="cortex_m4")
    with pytest.raises(ChocoError, match=r"not on 'cortex_m4'; providers\.a7: fast"):
        inference.stage(Job(settings, {"recorded": RECORDED}, outputs))
