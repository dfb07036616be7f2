"""Every kind of network, narrowed, encrypted: logits equal the integer network's exactly."""

from math import prod
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import workloads.dnn
from models.config import Config
from models.config.workloads import Datasets, Inference
from models.parameters import ParameterSet
from workloads.dnn.encrypted import make_client, make_server
from workloads.dnn.network import Network, load_network
from workloads.dnn.quantized import convolve, linear
from workloads.dnn.source import load_images, load_quantized
from workloads.dnn.synthetic import synthetic_images, synthetic_network
from workloads.protocol.transport import InProcessTransport

NETWORKS = Path(workloads.dnn.__file__).parent / "networks"
WIDE_T = ParameterSet(
    scheme="bfv", poly_modulus_degree=8192, coeff_modulus_bits=(58, 58, 59), plain_modulus_bits=30
)


def narrowed(name, divisor):
    """A network of Table 5 with fewer channels and features."""
    description = yaml.safe_load((NETWORKS / f"{name}.yaml").read_text())

    def narrow(layer):
        if layer.get("name") in ("fc", "fc2", "conv10") and layer.get("out_channels") == 10:
            return layer
        changed = dict(layer)
        for width in ("out_channels", "out_features"):
            if changed.get(width, 0) > 16:
                changed[width] //= divisor
        if "branches" in layer:
            changed["branches"] = [narrow(branch) for branch in layer["branches"]]
        return changed

    layers = [narrow(layer) for layer in description["layers"]]
    return Network.model_validate(description | {"layers": layers})


def classify(quantized, image, parameters, *, weight_memory_bytes=1 << 30):
    server = make_server(
        quantized, parameters, switch_downloads=True, weight_memory_bytes=weight_memory_bytes
    )
    transport = InProcessTransport(server.handle)
    client, classifier = make_client(quantized, parameters, transport, switch_downloads=True)
    logits, _ = classifier.logits(image)
    return logits, client.exchanges


@pytest.mark.parametrize(
    ("name", "divisor"), [("lenet_sm", 1), ("lenet_lg", 4), ("sqznet", 8), ("vgg16", 16)]
)
@pytest.mark.parametrize("weight_memory_bytes", [0, 1 << 30])
def test_narrowed_networks_are_exact(name, divisor, weight_memory_bytes):
    config = Config()
    network = narrowed(name, divisor)
    quantized = synthetic_network(network, 4, 4, seed=divisor)
    image = synthetic_images(network, 1, 4, seed=divisor)[0]
    parameters = config.network_parameters(name)
    logits, exchanges = classify(
        quantized, image, parameters, weight_memory_bytes=weight_memory_bytes
    )
    np.testing.assert_array_equal(logits, quantized.logits(image))
    assert len(set(logits.tolist())) > 1
    assert min(exchange.min_budget_bits for exchange in exchanges) > 0


@pytest.mark.parametrize("name", ["lenet_sm", "sqznet"])
def test_eight_bits_are_exact_with_a_larger_plain_modulus(name):
    network = narrowed(name, 8)
    quantized = synthetic_network(network, 8, 8, seed=3)
    image = synthetic_images(network, 1, 8, seed=3)[0]
    logits, _ = classify(quantized, image, WIDE_T)
    np.testing.assert_array_equal(logits, quantized.logits(image))


