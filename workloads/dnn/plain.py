"""What the client computes in the clear, on integers: activation, pooling, requantization.

All of it is exact integer arithmetic, so every machine gets the same result.
"""

from collections import Counter

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from workloads.dnn.layers import AveragePool, MaxPool, Nonlinear, Relu

Integers = NDArray[np.int64]

OPERATIONS = ("relu", "max_pool", "average_pool", "requantize")
"""What is counted, in elements read."""


def relu(values: Integers) -> Integers:
    """Return max(x, 0)."""
    return np.maximum(values, 0)


def max_pool(values: Integers, size: int, stride: int, padding: int = 0) -> Integers:
    """Return the maximum over windows of a (channels, height, width) tensor."""
    border = (padding, padding)
    values = np.pad(values, ((0, 0), border, border), constant_values=np.iinfo(np.int64).min)
    windows = sliding_window_view(values, (size, size), axis=(1, 2))
    pooled: Integers = windows[:, ::stride, ::stride].max(axis=(3, 4))
    return pooled


def average_pool(values: Integers, size: int, stride: int) -> Integers:
    """Return the rounded mean over windows of a (channels, height, width) tensor."""
    windows = sliding_window_view(values, (size, size), axis=(1, 2))
    return divide_rounded(windows[:, ::stride, ::stride].sum(axis=(3, 4)), size**2)


def divide_rounded(values: Integers, divisor: int) -> Integers:
    """Divide by a positive integer, to nearest, halves away from zero."""
    rounded: Integers = np.sign(values) * ((2 * np.abs(values) + divisor) // (2 * divisor))
    return rounded


def requantize(values: Integers, multiplier: int, shift: int, bits: int) -> Integers:
    """Scale accumulators by multiplier / 2^shift to unsigned activations of ``bits`` bits."""
    return np.clip(divide_rounded(values * multiplier, 1 << shift), 0, (1 << bits) - 1)


def apply_nonlinear(
    values: Integers, operations: tuple[Nonlinear, ...], counts: Counter[str] | None = None
) -> Integers:
    """Apply activation and pooling in order; add the elements read to ``counts``."""
    for operation in operations:
        if counts is not None:
            counts[operation.kind] += values.size
        match operation:
            case Relu():
                values = relu(values)
            case MaxPool():
                values = max_pool(values, operation.size, operation.step, operation.padding)
            case AveragePool():
                values = average_pool(values, operation.size, operation.step)
    return values
