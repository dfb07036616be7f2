"""Description of a network: typed layers, shapes, and the counts that follow from them.

A network is a chain of *steps*: one linear layer, which the server computes on encrypted data,
and the nonlinear operations after it, which the client computes in the clear.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import Field, PositiveInt, ValidationError, model_validator

from models.config import Section, one_line
from models.errors import ChocoError
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.layout import LinearPlan
from workloads.packing.matvec import FullyConnectedPlan

Shape = tuple[int, ...]
"""(channels, height, width), or (features,)."""

FLOAT_BITS = 32


class Convolution(Section):
    """A convolution with square kernel; padding is zeros on each side."""

    kind: Literal["convolution"]
    name: str
    out_channels: PositiveInt
    kernel: PositiveInt
    stride: PositiveInt = 1
    padding: Annotated[int, Field(ge=0)] = 0

    def weight_shape(self, inputs: Shape) -> Shape:
        """Return (out_channels, channels, kernel, kernel)."""
        return (self.out_channels, inputs[0], self.kernel, self.kernel)

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        side = 2 * self.padding - self.kernel
        return (self.out_channels, *((n + side) // self.stride + 1 for n in inputs[1:]))

    def macs(self, inputs: Shape) -> int:
        """Return multiply-accumulate operations, padding counted as if it were data."""
        return prod(self.output_shape(inputs)) * inputs[0] * self.kernel**2

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
            self.padding,
        )


class FullyConnected(Section):
    """A fully connected layer; planes are flattened channel by channel."""

    kind: Literal["fully_connected"]
    name: str
    out_features: PositiveInt

    def weight_shape(self, inputs: Shape) -> Shape:
        """Return (out_features, in_features)."""
        return (self.out_features, prod(inputs))

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return (self.out_features,)

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


class MaxPool(Section):
    """Maximum over square windows that lie inside the plane; the stride defaults to the size."""

    kind: Literal["max_pool"]
    size: PositiveInt
    stride: PositiveInt | None = None

    @property
    def step(self) -> int:
        """Pixels from one window to the next."""
        return self.stride or self.size

    def output_shape(self, inputs: Shape) -> Shape:
        """Return the shape of the result."""
        return (inputs[0], *((n - self.size) // self.step + 1 for n in inputs[1:]))


Linear = Convolution | FullyConnected
Nonlinear = Relu | MaxPool
Layer = Annotated[Linear | Nonlinear, Field(discriminator="kind")]


@dataclass(frozen=True)
class Step:
    """A linear layer and the client's operations after it."""

    linear: Linear
    input_shape: Shape
    nonlinear: tuple[Nonlinear, ...]
    output_shape: Shape

    @property
    def macs(self) -> int:
        """Multiply-accumulate operations of the linear layer."""
        return self.linear.macs(self.input_shape)

    @property
    def weight_shape(self) -> Shape:
        """Shape of the weights."""
        return self.linear.weight_shape(self.input_shape)

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        return prod(self.weight_shape) + self.weight_shape[0]


class ImageShape(Section):
    """Shape of the input."""

    channels: PositiveInt
    height: PositiveInt
    width: PositiveInt


class Network(Section):
    """A network: input shape and layers, from input to logits."""

    name: str
    input: ImageShape
    layers: tuple[Layer, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not isinstance(self.layers[0], Linear) or not isinstance(self.layers[-1], Linear):
            raise ValueError("layers: the first and the last layer must be linear")
        names = [layer.name for layer in self.layers if isinstance(layer, Linear)]
        if len(set(names)) < len(names):
            raise ValueError(f"layers: names must differ; found {', '.join(names)}")
        shape: Shape = self.input_shape
        for layer in self.layers:
            if isinstance(layer, Convolution | MaxPool) and len(shape) != 3:
                raise ValueError(f"layers: {layer.kind} needs planes, but its input is {shape}")
            shape = layer.output_shape(shape)
            if min(shape) < 1:
                raise ValueError(f"layers: {layer.kind} leaves an empty output {shape}")
        return self

    @property
    def input_shape(self) -> Shape:
        """(channels, height, width) of the image."""
        return (self.input.channels, self.input.height, self.input.width)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The chain of linear layers, each with what the client does after it."""
        steps: list[Step] = []
        shape: Shape = self.input_shape
        linear, start, nonlinear = None, shape, list[Nonlinear]()
        for layer in (*self.layers, None):
            if layer is None or isinstance(layer, Linear):
                if linear is not None:
                    steps.append(Step(linear, start, tuple(nonlinear), shape))
                linear, start, nonlinear = layer, shape, []
            else:
                nonlinear.append(layer)
            shape = layer.output_shape(shape) if layer is not None else shape
        return tuple(steps)

    @property
    def macs(self) -> int:
        """Multiply-accumulate operations of all linear layers, for one image."""
        return sum(step.macs for step in self.steps)

    @property
    def parameters(self) -> int:
        """Weights and biases of all layers."""
        return sum(step.parameters for step in self.steps)

    def model_bytes(self, bits: int = FLOAT_BITS) -> int:
        """Return the size of all parameters at ``bits`` each, in whole bytes."""
        return -(-self.parameters * bits // 8)

    def plans(self, row_size: int) -> list[LinearPlan]:
        """Return the layout of every linear layer."""
        return [step.linear.plan(step.input_shape, row_size) for step in self.steps]


def load_network(path: Path) -> Network:
    """Read a network description.

    Raises:
        ChocoError: the file is missing, is not YAML, or describes no network that fits together.
    """
    try:
        return Network.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None
