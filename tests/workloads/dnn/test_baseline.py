"""The baseline runs for real on a narrow network and costs what its layouts say."""

import pandas as pd
import pytest
import yaml

from models.config import Config
from models.config.workloads import Inference
from models.errors import ChocoError
from models.software_schema import BASELINE
from models.stage import Job
from models.tables import read_table
from workloads import he
from workloads.dnn import baseline
from workloads.dnn.network import load_network

LAYERS = [
    {"kind": "convolution", "name": "conv", "out_channels": 5, "kernel": 3, "padding": "same"},
    {"kind": "relu"},
    {"kind": "max_pool", "size": 2},
    {"kind": "fully_connected", "name": "fc", "out_features": 4},
]


@pytest.fixture
def job(tmp_path):
    def network(name, side):
        size = {"channels": 3, "height": side, "width": side}
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump({"name": name.upper(), "input": size, "layers": LAYERS}))
        return path

    settings = baseline.Settings(
        seed=1,
        parameters=Config().parameter_sets["SEAL"],
        measured="small",
        inference=Inference(parameter_set="SEAL", data="synthetic", images=1),
    )
    inputs = {"large": network("large", 32), "small": network("small", 8)}
    yield Job(settings, inputs, {"baseline": tmp_path / "baseline.csv"})
    he.unseed()


def test_measured_and_counted_rows(job):
    baseline.stage(job)
    table = read_table(job.outputs["baseline"], BASELINE).set_index("network")
    assert table.source.to_dict() == {"LARGE": "layouts", "SMALL": "ciphertexts"}
    assert table.min_budget_bits["SMALL"] > 0
    assert pd.isna(table.min_budget_bits["LARGE"])
    # four data primes each way, whatever comes back
    assert table.upload_bytes["SMALL"] == table.encryptions["SMALL"] * 2 * 8192 * 8 * 4
    assert table.download_bytes["SMALL"] == table.decryptions["SMALL"] * 2 * 8192 * 8 * 4


def test_masks_cost_operations_and_noise(job):
    network = load_network(job.inputs["small"])
    parameters = job.settings.parameters
    ours = network.plans(parameters.poly_modulus_degree // 2)
    theirs = baseline.baseline_plans(network, parameters)
    assert theirs[0].noise(parameters).budget_bits < ours[0].noise(parameters).budget_bits - 20
    assert len(theirs[0].rotation_steps) > len(ours[0].rotation_steps)
    assert theirs[1] == ours[1]


def test_parameters_that_masks_use_up_are_refused(job):
    small = Config().parameter_sets["B"].model_copy(update={"plain_modulus_bits": 22})
    settings = job.settings.model_copy(update={"parameters": small})
    with pytest.raises(ChocoError, match="no noise budget left"):
        baseline.stage(Job(settings, job.inputs, job.outputs))
    assert not job.outputs["baseline"].exists()
