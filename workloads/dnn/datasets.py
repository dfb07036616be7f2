"""Images to classify: the digits inside scikit-learn, or MNIST and CIFAR-10 from the user's disk.

MNIST is read in its IDX format (LeCun, Cortes, Burges, "The MNIST database of handwritten digits"),
CIFAR-10 in its binary version (Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
2009). Neither comes with this project; ``datasets`` in the configuration says where they are.
"""

import gzip
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.config.workloads import Datasets
from models.errors import ChocoError
from models.provenance import library
from workloads.dnn import digits
from workloads.dnn.plain import divide_rounded

PIXEL_MAX = 255
_UNSIGNED_BYTE = 0x08
_CIFAR_SHAPE = (3, 32, 32)


@dataclass(frozen=True)
class DataSet:
    """Labeled images as unsigned activations: (count, channels, height, width) and (count,).

    Attributes:
        description: what they are, for traces and figures.
        provenance: where they come from.
    """

    train_images: NDArray[Any]
    train_labels: NDArray[Any]
    test_images: NDArray[Any]
    test_labels: NDArray[Any]
    description: str
    provenance: str


def load(name: str, datasets: Datasets, activation_bits: int) -> DataSet:
    """Return a data set with pixels quantized to ``activation_bits`` over the full range.

    Args:
        name: "digits", "mnist" or "cifar10".
        datasets: where the files of the latter two are.
        activation_bits: bits of a pixel.

    Raises:
        ChocoError: no path is configured, or its files are missing or damaged.
    """
    if name == "digits":
        data = digits.load(activation_bits)
        return DataSet(
            data.train_images,
            data.train_labels,
            data.test_images,
            data.test_labels,
            "scikit-learn digits, 8x8 scaled to 28x28",
            library("scikit-learn", "scikit-learn"),
        )
    path = getattr(datasets, name)
    if path is None:
        raise ChocoError(f"datasets.{name}: no path is configured; this run needs its files")
    train, test = _mnist(path) if name == "mnist" else _cifar10(path)
    title = {"mnist": "MNIST", "cifar10": "CIFAR-10"}[name]
    return DataSet(
        quantize(train[0], activation_bits),
        train[1],
        quantize(test[0], activation_bits),
        test[1],
        title,
        title,
    )


def quantize(pixels: NDArray[np.uint8], activation_bits: int) -> NDArray[np.uint8]:
    """Scale pixels 0..255 to 0..2^activation_bits - 1, to nearest."""
    top = (1 << activation_bits) - 1
    levels = divide_rounded(np.arange(PIXEL_MAX + 1, dtype=np.int64) * top, PIXEL_MAX)
    quantized: NDArray[np.uint8] = levels.astype(np.uint8)[pixels]
    return quantized


Split = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""Images (count, channels, height, width) and labels (count,)."""


def _mnist(path: Path) -> tuple[Split, Split]:
    splits = []
    for prefix in ("train", "t10k"):
        images = read_idx(_find(path, f"{prefix}-images-idx3-ubyte"))
        labels = read_idx(_find(path, f"{prefix}-labels-idx1-ubyte"))
        if images.ndim != 3 or labels.ndim != 1 or len(images) != len(labels):
            raise ChocoError(
                f"{path}: {prefix}: images {images.shape} and labels {labels.shape} do not match"
            )
        splits.append((images[:, None], labels))
    return splits[0], splits[1]


def _find(path: Path, name: str) -> Path:
    """Return the file, plain or compressed, in either of the two spellings in use."""
    spellings = (name, name.replace("-idx", ".idx"))
    for candidate in (path / f"{n}{suffix}" for n in spellings for suffix in ("", ".gz")):
        if candidate.is_file():
            return candidate
    raise ChocoError(f"{path}: no file {name} or {name}.gz")


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Read an IDX file of unsigned bytes, gzip-compressed if its name ends in .gz.

    Raises:
        ChocoError: not an IDX file of bytes, or of another length than its header says.
    """
    data = _read(path)
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != _UNSIGNED_BYTE:
        raise ChocoError(f"{path}: not an IDX file of unsigned bytes")
    start = 4 + 4 * data[3]
    if len(data) < start:
        raise ChocoError(f"{path}: its header is cut off")
    shape = struct.unpack(f">{data[3]}I", data[4:start])
    if len(data) - start != prod(shape):
        raise ChocoError(f"{path}: {len(data) - start} bytes of data; its header says {shape}")
    return np.frombuffer(data, dtype=np.uint8, offset=start).reshape(shape)


def _cifar10(path: Path) -> tuple[Split, Split]:
    train = [read_cifar10(path / f"data_batch_{batch}.bin") for batch in range(1, 6)]
    images, labels = zip(*train, strict=True)
    test = read_cifar10(path / "test_batch.bin")
    return (np.concatenate(images), np.concatenate(labels)), test


def read_cifar10(path: Path) -> Split:
    """Read one file of the binary version: records of a label and 3x32x32 pixels.

    Raises:
        ChocoError: missing, empty, cut off, or labels beyond 9.
    """
    record = 1 + prod(_CIFAR_SHAPE)
    data = np.frombuffer(_read(path), dtype=np.uint8)
    if not len(data) or len(data) % record:
        raise ChocoError(f"{path}: {len(data)} bytes are no whole records of {record} bytes")
    records = data.reshape(-1, record)
    labels = records[:, 0]
    if labels.max() > 9:
        raise ChocoError(f"{path}: label {labels.max()}; CIFAR-10 has 0 to 9")
    return records[:, 1:].reshape(-1, *_CIFAR_SHAPE), labels


def _read(path: Path) -> bytes:
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as file:
                return file.read()
        return path.read_bytes()
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ChocoError(f"{path}: {reason}") from None
