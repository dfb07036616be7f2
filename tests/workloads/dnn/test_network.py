"""Network descriptions: shapes and counts, and the mistakes that are refused."""

from pathlib import Path

import pytest
import yaml

import workloads.dnn
from models.errors import ChocoError
from workloads.dnn.network import load_network

NETWORKS = Path(workloads.dnn.__file__).parent / "networks"


@pytest.fixture(scope="module")
def lenet_sm():
    return load_network(NETWORKS / "lenet_sm.yaml")


def test_lenet_sm_has_the_macs_of_its_shapes(lenet_sm):
    by_hand = 24 * 24 * 6 * 25 + 8 * 8 * 16 * 6 * 25 + 256 * 10
    assert lenet_sm.macs == by_hand
    assert round(lenet_sm.macs / 1e6, 2) == 0.24  # as the paper states


def test_lenet_sm_has_the_size_of_its_parameters(lenet_sm):
    parameters = (25 + 1) * 6 + (6 * 25 + 1) * 16 + (256 + 1) * 10
    assert lenet_sm.parameters == parameters
    assert lenet_sm.model_bytes() == 4 * parameters
    assert lenet_sm.model_bytes(4) == parameters / 2


def test_steps_chain_linear_layers_with_their_nonlinear_ones(lenet_sm):
    assert [step.linear.name for step in lenet_sm.steps] == ["conv1", "conv2", "fc"]
    assert [step.input_shape for step in lenet_sm.steps] == [(1, 28, 28), (6, 12, 12), (16, 4, 4)]
    assert [len(step.nonlinear) for step in lenet_sm.steps] == [2, 2, 0]
    assert lenet_sm.steps[-1].output_shape == (10,)


def test_same_padding_and_stride_follow_the_convolution_formula(tmp_path):
    network = load_network(
        write(
            tmp_path,
            {"kind": "convolution", "name": "a", "out_channels": 4, "kernel": 3, "padding": 1},
            {"kind": "max_pool", "size": 3, "stride": 2},
            {"kind": "convolution", "name": "b", "out_channels": 2, "kernel": 3, "stride": 2},
        )
    )
    assert [s.output_shape for s in network.steps] == [(4, 7, 7), (2, 3, 3)]


def write(tmp_path, *layers):
    path = tmp_path / "net.yaml"
    size = {"channels": 1, "height": 16, "width": 16}
    path.write_text(yaml.safe_dump({"name": "net", "input": size, "layers": list(layers)}))
    return path


CONV = {"kind": "convolution", "name": "conv", "out_channels": 2, "kernel": 3}
FC = {"kind": "fully_connected", "name": "fc", "out_features": 5}
RELU = {"kind": "relu"}


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ([RELU, FC], "first and the last layer must be linear"),
        ([CONV, RELU], "first and the last layer must be linear"),
        ([FC, CONV], "convolution needs planes, but its input is"),
        ([CONV, CONV], "names must differ"),
        ([CONV | {"kernel": 17}], "empty output"),
        ([CONV | {"colour": "red"}], "colour"),
        ([CONV | {"kernel": 0}], "greater than 0"),
        ([{"kind": "softmax"}], "softmax"),
    ],
)
def test_mistakes_are_refused_with_their_reason(tmp_path, layers, reason):
    with pytest.raises(ChocoError, match=reason) as caught:
        load_network(write(tmp_path, *layers))
    assert "\n" not in str(caught.value)


def test_a_missing_or_broken_file_is_one_line(tmp_path):
    with pytest.raises(ChocoError, match="No such file"):
        load_network(tmp_path / "none.yaml")
    (tmp_path / "broken.yaml").write_text("layers: [")
    with pytest.raises(ChocoError, match="not YAML"):
        load_network(tmp_path / "broken.yaml")
