"""The layers of a network as runs of the program; shapes come from ``workloads/dnn/networks``."""

from dataclasses import dataclass
from math import prod

from models.client.inference import slots_layer
from models.errors import ChocoError
from workloads.dnn.layers import AveragePool, Convolution, MaxPool, Parallel, Pool, Relu, Shape
from workloads.dnn.network import Network, Step

DTYPES = ("float32", "int8")
"""Types of local inference; ``int32`` is that of the client's plain operations."""

REQUANTIZATION = (20000, 22, 4)
"""Multiplier, shift and bits of a typical requantization; its time does not depend on them."""


@dataclass(frozen=True)
class Run:
    """One run of the program: a layer of a network, or a plain operation after it.

    Attributes:
        layer: name of the layer in the network; a branch of parallel ones has a number appended.
        operation: what the program runs, and on which type.
        numbers: its numbers, in the order of the program's usage text.
        macs: multiply-accumulate operations.
        relu: with the activation fused in.
    """

    layer: str
    operation: str
    dtype: str
    numbers: tuple[int, ...]
    macs: int = 0
    relu: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The program's arguments."""
        option = ("--relu",) if self.relu else ()
        return (*option, self.operation, *map(str, self.numbers), self.dtype)


def local_layers(network: Network, dtype: str) -> list[Run]:
    """Return a network without encryption, layer by layer, as TensorFlow Lite runs it.

    An activation is part of the linear layer before it.

    Raises:
        ChocoError: a layer that the program does not run.
    """
    runs: list[Run] = []
    for step in network.steps:
        relu = any(isinstance(operation, Relu) for operation in step.nonlinear)
        runs += _linear(step, dtype, relu)
        shape = step.linear.output_shape(step.input_shape)
        for operation in step.nonlinear:
            if isinstance(operation, MaxPool | AveragePool):
                runs.append(_pool(step.linear.name, operation, shape, dtype))
            shape = operation.output_shape(shape)
    return runs


def plain_operations(network: Network) -> list[Run]:
    """Return what the client of an encrypted inference computes in the clear, in order.

    Raises:
        ChocoError: an operation that the program does not run.
    """
    runs: list[Run] = []
    for step in network.steps:
        name = step.linear.name
        shape = step.linear.output_shape(step.input_shape)
        for operation in step.nonlinear:
            if isinstance(operation, Relu):
                runs.append(Run(name, "relu", "int32", (prod(shape),)))
            else:
                runs.append(_pool(name, operation, shape, "int32"))
            shape = operation.output_shape(shape)
        if step is not network.steps[-1]:
            runs.append(Run(name, "requantize", "int32", (prod(shape), *REQUANTIZATION)))
    return runs


def slot_operations(poly_modulus_degree: int) -> list[Run]:
    """Return what carries values into and out of the slots of one ciphertext."""
    return [
        Run(slots_layer(poly_modulus_degree), operation, "int32", (poly_modulus_degree,))
        for operation in ("pack", "unpack")
    ]


def _linear(step: Step, dtype: str, relu: bool) -> list[Run]:
    layer, inputs = step.linear, step.input_shape
    if isinstance(layer, Convolution):
        return [_convolution(layer, layer.name, inputs, dtype, relu)]
    if isinstance(layer, Parallel):
        branches = [
            Convolution(
                kind="convolution",
                name=f"{layer.name}_{branch.kernel}x{branch.kernel}",
                out_channels=branch.out_channels,
                kernel=branch.kernel,
                padding="same",
            )
            for branch in layer.branches
        ]
        runs = [_convolution(branch, branch.name, inputs, dtype, relu) for branch in branches]
        joined = branches[0].out_channels
        for branch in branches[1:]:
            numbers = (inputs[1] * inputs[2], joined, branch.out_channels)
            runs.append(Run(layer.name, "concatenate", dtype, numbers))
            joined += branch.out_channels
        return runs
    features = (prod(inputs), layer.out_features)
    return [Run(layer.name, "fully_connected", dtype, features, layer.macs(inputs), relu)]


def _convolution(layer: Convolution, name: str, inputs: Shape, dtype: str, relu: bool) -> Run:
    channels, height, width = inputs
    window = (layer.kernel, layer.stride, layer.border)
    numbers = (height, width, channels, layer.out_channels, *window)
    return Run(name, "convolution", dtype, numbers, layer.macs(inputs), relu)


def _pool(name: str, pool: Pool, inputs: Shape, dtype: str) -> Run:
    channels, height, width = inputs
    if isinstance(pool, MaxPool):
        window = (pool.size, pool.step, pool.padding)
        return Run(name, "max_pool", dtype, (height, width, channels, *window))
    if (height, width) != (pool.size, pool.size):
        raise ChocoError(
            f"{name}: average pooling of {height}x{width} in windows of {pool.size}: local "
            "inference has it over the whole plane only"
        )
    return Run(name, "average_pool", dtype, (height, width, channels))
