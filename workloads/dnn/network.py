"""Description of a network: its layers in order, and the counts that follow from them.

A network is a chain of *steps*: one linear layer, which the server computes on encrypted data,
and the nonlinear operations after it, which the client computes in the clear.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Self

import yaml
from pydantic import Field, PositiveInt, ValidationError, model_validator

from models.config.base import Section, one_line
from models.errors import ChocoError
from workloads.dnn.layers import (
    Convolution,
    Layer,
    Linear,
    Nonlinear,
    Parallel,
    Pool,
    Shape,
)
from workloads.packing.layout import LinearPlan

FLOAT_BITS = 32


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
        return self.linear.weight_count(self.input_shape) + self.weight_shape[0]

    def accumulator_bound(self, weight_max: int, activation_max: int) -> int:
        """Return the largest |sum of products| for any weights up to ``weight_max``, no bias."""
        return prod(self.weight_shape[1:]) * weight_max * activation_max


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
        if not isinstance(self.layers[0], Linear):
            raise ValueError("layers: the first layer must be linear")
        names = [layer.name for layer in self.layers if isinstance(layer, Linear)]
        if len(set(names)) < len(names):
            raise ValueError(f"layers: names must differ; found {', '.join(names)}")
        shape: Shape = self.input_shape
        for layer in self.layers:
            if isinstance(layer, Convolution | Parallel | Pool) and len(shape) != 3:
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
