"""What the program must compute, in NumPy: its data, and every layer on them.

The program's tensors are interleaved (height, width, channels); those of the client's plain
operations lie plane after plane, as in ``workloads.dnn.plain``.
"""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from workloads.dnn import plain

Array = NDArray[Any]

INPUT, WEIGHTS, BIAS = 1, 2, 3
"""Tensors of a layer; their entries are hashes of tensor and position."""

INPUT_ZERO_POINT, OUTPUT_ZERO_POINT = -5, 7
INPUT_SCALE = np.float32(1 / 128)
BIAS_BITS, ACCUMULATOR_BITS = 12, 20


def hashed(tensor: int, count: int) -> NDArray[np.uint32]:
    """Return 32-bit hashes of the positions 0 to ``count`` - 1 of a tensor."""
    x = np.arange(count, dtype=np.uint32) + np.uint32(tensor * 0x9E3779B9 % 2**32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def reals(tensor: int, *shape: int) -> Array:
    """Return float32 entries in [-1, 1)."""
    whole = (hashed(tensor, int(np.prod(shape))) >> np.uint32(8)).astype(np.int64) - 2**23
    values: Array = (whole / 2**23).astype(np.float32)
    return values.reshape(shape)


def int8(tensor: int, *shape: int) -> Array:
    """Return entries in -127 to 127."""
    value = (hashed(tensor, int(np.prod(shape))) >> np.uint32(24)).astype(np.int64) - 128
    values: Array = np.where(value == -128, 0, value).reshape(shape)
    return values


def integers(tensor: int, count: int, bits: int) -> Array:
    """Return integers of ``bits`` bits."""
    values: Array = (hashed(tensor, count) >> np.uint32(32 - bits)).astype(np.int64)
    values -= 2 ** (bits - 1)
    return values


def windows(values: Array, kernel: int, stride: int, padding: int, fill: float) -> Array:
    """Return the windows of a (height, width, channels) tensor: (y, x, channels, ky, kx)."""
    border = (padding, padding)
    padded = np.pad(values, (border, border, (0, 0)), constant_values=fill)
    every: Array = sliding_window_view(padded, (kernel, kernel), axis=(0, 1))
    return every[::stride, ::stride]


def convolution(dtype: str, relu: bool, *numbers: int) -> Array:
    """Return a convolution's output; ``numbers`` as on the program's command line."""
    height, width, channels, out_channels, kernel, stride, padding = numbers
    shape = (out_channels, kernel, kernel, channels)
    if dtype == "float32":
        inputs = reals(INPUT, height, width, channels).astype(np.float64)
        weights, bias = reals(WEIGHTS, *shape), reals(BIAS, out_channels)
        seen = windows(inputs, kernel, stride, padding, 0.0)
        return _real(np.einsum("yxcij,oijc->yxo", seen, weights, optimize=True) + bias, relu)
    inputs = int8(INPUT, height, width, channels) - INPUT_ZERO_POINT
    seen = windows(inputs, kernel, stride, padding, 0)
    sums = np.einsum("yxcij,oijc->yxo", seen, int8(WEIGHTS, *shape), optimize=True)
    scales = (1 + np.arange(out_channels) % 4 / 4) / 128
    return _quantized(sums, out_channels, scales.astype(np.float32), kernel**2 * channels, relu)


def fully_connected(dtype: str, relu: bool, *numbers: int) -> Array:
    """Return a fully connected layer's output."""
    features, out_features = numbers
    if dtype == "float32":
        inputs = reals(INPUT, features).astype(np.float64)
        sums = reals(WEIGHTS, out_features, features) @ inputs
        return _real(sums + reals(BIAS, out_features), relu)
    inputs = int8(INPUT, features) - INPUT_ZERO_POINT
    sums = int8(WEIGHTS, out_features, features) @ inputs
    return _quantized(sums, out_features, np.array(1 / 128, np.float32), features, relu)


def max_pool(dtype: str, *numbers: int) -> Array:
    """Return a maximum pooling's output."""
    height, width, channels, kernel, stride, padding = numbers
    if dtype == "int32":
        values = integers(INPUT, channels * height * width, ACCUMULATOR_BITS)
        return plain.max_pool(values.reshape(channels, height, width), kernel, stride, padding)
    values = _tensor(dtype, height, width, channels)
    largest: Array = windows(values, kernel, stride, padding, -1e9).max(axis=(3, 4))
    return largest


def average_pool(dtype: str, *numbers: int) -> Array:
    """Return the mean over the whole plane."""
    height, width, channels = numbers
    if dtype == "int32":
        values = integers(INPUT, channels * height * width, ACCUMULATOR_BITS)
        return plain.divide_rounded(values.reshape(channels, -1).sum(axis=1), height * width)
    mean: Array = _tensor(dtype, height, width, channels).astype(np.float64).mean(axis=(0, 1))
    return mean if dtype == "float32" else np.rint(mean)


def concatenate(dtype: str, *numbers: int) -> Array:
    """Return two tensors' channels side by side."""
    pixels, channels, more = numbers
    make = reals if dtype == "float32" else int8
    return np.concatenate([make(INPUT, pixels, channels), make(WEIGHTS, pixels, more)], axis=1)


def relu(count: int) -> Array:
    """Return the activation of plain integers."""
    return plain.relu(integers(INPUT, count, ACCUMULATOR_BITS))


def requantize(count: int, multiplier: int, shift: int, bits: int) -> Array:
    """Return accumulators scaled to activations."""
    return plain.requantize(integers(INPUT, count, ACCUMULATOR_BITS), multiplier, shift, bits)


def slots(count: int) -> Array:
    """Return what packing and unpacking leave as it is."""
    return integers(INPUT, count, ACCUMULATOR_BITS)


def _tensor(dtype: str, *shape: int) -> Array:
    return reals(INPUT, *shape) if dtype == "float32" else int8(INPUT, *shape)


def _real(sums: Array, relu: bool) -> Array:
    return np.maximum(sums, 0) if relu else sums


def _quantized(sums: Array, outputs: int, scale: Array, terms: int, relu: bool) -> Array:
    sums = sums + integers(BIAS, outputs, BIAS_BITS)
    output_scale = np.sqrt(np.float32(terms)) / np.float32(64)
    factor = INPUT_SCALE * scale / output_scale
    scaled = np.rint(sums.astype(np.float32) * factor) + OUTPUT_ZERO_POINT
    clipped: Array = np.clip(scaled, OUTPUT_ZERO_POINT if relu else -128, 127)
    return clipped
