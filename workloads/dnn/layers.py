"""Typed layers of a network: shapes, counts, and the layouts of those that run encrypted."""

from math import prod
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt, model_validator

from models.config.base import Section
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.layout import LinearPlan
from workloads.packing.matvec import FullyConnectedPlan

Shape = tuple[int, ...]
"""(channels, height, width), or (features,)."""


class Convolution(Section):
    """A convolution with square kernel; padding is zeros on each side."""

    kind: Literal["convolution"]
    name: str
    out_channels: PositiveInt
    kernel: PositiveInt
    stride: PositiveInt = 1
    padding: Annotated[int, Field(ge=0)] | Literal["same"] = 0

    @model_validator(mode="after")
    def _same_is_symmetric(self) -> Self:
        if self.padding == "same" and self.kernel % 2 == 0:
            raise ValueError(f"padding: same needs an odd kernel, not {self.kernel}")
        return self

    @property
    def border(self) -> int:
        """Pixels of padding on each side."""
        return (self.kernel - 1) // 2 if self.padding == "same" else self.padding

    def weight_shape(self, inputs: Shape) -> Shape:
        """Return (out_channels, channels, kernel, kernel)."""
        return (self.out_channels, inputs[0], self.kernel, self.kernel)

    def structure(self, inputs: Shape) -> NDArray[np.bool_]:
        """Return which weights there are: here, all."""
        return np.ones(self.weight_shape(inputs), dtype=bool)

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        side = 2 * self.border - self.kernel
        return (self.out_channels, *((n + side) // self.stride + 1 for n in inputs[1:]))

    def macs(self, inputs: Shape) -> int:
        """Return multiply-accumulate operations, padding counted as if it were data."""
        return prod(self.output_shape(inputs)) * inputs[0] * self.kernel**2

    def weight_count(self, inputs: Shape) -> int:
        """Return how many weights there are, biases left out."""
        return prod(self.weight_shape(inputs))

    def plan(self, inputs: Shape, row_size: int) -> LinearPlan:
        """Return the layout of this layer in rows of ``row_size`` slots."""
        channels, height, width = inputs
        return ConvolutionPlan(
            self.name,
            row_size,
            channels,
            height,
            width,
            self.out_channels,
            self.kernel,
            self.stride,
            self.border,
        )


class Branch(Section):
    """One of several parallel convolutions: stride 1, same padding."""

    out_channels: PositiveInt
    kernel: PositiveInt

    @model_validator(mode="after")
    def _same_is_symmetric(self) -> Self:
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel: parallel branches need an odd kernel, not {self.kernel}")
        return self


class Parallel(Section):
    """Convolutions of the same input, their channels concatenated (the expand half of a fire).

    Computed as one convolution with the largest kernel, in which the smaller kernels sit at the
    center and zeros around them. So the input is sent, rotated and transformed once for all
    branches, and the zeros cost nothing: encrypted, products with only zeros are left out.
    """

    kind: Literal["parallel"]
    name: str
    branches: tuple[Branch, ...] = Field(min_length=1)

    stride: Literal[1] = 1

    @property
    def kernel(self) -> int:
        """The largest kernel."""
        return max(branch.kernel for branch in self.branches)

    @property
    def out_channels(self) -> int:
        """Channels of all branches."""
        return sum(branch.out_channels for branch in self.branches)

    @property
    def border(self) -> int:
        """Pixels of padding on each side, for the largest kernel."""
        return (self.kernel - 1) // 2

    def weight_shape(self, inputs: Shape) -> Shape:
        """Return (out_channels, channels, kernel, kernel) of the one convolution."""
        return (self.out_channels, inputs[0], self.kernel, self.kernel)

    def structure(self, inputs: Shape) -> NDArray[np.bool_]:
        """Return which weights there are: those of each branch around the center."""
        there = np.zeros(self.weight_shape(inputs), dtype=bool)
        start = 0
        for branch in self.branches:
            inset = (self.kernel - branch.kernel) // 2
            center = slice(inset, inset + branch.kernel)
            there[start : start + branch.out_channels, :, center, center] = True
            start += branch.out_channels
        return there

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return (self.out_channels, *inputs[1:])

    def weight_count(self, inputs: Shape) -> int:
        """Return how many weights the branches have, biases left out."""
        return inputs[0] * sum(b.out_channels * b.kernel**2 for b in self.branches)

    def macs(self, inputs: Shape) -> int:
        """Return multiply-accumulate operations of the branches."""
        return prod(inputs[1:]) * self.weight_count(inputs)

    def plan(self, inputs: Shape, row_size: int) -> LinearPlan:
        """Return the layout of the one convolution in rows of ``row_size`` slots."""
        channels, height, width = inputs
        return ConvolutionPlan(
            self.name,
            row_size,
            channels,
            height,
            width,
            self.out_channels,
            self.kernel,
            padding=self.border,
        )


class FullyConnected(Section):
    """A fully connected layer; planes are flattened channel by channel."""

    kind: Literal["fully_connected"]
    name: str
    out_features: PositiveInt

    def weight_shape(self, inputs: Shape) -> Shape:
        """Return (out_features, in_features)."""
        return (self.out_features, prod(inputs))

    def structure(self, inputs: Shape) -> NDArray[np.bool_]:
        """Return which weights there are: here, all."""
        return np.ones(self.weight_shape(inputs), dtype=bool)

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return (self.out_features,)

    def weight_count(self, inputs: Shape) -> int:
        """Return how many weights there are, biases left out."""
        return prod(self.weight_shape(inputs))

    def macs(self, inputs: Shape) -> int:
        """Return multiply-accumulate operations."""
        return self.out_features * prod(inputs)

    def plan(self, inputs: Shape, row_size: int) -> LinearPlan:
        """Return the layout of this layer in rows of ``row_size`` slots."""
        return FullyConnectedPlan(self.name, row_size, prod(inputs), self.out_features)


class Relu(Section):
    """max(x, 0)."""

    kind: Literal["relu"]

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return inputs


class _Pool(Section):
    """Square windows; the stride defaults to their size."""

    size: PositiveInt
    stride: PositiveInt | None = None

    @property
    def step(self) -> int:
        """Pixels from one window to the next."""
        return self.stride or self.size


class MaxPool(_Pool):
    """Maximum over square windows; padding widens the plane and is never the maximum."""

    kind: Literal["max_pool"]
    padding: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _every_window_meets_the_plane(self) -> Self:
        if 2 * self.padding > self.size:
            raise ValueError(f"padding: at most half the size {self.size}, not {self.padding}")
        return self

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        side = 2 * self.padding - self.size
        return (inputs[0], *((n + side) // self.step + 1 for n in inputs[1:]))


class AveragePool(_Pool):
    """Mean over square windows that lie inside the plane, to nearest."""

    kind: Literal["average_pool"]

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return (inputs[0], *((n - self.size) // self.step + 1 for n in inputs[1:]))


Linear = Convolution | Parallel | FullyConnected
Pool = MaxPool | AveragePool
Nonlinear = Relu | MaxPool | AveragePool
Layer = Annotated[Linear | Nonlinear, Field(discriminator="kind")]
