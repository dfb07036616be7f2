"""Integer network: the reference that encrypted inference must equal, bit by bit.

Weights are symmetric integers of ``weight_bits``, activations unsigned integers of
``activation_bits``. Linear layers accumulate exactly. After activation and pooling, accumulators
are scaled back to activations by an integer multiplication and a shift. Logits are the
accumulators of the last layer.
"""

from dataclasses import dataclass, field
from math import frexp, prod
from typing import Any

import numpy as np

from models.errors import ChocoError
from workloads.dnn.layers import FullyConnected, Linear
from workloads.dnn.network import Network, Step
from workloads.dnn.plain import Integers, apply_nonlinear, requantize

MULTIPLIER_BITS = 15
"""Bits of the integer in a requantization scale."""


@dataclass(frozen=True)
class Scale:
    """The requantization factor multiplier / 2^shift; public, as the client applies it."""

    multiplier: int
    shift: int

    @classmethod
    def nearest(cls, factor: float) -> "Scale":
        """Approximate a positive factor with ``MULTIPLIER_BITS`` significant bits."""
        mantissa, exponent = frexp(factor)
        return cls(round(mantissa * 2**MULTIPLIER_BITS), MULTIPLIER_BITS - exponent)


@dataclass(frozen=True)
class QuantizedLayer:
    """Integer weights and bias of a linear layer; ``scale`` is None for the last layer."""

    weights: Integers
    bias: Integers
    scale: Scale | None

    def accumulator_bound(self, activation_max: int) -> int:
        """Return the largest |accumulator| over all inputs in 0..activation_max.

        Exact for these weights: for each output, either all positive or all negative ones meet
        the largest activation.
        """
        flat = self.weights.reshape(len(self.weights), -1)
        high = np.maximum(flat, 0).sum(axis=1) * activation_max + self.bias
        low = np.minimum(flat, 0).sum(axis=1) * activation_max + self.bias
        return int(max(np.abs(high).max(), np.abs(low).max()))


@dataclass(frozen=True)
class QuantizedNetwork:
    """A network with its integers.

    Attributes:
        metadata: how the weights were made (seed, data, accuracies, versions).

    Raises:
        ChocoError: weights do not fit the shapes of the network or their bits.
    """

    network: Network
    weight_bits: int
    activation_bits: int
    layers: tuple[QuantizedLayer, ...]
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        steps = self.network.steps
        if len(self.layers) != len(steps):
            raise ChocoError(
                f"{self.network.name}: weights for {len(self.layers)} layers, not {len(steps)}"
            )
        limit = 2 ** (self.weight_bits - 1) - 1
        for index, (step, layer) in enumerate(zip(steps, self.layers, strict=True)):
            where = f"{self.network.name}: {step.linear.name}"
            shapes = (layer.weights.shape, layer.bias.shape)
            if shapes != (step.weight_shape, step.weight_shape[:1]):
                raise ChocoError(
                    f"{where}: weights and bias are {shapes}, not "
                    f"{(step.weight_shape, step.weight_shape[:1])}"
                )
            if np.abs(layer.weights).max() > limit:
                raise ChocoError(f"{where}: weights exceed {limit} ({self.weight_bits} bits)")
            if (layer.scale is None) != (index == len(steps) - 1):
                raise ChocoError(f"{where}: every layer but the last needs a requantization scale")

    @property
    def activation_max(self) -> int:
        """Largest activation."""
        return (1 << self.activation_bits) - 1

    def logits(self, image: Integers) -> Integers:
        """Classify one (channels, height, width) image of activations in the clear."""
        values = image
        for step, layer in zip(self.network.steps, self.layers, strict=True):
            values = apply_nonlinear(linear(step, layer, values), step.nonlinear)
            if layer.scale is not None:
                scale = layer.scale
                values = requantize(values, scale.multiplier, scale.shift, self.activation_bits)
        return values.reshape(-1)

    def accuracy(self, images: Integers, labels: Integers) -> float:
        """Return the share of images whose largest logit is at the label."""
        guesses = [int(np.argmax(self.logits(image))) for image in images]
        return float(np.mean(np.equal(guesses, labels)))

    def check_plain_modulus(self, plain_modulus: int) -> None:
        """Check that no accumulator wraps around modulo t, whatever the input.

        Raises:
            ChocoError: names the layer with the largest accumulators, their bound and t.
        """
        names = [step.linear.name for step in self.network.steps]
        bounds = [layer.accumulator_bound(self.activation_max) for layer in self.layers]
        bound, name = max(zip(bounds, names, strict=True))
        if 2 * bound >= plain_modulus:
            raise ChocoError(
                f"{self.network.name}: {name}: accumulators reach {bound} in magnitude, but "
                f"t = {plain_modulus} holds at most {(plain_modulus - 1) // 2}; use a "
                f"plain_modulus of {(2 * bound).bit_length() + 1} bits or fewer weight_bits or "
                "activation_bits"
            )


def linear(step: Step, layer: QuantizedLayer, values: Integers) -> Integers:
    """Compute one linear layer exactly."""
    operation: Linear = step.linear
    if isinstance(operation, FullyConnected):
        product: Integers = layer.weights @ values.reshape(prod(values.shape))
        return product + layer.bias
    result = convolve(values, layer.weights, operation.stride, operation.border)
    return result + layer.bias[:, None, None]


def convolve(values: Integers, weights: Integers, stride: int, padding: int) -> Integers:
    """Cross-correlate (channels, height, width) with (out, channels, kernel, kernel).

    In floating point, where NumPy has fast kernels; exact, as sums stay far below 2^53.
    """
    outputs, channels, kernel, _ = weights.shape
    padded = np.pad(values, ((0, 0), (padding, padding), (padding, padding))).astype(np.float64)
    height, width = ((side - kernel) // stride + 1 for side in padded.shape[1:])
    columns = np.empty((channels, kernel, kernel, height, width))
    for dy, dx in np.ndindex(kernel, kernel):
        down, right = dy + stride * height, dx + stride * width
        columns[:, dy, dx] = padded[:, dy:down:stride, dx:right:stride]
    flat = weights.reshape(outputs, -1).astype(np.float64)
    sums = flat @ columns.reshape(-1, height * width)
    return np.rint(sums).astype(np.int64).reshape(outputs, height, width)
