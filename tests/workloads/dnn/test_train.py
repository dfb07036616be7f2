"""Training: a short run learns something, and the committed weights are what they claim."""

from pathlib import Path

import pytest

import workloads.dnn
from models.stage import run_stage
from workloads.dnn import digits, train
from workloads.dnn.network import load_network
from workloads.dnn.weights_file import load_weights

HERE = Path(workloads.dnn.__file__).parent
COMMITTED = HERE / "weights" / "lenet_sm_digits_4bit.npz"


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


def test_committed_weights_are_as_accurate_as_they_say(network):
    quantized = load_weights(COMMITTED, network)
    assert (quantized.weight_bits, quantized.activation_bits) == (4, 4)
    data = digits.load(4)
    accuracy = quantized.accuracy(data.test_images, data.test_labels)
    assert accuracy == quantized.metadata["test_accuracy"]["w4a4"]
    assert accuracy >= 0.95
