"""The weight file of a quantized network: a NumPy archive whose bytes follow from its content.

``numpy.savez`` stamps the time into its archive; this writer does not, and stores entries
uncompressed, so that the same integers give the same file on every machine.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import ChocoError
from models.tables import replacing
from workloads.dnn.network import Network
from workloads.dnn.quantized import QuantizedLayer, QuantizedNetwork, Scale

FORMAT = 1
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
        arrays[f"{name}.weights"] = layer.weights.astype(np.int8)
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
        layers = tuple(_layer(arrays, step.linear.name) for step in network.steps)
    except KeyError as error:
        raise ChocoError(f"{path}: not a weight file: {error.args[0]}") from None
    return QuantizedNetwork(
        network, about["weight_bits"], about["activation_bits"], layers, about["metadata"]
    )


def _layer(arrays: dict[str, Any], name: str) -> QuantizedLayer:
    scale = arrays.get(f"{name}.scale")
    return QuantizedLayer(
        arrays[f"{name}.weights"].astype(np.int64),
        arrays[f"{name}.bias"].astype(np.int64),
        None if scale is None else Scale(int(scale[0]), int(scale[1])),
    )
