"""Encrypted inference end to end on real ciphertexts."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

import workloads.dnn
from models.config import Config
from models.config.workloads import Inference
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.stage import Job
from models.tables import read_table
from workloads import he
from workloads.dnn import digits, encrypted, infer
from workloads.dnn.network import load_network
from workloads.dnn.plain import OPERATIONS
from workloads.dnn.weights_file import load_weights
from workloads.protocol.trace import COLUMNS, TIMINGS, trace_schema
from workloads.protocol.transport import InProcessTransport

HERE = Path(workloads.dnn.__file__).parent
INPUTS = {
    "network": HERE / "networks" / "lenet_sm.yaml",
    "weights": HERE / "weights" / "lenet_sm_digits_4bit.npz",
}
FILES = {
    "trace": "trace.csv",
    "timings": "timings.csv",
    "summary": "summary.csv",
    "metadata": "trace.json",
}


@pytest.fixture(autouse=True)
def fresh_entropy():
    yield
    he.unseed()


def run(directory, **inference):
    config = Config()
    chosen = config.networks.lenet_sm.model_copy(update={"images": 2} | inference)
    settings = infer.Settings(
        seed=config.seed,
        parameters=config.parameter_sets[chosen.parameter_set],
        inference=chosen,
    )
    outputs = {name: directory / file for name, file in FILES.items()}
    infer.stage(Job(settings, INPUTS, outputs))
    return outputs


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    yield run(tmp_path_factory.mktemp("b"))
    he.unseed()


def test_default_run_is_exact_and_within_the_papers_communication(outputs):
    summary = pd.read_csv(outputs["summary"]).iloc[0]
    assert summary.images_exact == summary.images == 2
    assert summary.upload_bytes + summary.download_bytes <= 0.66e6
    assert summary.min_budget_bits > 0
    assert summary.wire_upload_bytes > summary.upload_bytes
    assert summary.macs == 242_560


def test_tables_fit_their_schemas_and_each_other(outputs):
    trace, timings = pd.read_csv(outputs["trace"]), pd.read_csv(outputs["timings"])
    trace_schema(OPERATIONS).validate(trace)
    TIMINGS.validate(timings)
    assert len(trace) == 2 * 3
    assert set(timings.item) == {-1, 0, 1}
    metadata = json.loads(outputs["metadata"].read_text())
    assert list(metadata["columns"]) == [
        *COLUMNS,
        *(f"client_{name}_elements" for name in OPERATIONS),
    ]
    assert set(metadata["columns"]) == set(trace.columns)
    relu = trace[trace.item == 0].set_index("layer").client_relu_elements
    assert relu.to_dict() == {"conv1": 6 * 24 * 24, "conv2": 16 * 8 * 8, "fc": 0}


def test_a_second_run_writes_the_same_bytes(outputs, tmp_path):
    again = run(tmp_path)
    for name in ("trace", "summary", "metadata"):
        assert again[name].read_bytes() == outputs[name].read_bytes(), name


def test_other_parameters_and_full_downloads_are_exact_too(outputs, tmp_path):
    full = pd.read_csv(run(tmp_path / "full", switch_downloads=False)["trace"])
    switched = pd.read_csv(outputs["trace"])
    assert (full.download_bytes == 2 * switched.download_bytes).all()
    assert (full.min_budget_bits > switched.min_budget_bits).all()
    larger = pd.read_csv(run(tmp_path / "a", parameter_set="A", images=1)["summary"]).iloc[0]
    assert larger.images_exact == 1


def test_a_synthetic_run_says_so_and_has_no_accuracy(tmp_path):
    size = {"channels": 3, "height": 8, "width": 8}
    branches = [{"out_channels": 4, "kernel": 1}, {"out_channels": 4, "kernel": 3}]
    layers = [
        {"kind": "convolution", "name": "squeeze", "out_channels": 2, "kernel": 1},
        {"kind": "relu"},
        {"kind": "parallel", "name": "expand", "branches": branches},
        {"kind": "relu"},
        {"kind": "average_pool", "size": 8},
    ]
    network = tmp_path / "fire.yaml"
    network.write_text(yaml.safe_dump({"name": "Fire", "input": size, "layers": layers}))
    inference = Inference(parameter_set="B", data="synthetic", images=2)
    settings = infer.Settings(seed=1, parameters=Config().parameter_sets["B"], inference=inference)
    outputs = {name: tmp_path / file for name, file in FILES.items()}
    infer.stage(Job(settings, {"network": network}, outputs))
    row = read_table(outputs["summary"], infer.SUMMARY).iloc[0]
    assert (row.data, row.weights) == ("seeded synthetic", "seeded synthetic")
    assert row.images_exact == 2
    assert row[["images_correct", "accuracy", "accuracy_float", "accuracy_w4a4"]].isna().all()
    assert (row.convolutions, row.activations, row.poolings) == (2, 2, 1)
    assert json.loads(outputs["metadata"].read_text())["input_data"] == "seeded synthetic"
    trace = pd.read_csv(outputs["trace"]).set_index(["item", "layer"])
    assert trace.client_average_pool_elements[0, "expand"] == 8 * 8 * 8
    # both branches share one upload
    assert trace.encryptions[0, "expand"] == 1


def test_weights_of_other_bits_are_refused(tmp_path):
    with pytest.raises(ChocoError, match=r"= \(4, 4\); the configuration asks for \(8, 4\)"):
        run(tmp_path, weight_bits=8)
    assert not any(tmp_path.iterdir())


def test_a_plain_modulus_that_wraps_is_refused_before_anything_runs():
    quantized = load_weights(INPUTS["weights"], load_network(INPUTS["network"]))
    small = ParameterSet(
        scheme="bfv", poly_modulus_degree=1024, coeff_modulus_bits=(27,), plain_modulus=12289
    )
    bound = max(layer.accumulator_bound(15) for layer in quantized.layers)
    assert 2 * bound < 12289  # the real network fits even here; a heavier one does not
    heavier = type(quantized)(
        quantized.network,
        8,
        8,
        tuple(
            type(layer)(layer.weights * 18, layer.bias, layer.scale) for layer in quantized.layers
        ),
    )
    with pytest.raises(ChocoError, match=r"LeNetSm: \w+: accumulators reach \d+ .* t = 12289"):
        encrypted.make_server(heavier, small, switch_downloads=True)


def test_a_server_that_computes_wrongly_is_caught():
    network = load_network(INPUTS["network"])
    spoiled = load_weights(INPUTS["weights"], network)
    spoiled.layers[2].bias[3] += 1
    parameters = Config().parameter_sets["B"]
    server = encrypted.make_server(spoiled, parameters, switch_downloads=True)
    quantized = load_weights(INPUTS["weights"], network)
    transport = InProcessTransport(server.handle)
    _, classifier = encrypted.make_client(quantized, parameters, transport, switch_downloads=True)
    image = digits.load(4).test_images[0]
    logits, _ = classifier.logits(image)
    with pytest.raises(ChocoError, match="image 0: decrypted logit 3 is"):
        encrypted.check_logits(logits, quantized.logits(image), "image 0")


def test_command_line_error_is_one_line(tmp_path, capsys):
    weights = tmp_path / "weights.npz"
    shutil.copy(INPUTS["network"], weights)
    settings = infer.Settings(
        seed=1,
        parameters=Config().parameter_sets["B"],
        inference=Config().networks.lenet_sm,
    )
    with pytest.raises(SystemExit) as caught:
        infer.run_stage(
            infer.stage,
            infer.Settings,
            [
                *("--settings", settings.model_dump_json()),
                *("--input", f"network={INPUTS['network']}", f"weights={weights}"),
            ],
        )
    assert str(caught.value).startswith(f"error: {weights}: not a weight file")
    assert "\n" not in str(caught.value)
