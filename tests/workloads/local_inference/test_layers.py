"""Networks as runs of the program."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from models.errors import ChocoError
from workloads.dnn.network import Network, load_network
from workloads.dnn.plain import apply_nonlinear
from workloads.local_inference.layers import local_layers, plain_operations, slot_operations

NETWORKS = sorted(Path("workloads/dnn/networks").glob("*.yaml"))


@pytest.fixture(params=NETWORKS, ids=lambda path: path.stem)
def network(request):
    return load_network(request.param)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_no_multiplication_is_lost(network, dtype):
    runs = local_layers(network, dtype)
    assert sum(run.macs for run in runs) == network.macs
    assert {run.dtype for run in runs} == {dtype}
    kinds = Counter(run.operation for run in runs)
    pools = Counter(layer.kind for layer in network.layers)
    assert (kinds["max_pool"], kinds["average_pool"]) == (pools["max_pool"], pools["average_pool"])
    assert kinds["concatenate"] == pools["parallel"]


def test_plain_operations_read_what_an_encrypted_inference_counts(network):
    counts = Counter()
    for step in network.steps:
        values = np.zeros(step.linear.output_shape(step.input_shape), dtype=np.int64)
        values = apply_nonlinear(values, step.nonlinear, counts)
        counts["requantize"] += values.size if step is not network.steps[-1] else 0
    read = Counter()
    for run in plain_operations(network):
        sizes = run.numbers[:3] if "pool" in run.operation else run.numbers[:1]
        read[run.operation] += int(np.prod(sizes))
    assert read == +counts


def test_activations_are_fused():
    runs = local_layers(load_network(Path("workloads/dnn/networks/lenet_lg.yaml")), "int8")
    linear = [run for run in runs if run.macs]
    assert [run.relu for run in linear] == [True, True, True, False]
    assert linear[0].arguments[:2] == ("--relu", "convolution")


def test_slots_of_a_ciphertext():
    assert [run.arguments for run in slot_operations(4096)] == [
        ("pack", "4096", "int32"),
        ("unpack", "4096", "int32"),
    ]


def test_average_pooling_of_a_part_is_refused():
    layers = [
        {"kind": "convolution", "name": "conv", "out_channels": 2, "kernel": 1},
        {"kind": "average_pool", "size": 2},
    ]
    size = {"channels": 1, "height": 4, "width": 4}
    network = Network.model_validate({"name": "n", "input": size, "layers": layers})
    with pytest.raises(ChocoError, match="over the whole plane only"):
        local_layers(network, "int8")
