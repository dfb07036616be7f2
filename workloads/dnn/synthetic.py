"""Seeded stand-ins for a trained network and for images, where there is no data to train on.

They take the same encrypted computation as real ones; what they classify means nothing.
"""

import numpy as np

from workloads.dnn.network import Network
from workloads.dnn.plain import Integers, apply_nonlinear, requantize
from workloads.dnn.quantized import QuantizedLayer, QuantizedNetwork, Scale, linear

DESCRIPTION = "seeded synthetic"
_FIT_SHARE = 0.999


def synthetic_images(network: Network, count: int, activation_bits: int, seed: int) -> Integers:
    """Return (count, channels, height, width) activations, uniform over their range."""
    generator = np.random.default_rng([seed, 1])
    return generator.integers(0, 1 << activation_bits, (count, *network.input_shape))


def synthetic_network(
    network: Network, weight_bits: int, activation_bits: int, seed: int
) -> QuantizedNetwork:
    """Return a network with weights and biases uniform over the range of ``weight_bits``.

    Requantization is set on a synthetic image, so that nearly all activations fit their bits and
    fill them, as they do in a trained network.
    """
    generator = np.random.default_rng([seed, 2])
    largest = (1 << (weight_bits - 1)) - 1
    values = synthetic_images(network, 1, activation_bits, seed)[0]
    layers: list[QuantizedLayer] = []
    for index, step in enumerate(network.steps):
        weights = generator.integers(-largest, largest + 1, step.weight_shape)
        weights *= step.linear.structure(step.input_shape)
        bias = generator.integers(-largest, largest + 1, step.weight_shape[0])
        layer = QuantizedLayer(weights, bias, None)
        if index < len(network.steps) - 1:
            values = apply_nonlinear(linear(step, layer, values), step.nonlinear)
            top = (1 << activation_bits) - 1
            scale = Scale.nearest(top / max(1, int(np.quantile(values, _FIT_SHARE))))
            layer = QuantizedLayer(weights, bias, scale)
            values = requantize(values, scale.multiplier, scale.shift, activation_bits)
        layers.append(layer)
    about = {"data": DESCRIPTION, "seed": seed}
    return QuantizedNetwork(network, weight_bits, activation_bits, tuple(layers), about)
