"""Stage: train a network on images, quantization-aware, and export its integers.

First in floating point, then with weights and activations rounded in the forward pass and the
rounding ignored in the backward pass (straight-through estimator; Bengio, Leonard, Courville,
arXiv:1308.3432). Activation scales are set once, from the trained floating-point network; the
weight scale of a layer follows its largest weight. On the digits this takes seconds to minutes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import DataName, Datasets
from models.stage import Job, run_stage
from workloads.dnn import datasets
from workloads.dnn.datasets import DataSet
from workloads.dnn.layers import AveragePool, FullyConnected, MaxPool
from workloads.dnn.network import Network, Step, load_network
from workloads.dnn.quantized import QuantizedLayer, QuantizedNetwork, Scale
from workloads.dnn.weights_file import save_weights

jax.config.update("jax_platforms", "cpu")  # type: ignore[no-untyped-call]

Array = Any
Parameters = list[dict[str, Array]]
"""Weights and bias of each linear layer, in floating point."""

COMPARED_BITS = (8, 4)
"""Bits of weights and activations whose accuracy is recorded beside floating point (Table 5)."""

FLOAT_INPUT_BITS = 8
CALIBRATION_IMAGES = 256


class Settings(Section):
    """One training run."""

    seed: int = Field(2022, ge=0, lt=2**32, description="seed of initialization and batches")
    data: DataName = Field("digits", description="images to train on")
    datasets: Datasets = Field(Datasets(), description="where their files are")
    weight_bits: Annotated[int, Field(ge=2, le=8)] = 4
    activation_bits: Annotated[int, Field(ge=2, le=8)] = 4
    float_epochs: Annotated[int, Field(ge=1)] = 24
    quantized_epochs: Annotated[int, Field(ge=1)] = 12
    batch: Annotated[int, Field(ge=1)] = 32
    learning_rate: Annotated[float, Field(gt=0)] = 2e-3


class Precision(Section):
    """Bits of a quantized network; activation scales (one a hidden layer) in real units."""

    weight_bits: int
    activation_bits: int
    activation_scales: tuple[float, ...]

    @property
    def weight_max(self) -> int:
        """Largest weight."""
        return (1 << (self.weight_bits - 1)) - 1

    @property
    def activation_max(self) -> int:
        """Largest activation."""
        return (1 << self.activation_bits) - 1


def stage(job: Job[Settings]) -> None:
    """Train; input ``network`` (YAML), output ``weights`` (.npz)."""
    network = load_network(job.inputs["network"])
    save_weights(train(network, job.settings), job.outputs["weights"])


def train(network: Network, settings: Settings) -> QuantizedNetwork:
    """Train and export; accuracies at floating point, 8 and 4 bits go into the metadata."""
    bits = dict.fromkeys(
        [(b, b) for b in COMPARED_BITS] + [(settings.weight_bits, settings.activation_bits)]
    )
    total = settings.float_epochs + len(bits) * settings.quantized_epochs
    with tqdm(total=total, desc=f"train {network.name}", unit="epoch") as progress:
        data = datasets.load(settings.data, settings.datasets, FLOAT_INPUT_BITS)
        parameters = _fit(network, _initial(network, settings.seed), data, None, settings, progress)
        accuracy = {"float": _float_accuracy(network, parameters, data)}
        exported = {}
        for weight_bits, activation_bits in bits:
            own = datasets.load(settings.data, settings.datasets, activation_bits)
            precision = Precision(
                weight_bits=weight_bits,
                activation_bits=activation_bits,
                activation_scales=_calibrate(network, parameters, data, activation_bits),
            )
            tuned = _fit(network, parameters, own, precision, settings, progress)
            quantized = _export(network, tuned, precision)
            exported[weight_bits, activation_bits] = quantized
            name = f"w{weight_bits}a{activation_bits}"
            accuracy[name] = quantized.accuracy(own.test_images, own.test_labels)
    chosen = exported[settings.weight_bits, settings.activation_bits]
    about = {
        "data": data.description,
        "test_images": len(data.test_labels),
        "test_accuracy": accuracy,
        "training": settings.model_dump(mode="json", exclude={"datasets"}),
        "versions": {name: metadata.version(name) for name in ("jax", "numpy", "scikit-learn")},
    }
    return QuantizedNetwork(
        network, settings.weight_bits, settings.activation_bits, chosen.layers, about
    )


def _initial(network: Network, seed: int) -> Parameters:
    """Draw weights after He et al. (DOI 10.1109/ICCV.2015.123); biases are zero."""
    generator = np.random.default_rng(seed)
    parameters = []
    for step in network.steps:
        shape = step.weight_shape
        deviation = np.sqrt(2 * shape[0] / step.linear.weight_count(step.input_shape))
        weights = generator.normal(0, deviation, shape).astype(np.float32)
        parameters.append({"weights": jnp.asarray(weights), "bias": jnp.zeros(shape[0])})
    return parameters


def _straight_through(exact: Array, rounded: Array) -> Array:
    """Return ``rounded`` with the gradient of ``exact``."""
    return exact + jax.lax.stop_gradient(rounded - exact)


def _weight_scale(weights: Array, precision: Precision) -> Array:
    """Return the real value of weight 1."""
    return jnp.maximum(jnp.max(jnp.abs(weights)), 1e-6) / precision.weight_max


def _linear(step: Step, layer: dict[str, Array], weights: Array, values: Array) -> Array:
    operation = step.linear
    if isinstance(operation, FullyConnected):
        return values.reshape(len(values), -1) @ weights.T + layer["bias"]
    weights = weights * operation.structure(step.input_shape)
    pad = [(operation.border, operation.border)] * 2
    stride = (operation.stride, operation.stride)
    result = jax.lax.conv_general_dilated(values, weights, stride, pad)
    return result + layer["bias"][None, :, None, None]


def _nonlinear(step: Step, values: Array) -> Array:
    for operation in step.nonlinear:
        if isinstance(operation, MaxPool):
            border = [(0, 0), (0, 0), *[(operation.padding, operation.padding)] * 2]
            values = _windows(values, operation, -jnp.inf, jax.lax.max, border)
        elif isinstance(operation, AveragePool):
            total = _windows(values, operation, 0.0, jax.lax.add, "VALID")
            values = total / operation.size**2
        else:
            values = jax.nn.relu(values)
    return values


def _windows(
    values: Array, pool: MaxPool | AveragePool, start: float, reduce: Callable[..., Array], pad: Any
) -> Array:
    size, steps = (1, 1, pool.size, pool.size), (1, 1, pool.step, pool.step)
    return jax.lax.reduce_window(values, start, reduce, size, steps, pad)


def _forward(
    network: Network, precision: Precision | None, parameters: Parameters, images: Array
) -> tuple[Array, list[Array]]:
    """Return logits and hidden activations; images (batch, channels, height, width) in 0..1."""
    values = images
    hidden = []
    for index, (step, layer) in enumerate(zip(network.steps, parameters, strict=True)):
        weights = layer["weights"]
        if precision is not None:
            scale = _weight_scale(weights, precision)
            weights = _straight_through(weights, jnp.round(weights / scale) * scale)
        values = _nonlinear(step, _linear(step, layer, weights, values))
        if index < len(network.steps) - 1:
            hidden.append(values)
            if precision is not None:
                unit = precision.activation_scales[index]
                clipped = jnp.clip(values, 0, unit * precision.activation_max)
                values = _straight_through(clipped, jnp.round(clipped / unit) * unit)
    return values.reshape(len(images), -1), hidden


def _fit(
    network: Network,
    parameters: Parameters,
    data: DataSet,
    precision: Precision | None,
    settings: Settings,
    progress: "tqdm[Any]",
) -> Parameters:
    """Minimize cross-entropy with Adam (arXiv:1412.6980), the learning rate falling to zero."""
    epochs = settings.float_epochs if precision is None else settings.quantized_epochs
    bits = FLOAT_INPUT_BITS if precision is None else precision.activation_bits
    images = jnp.asarray(data.train_images / (2**bits - 1), dtype=jnp.float32)
    labels = jnp.asarray(data.train_labels)
    batches = len(labels) // settings.batch
    generator = np.random.default_rng(settings.seed)

    def loss(now: Parameters, batch: Array) -> Array:
        logits, _ = _forward(network, precision, now, images[batch])
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[batch][:, None], axis=1)
        return -jnp.mean(chosen)

    update = jax.jit(partial(_adam, jax.grad(loss), settings.learning_rate, epochs * batches))
    moments = jax.tree.map(jnp.zeros_like, (parameters, parameters))
    count = 0
    for _ in range(epochs):
        for batch in _batches(generator, len(labels), settings.batch):
            parameters, moments = update(parameters, moments, count, batch)
            count += 1
        progress.update()
    return parameters


def _batches(generator: np.random.Generator, count: int, size: int) -> Iterator[Array]:
    order = generator.permutation(count)
    for start in range(0, count - size + 1, size):
        yield order[start : start + size]


def _adam(
    gradient: Callable[[Parameters, Array], Parameters],
    rate: float,
    total: int,
    parameters: Parameters,
    moments: tuple[Parameters, Parameters],
    count: Array,
    batch: Array,
) -> tuple[Parameters, tuple[Parameters, Parameters]]:
    slope = gradient(parameters, batch)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], slope)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], slope)
    step = (
        rate * (1 - count / total) * jnp.sqrt(1 - 0.999 ** (count + 1)) / (1 - 0.9 ** (count + 1))
    )
    moved = jax.tree.map(
        lambda p, m, v: p - step * m / (jnp.sqrt(v) + 1e-8), parameters, mean, square
    )
    return moved, (mean, square)


def _calibrate(
    network: Network, parameters: Parameters, data: DataSet, activation_bits: int
) -> tuple[float, ...]:
    """Return activation units so that all but 0.1 % of the activations fit."""
    images = data.train_images[:CALIBRATION_IMAGES] / (2**FLOAT_INPUT_BITS - 1)
    _, hidden = _forward(network, None, parameters, jnp.asarray(images, dtype=jnp.float32))
    largest = (float(np.quantile(np.asarray(values), 0.999)) for values in hidden)
    return tuple(value / (2**activation_bits - 1) for value in largest)


def _float_accuracy(network: Network, parameters: Parameters, data: DataSet) -> float:
    images = data.test_images / (2**FLOAT_INPUT_BITS - 1)
    logits, _ = _forward(network, None, parameters, jnp.asarray(images, dtype=jnp.float32))
    return float(np.mean(np.argmax(np.asarray(logits), axis=1) == data.test_labels))


def _export(network: Network, parameters: Parameters, precision: Precision) -> QuantizedNetwork:
    """Round to integers; bias in units of the accumulator, scales as multiplier and shift."""
    layers = []
    unit = 1 / precision.activation_max  # real value of activation 1; pixels span 0..1
    for index, (step, layer) in enumerate(zip(network.steps, parameters, strict=True)):
        structure = step.linear.structure(step.input_shape)
        weights = np.asarray(layer["weights"], dtype=np.float64)
        weight_unit = float(_weight_scale(layer["weights"], precision))
        accumulator_unit = weight_unit * unit
        last = index == len(parameters) - 1
        next_unit = 1.0 if last else precision.activation_scales[index]
        layers.append(
            QuantizedLayer(
                np.rint(weights / weight_unit).astype(np.int64) * structure,
                np.rint(np.asarray(layer["bias"]) / accumulator_unit).astype(np.int64),
                None if last else Scale.nearest(accumulator_unit / next_unit),
            )
        )
        unit = next_unit
    return QuantizedNetwork(
        network, precision.weight_bits, precision.activation_bits, tuple(layers)
    )


if __name__ == "__main__":
    run_stage(stage, Settings)
