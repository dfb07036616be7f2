"""Network descriptions: shapes and counts, and the mistakes that are refused."""

from collections import Counter
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


def test_padded_pooling_and_branches_keep_their_shapes(tmp_path):
    network = load_network(
        write(
            tmp_path,
            CONV | {"padding": "same", "kernel": 5},
            {"kind": "max_pool", "size": 3, "stride": 2, "padding": 1},
            PARALLEL,
            RELU,
            {"kind": "average_pool", "size": 8},
        )
    )
    assert [s.output_shape for s in network.steps] == [(2, 8, 8), (10, 1, 1)]
    expand = network.steps[1]
    assert expand.macs == 64 * 2 * (4 + 6 * 9)
    assert expand.parameters == 2 * (4 + 6 * 9) + 10
    assert expand.linear.structure((2, 8, 8)).sum() == expand.parameters - 10


@pytest.mark.parametrize(
    ("name", "millions", "layers"),
    [
        ("lenet_lg", 12.27, {"convolution": 2, "fully_connected": 2, "relu": 3, "max_pool": 2}),
        # the paper prints 313.26; a hidden layer of 512 gives 313.46
        ("vgg16", 313.46, {"convolution": 13, "fully_connected": 2, "relu": 14, "max_pool": 5}),
        # the paper counts 10 convolutions, so the two of an expand layer as one
        ("sqznet", None, {"convolution": 6, "parallel": 4, "relu": 10, "max_pool": 2}),
    ],
)
def test_networks_of_table_5(name, millions, layers):
    network = load_network(NETWORKS / f"{name}.yaml")
    kinds = Counter(layer.kind for layer in network.layers)
    assert {kind: kinds[kind] for kind in layers} == layers
    if millions is not None:
        assert round(network.macs / 1e6, 2) == millions


def test_sqznet_has_the_macs_of_its_shapes():
    network = load_network(NETWORKS / "sqznet.yaml")
    fire = {1: (64, 32, 64, 16), 2: (128, 32, 64, 16), 3: (128, 32, 128, 8), 4: (256, 32, 128, 8)}
    macs = 32 * 32 * 64 * 27 + 8 * 8 * 256 * 10
    for inputs, squeeze, expand, side in fire.values():
        macs += side * side * (inputs * squeeze + squeeze * expand * (1 + 9))
    assert network.macs == macs
    assert network.steps[-1].output_shape == (10, 1, 1)


def write(tmp_path, *layers):
    path = tmp_path / "net.yaml"
    size = {"channels": 1, "height": 16, "width": 16}
    path.write_text(yaml.safe_dump({"name": "net", "input": size, "layers": list(layers)}))
    return path


CONV = {"kind": "convolution", "name": "conv", "out_channels": 2, "kernel": 3}
FC = {"kind": "fully_connected", "name": "fc", "out_features": 5}
RELU = {"kind": "relu"}
PARALLEL = {
    "kind": "parallel",
    "name": "expand",
    "branches": [{"out_channels": 4, "kernel": 1}, {"out_channels": 6, "kernel": 3}],
}


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ([RELU, FC], "the first layer must be linear"),
        ([CONV | {"padding": "same", "kernel": 4}], "same needs an odd kernel, not 4"),
        ([FC, PARALLEL], "parallel needs planes, but its input is"),
        ([PARALLEL | {"branches": []}], "branches"),
        ([PARALLEL | {"branches": [{"out_channels": 2, "kernel": 2}]}], "need an odd kernel"),
        ([CONV, {"kind": "max_pool", "size": 3, "padding": 2}], "at most half the size 3"),
        ([CONV, {"kind": "average_pool", "size": 15}], "empty output"),
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
