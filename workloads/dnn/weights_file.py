"""The weight file of a quantized network: a NumPy archive whose bytes follow from its content.

``numpy.savez`` stamps the time into its archive; this writer does not, and stores entries
uncompressed, so that the same integers give the same file on every machine. Weights of up to
four bits take half a byte each.
"""

import io
import json
import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from models.tables import replacing
from workloads.dnn.network import Network, Step
from workloads.dnn.plain import Integers
from workloads.dnn.quantized import QuantizedLayer, QuantizedNetwork, Scale

FORMAT = 2
_PACKED_BITS = 4
_EPOCH = (1980, 1, 1, 0, 0, 0)


def save_weights(quantized: QuantizedNetwork, path: Path) -> None:
    """Write the integers, scales and metadata of a network to ``path`` (.npz)."""
    about = {
        "format": FORMAT,
        "network": quantized.network.model_dump(mode="json"),
        "weight_bits": quantized.weight_bits,
        "activation_bits": quantized.activation_bits,
        "metadata": quantized.metadata,
    }
    arrays: dict[str, Any] = {"about": np.array(json.dumps(about, sort_keys=True))}
    for step, layer in zip(quantized.network.steps, quantized.layers, strict=True):
        name = step.linear.name
        arrays[f"{name}.weights"] = _pack(layer.weights, quantized.weight_bits)
        arrays[f"{name}.bias"] = layer.bias.astype(np.int32)
        if layer.scale is not None:
            scale = [layer.scale.multiplier, layer.scale.shift]
            arrays[f"{name}.scale"] = np.array(scale, dtype=np.int32)
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), buffer.getvalue())


def load_weights(path: Path, network: Network) -> QuantizedNetwork:
    """Read the weights of ``network``.

    Raises:
        ChocoError: the file is missing or damaged, or belongs to another network.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays["about"]))
    except FileNotFoundError:
        raise ChocoError(f"{path}: no such weight file") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ChocoError(f"{path}: not a weight file: {error}") from None
    if about.get("format") != FORMAT:
        raise ChocoError(f"{path}: format {about.get('format')!r}; this version reads {FORMAT}")
    if Network.model_validate(about["network"]) != network:
        raise ChocoError(f"{path}: weights of another network than {network.name} as described")
    try:
        layers = tuple(_layer(arrays, step, about["weight_bits"]) for step in network.steps)
    except (KeyError, ValueError) as error:
        raise ChocoError(f"{path}: not a weight file: {error.args[0]}") from None
    return QuantizedNetwork(
        network, about["weight_bits"], about["activation_bits"], layers, about["metadata"]
    )


def _layer(arrays: dict[str, Any], step: Step, weight_bits: int) -> QuantizedLayer:
    name = step.linear.name
    scale = arrays.get(f"{name}.scale")
    return QuantizedLayer(
        _unpack(arrays[f"{name}.weights"], weight_bits, step.weight_shape),
        arrays[f"{name}.bias"].astype(np.int64),
        None if scale is None else Scale(int(scale[0]), int(scale[1])),
    )


def _pack(weights: Integers, weight_bits: int) -> NDArray[Any]:
    """Return whole bytes, or two weights a byte, the first one in the low half."""
    if weight_bits > _PACKED_BITS:
        return weights.astype(np.int8)
    flat = np.pad(weights.reshape(-1), (0, weights.size % 2)) & 0xF
    return (flat[::2] | flat[1::2] << _PACKED_BITS).astype(np.uint8)


def _unpack(stored: NDArray[Any], weight_bits: int, shape: tuple[int, ...]) -> Integers:
    if weight_bits > _PACKED_BITS:
        return stored.astype(np.int64).reshape(shape)
    halves = np.stack([stored & 0xF, stored >> _PACKED_BITS], axis=-1).reshape(-1)
    signed = (halves.astype(np.int64) ^ 8) - 8
    return signed[: prod(shape)].reshape(shape)