@pytest.mark.parametrize("name", ["lenet_sm", "lenet_lg", "sqznet", "vgg16"])
def test_configured_t_holds_any_weights_and_no_more_is_sent_than_in_the_paper(name):
    megabytes = {"lenet_sm": 0.66, "lenet_lg": 2.6, "sqznet": 13.8, "vgg16": 22.2}[name]
    network = load_network(NETWORKS / f"{name}.yaml")
    parameters = Config().network_parameters(name)
    bound = max(step.accumulator_bound(7, 15) for step in network.steps)
    assert 2 * bound < parameters.batching_modulus
    plans = network.plans(parameters.poly_modulus_degree // 2)
    size_bytes = sum(
        plan.input_ciphertexts * parameters.ciphertext_bytes()
        + plan.output_ciphertexts * parameters.ciphertext_bytes(1)
        for plan in plans
    )
    assert size_bytes <= megabytes * 1e6
    assert all(plan.noise(parameters).budget_bits > 0 for plan in plans)


@st.composite
def small_networks(draw):
    """A chain with branches, strides, padding and pooling of random shapes."""
    side = draw(st.integers(6, 14))
    kernels = st.sampled_from((1, 3, 5))
    branch = st.fixed_dictionaries({"out_channels": st.integers(1, 5), "kernel": kernels})
    first = {
        "kind": "convolution",
        "name": "first",
        "out_channels": draw(st.integers(1, 6)),
        "kernel": draw(kernels),
        "stride": draw(st.integers(1, 2)),
        "padding": "same",
    }
    pool = draw(st.sampled_from(("max_pool", "average_pool")))
    pooling = {"kind": pool, "size": 2, "stride": draw(st.integers(1, 2))}
    layers = [first, {"kind": "relu"}, pooling]
    layers += [
        {
            "kind": "parallel",
            "name": "fork",
            "branches": draw(st.lists(branch, min_size=1, max_size=3)),
        }
    ]
    layers += [{"kind": "relu"}, {"kind": "fully_connected", "name": "fc", "out_features": 7}]
    size = {"channels": draw(st.integers(1, 5)), "height": side, "width": draw(st.integers(6, 14))}
    return Network.model_validate({"name": "random", "input": size, "layers": layers})


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(small_networks(), st.integers(0, 1000))
def test_random_networks_are_exact(network, seed):
    quantized = synthetic_network(network, 4, 4, seed)
    image = synthetic_images(network, 1, 4, seed)[0]
    parameters = Config().parameter_sets["B"]
    logits, _ = classify(quantized, image, parameters)
    np.testing.assert_array_equal(logits, quantized.logits(image))


@given(small_networks(), st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_branches_are_convolutions_of_their_own(network, seed):
    """The one convolution equals the concatenation of the branches, each by itself."""
    quantized = synthetic_network(network, 4, 4, seed)
    step, layer = network.steps[1], quantized.layers[1]
    values = np.random.default_rng(seed).integers(0, 16, step.input_shape)
    whole, start = linear(step, layer, values), 0
    for branch in step.linear.branches:
        inset = (step.linear.kernel - branch.kernel) // 2
        own = layer.weights[start : start + branch.out_channels]
        own = own[:, :, inset : inset + branch.kernel, inset : inset + branch.kernel]
        alone = convolve(values, own, 1, (branch.kernel - 1) // 2)
        bias = layer.bias[start : start + branch.out_channels, None, None]
        np.testing.assert_array_equal(whole[start : start + branch.out_channels], alone + bias)
        start += branch.out_channels
    assert start == len(whole)


def test_synthetic_activations_fill_their_bits():
    network = narrowed("vgg16", 16)
    quantized = synthetic_network(network, 4, 4, seed=5)
    assert quantized.metadata == {"data": "seeded synthetic", "seed": 5}
    again = synthetic_network(network, 4, 4, seed=5)
    for ours, theirs in zip(quantized.layers, again.layers, strict=True):
        np.testing.assert_array_equal(ours.weights, theirs.weights)
    assert prod(synthetic_images(network, 2, 4, 0).shape) == 2 * 3 * 32 * 32
    assert synthetic_images(network, 2, 4, 0).max() == 15


def test_synthetic_runs_say_so():
    network = narrowed("sqznet", 8)
    inference = Inference(parameter_set="B", data="synthetic", images=2)
    images = load_images(network, inference, Datasets(), 1)
    assert images.labels is None
    assert images.description == "seeded synthetic"
    assert load_quantized(network, inference, 1, None).metadata["data"] == "seeded synthetic"
