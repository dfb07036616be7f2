"""Training: a short run learns something, and the committed weights are what they claim."""

from pathlib import Path

import numpy as np
import pytest

import workloads.dnn
from models.stage import run_stage
from workloads.dnn import digits, train
from workloads.dnn.network import Network, load_network
from workloads.dnn.plain import apply_nonlinear
from workloads.dnn.quantized import QuantizedLayer, linear
from workloads.dnn.weights_file import load_weights

BRANCHES = [{"out_channels": 2, "kernel": 1}, {"out_channels": 3, "kernel": 3}]
HERE = Path(workloads.dnn.__file__).parent


@pytest.fixture(scope="module")
def network():
    return load_network(HERE / "networks" / "lenet_sm.yaml")


def test_a_short_training_run_learns(tmp_path, network):
    settings = train.Settings(float_epochs=2, quantized_epochs=1, weight_bits=4, activation_bits=4)
    output = tmp_path / "weights.npz"
    run_stage(
        train.stage,
        train.Settings,
        [
            *("--settings", settings.model_dump_json()),
            *("--input", f"network={HERE / 'networks' / 'lenet_sm.yaml'}"),
            *("--output", f"weights={output}"),
        ],
    )
    quantized = load_weights(output, network)
    data = digits.load(4)
    accuracy = quantized.accuracy(data.test_images[:100], data.test_labels[:100])
    assert accuracy > 0.6  # guessing gives 0.1
    training = settings.model_dump(mode="json", exclude={"datasets"})
    assert quantized.metadata["training"] == training


@pytest.mark.parametrize("name", ["lenet_sm", "lenet_lg"])
def test_committed_weights_are_as_accurate_as_they_say(name):
    network = load_network(HERE / "networks" / f"{name}.yaml")
    quantized = load_weights(HERE / "weights" / f"{name}_digits_4bit.npz", network)
    assert (quantized.weight_bits, quantized.activation_bits) == (4, 4)
    data = digits.load(4)
    accuracy = quantized.accuracy(data.test_images, data.test_labels)
    assert accuracy == quantized.metadata["test_accuracy"]["w4a4"]
    assert accuracy >= 0.95


def test_branches_and_padded_pooling_train_as_they_run_on_integers():
    """The forward pass of training and the integer network agree, up to the scale of numbers."""
    layers = [
        {"kind": "convolution", "name": "a", "out_channels": 3, "kernel": 3, "padding": "same"},
        {"kind": "max_pool", "size": 3, "stride": 2, "padding": 1},
        {"kind": "parallel", "name": "b", "branches": BRANCHES},
        {"kind": "average_pool", "size": 4},
    ]
    size = {"channels": 2, "height": 8, "width": 8}
    network = Network.model_validate({"name": "fork", "input": size, "layers": layers})
    rng = np.random.default_rng(4)
    parameters, values = [], rng.integers(0, 16, (1, 2, 8, 8))
    for step in network.steps:
        weights = rng.integers(-7, 8, step.weight_shape).astype(np.float32)
        parameters.append({"weights": weights, "bias": np.zeros(len(weights), np.float32)})
    found, _ = train._forward(network, None, parameters, values.astype(np.float32))
    exact = values[0]
    for step, layer in zip(network.steps, parameters, strict=True):
        structure = step.linear.structure(step.input_shape)
        weights = layer["weights"].astype(np.int64) * structure
        integers = QuantizedLayer(weights, np.zeros(len(weights), np.int64), None)
        exact = apply_nonlinear(linear(step, integers, exact), step.nonlinear)
    np.testing.assert_allclose(np.asarray(found)[0], exact.reshape(-1), atol=0.51)
