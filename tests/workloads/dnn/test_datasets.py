"""Loaders read the published formats, from tiny files written here."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import workloads.dnn
from models.config import Config
from models.config.workloads import Datasets, Inference
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table
from workloads import he
from workloads.dnn import datasets, infer
from workloads.dnn.network import load_network
from workloads.dnn.source import load_images

NETWORKS = Path(workloads.dnn.__file__).parent / "networks"

RNG = np.random.default_rng(8)


def idx(array):
    """The IDX format: two zero bytes, type, dimensions, sizes (big-endian), data."""
    header = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def write_mnist(path, counts=(5, 3)):
    written = {}
    for prefix, count in zip(("train", "t10k"), counts, strict=True):
        images, labels = RNG.integers(0, 256, (count, 28, 28)), RNG.integers(0, 10, count)
        (path / f"{prefix}-images-idx3-ubyte").write_bytes(idx(images))
        compressed = gzip.compress(idx(labels))
        (path / f"{prefix}-labels-idx1-ubyte.gz").write_bytes(compressed)
        written[prefix] = images, labels
    return written


def write_cifar10(path, count=2):
    """The binary version: each record is a label and 3072 pixels, plane by plane."""
    records = {}
    for name in [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]:
        labels, pixels = RNG.integers(0, 10, count), RNG.integers(0, 256, (count, 3, 32, 32))
        joined = np.concatenate([labels[:, None], pixels.reshape(count, -1)], axis=1)
        (path / f"{name}.bin").write_bytes(joined.astype(np.uint8).tobytes())
        records[name] = pixels, labels
    return records


def test_mnist_is_read_plain_and_compressed(tmp_path):
    written = write_mnist(tmp_path)
    data = datasets.load("mnist", Datasets(mnist=tmp_path), 8)
    for images, labels, prefix in [
        (data.train_images, data.train_labels, "train"),
        (data.test_images, data.test_labels, "t10k"),
    ]:
        np.testing.assert_array_equal(images[:, 0], written[prefix][0])
        np.testing.assert_array_equal(labels, written[prefix][1])
    assert data.description == "MNIST"


def test_cifar10_is_read_batch_by_batch(tmp_path):
    written = write_cifar10(tmp_path)
    data = datasets.load("cifar10", Datasets(cifar10=tmp_path), 8)
    assert data.train_images.shape == (10, 3, 32, 32)
    np.testing.assert_array_equal(data.train_images[4:6], written["data_batch_3"][0])
    np.testing.assert_array_equal(data.test_images, written["test_batch"][0])
    np.testing.assert_array_equal(data.test_labels, written["test_batch"][1])


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_pixels_span_the_activations(bits):
    pixels = np.arange(256, dtype=np.uint8)
    top = 2**bits - 1
    found = datasets.quantize(pixels, bits)
    assert np.abs(found - pixels / 255 * top).max() <= 0.5
    assert (found.min(), found.max()) == (0, top)


def test_without_a_path_there_is_no_data_and_no_substitute():
    with pytest.raises(ChocoError, match=r"datasets.mnist: no path is configured"):
        datasets.load("mnist", Datasets(), 4)
    with pytest.raises(ChocoError, match=r"datasets.cifar10: no path is configured"):
        datasets.load("cifar10", Datasets(), 4)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda data: b"", "not an IDX file"),
        (lambda data: b"\1" + data[1:], "not an IDX file"),
        (lambda data: data[:2] + b"\x0d" + data[3:], "not an IDX file of unsigned bytes"),
        (lambda data: data[:10], "its header is cut off"),
        (lambda data: data[:-1], r"bytes of data; its header says \(5, 28, 28\)"),
        (lambda data: idx(np.zeros((4, 28, 28))), "do not match"),
    ],
)
def test_a_damaged_mnist_file_is_refused(tmp_path, spoil, reason):
    write_mnist(tmp_path)
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ChocoError, match=reason) as caught:
        datasets.load("mnist", Datasets(mnist=tmp_path), 4)
    assert "\n" not in str(caught.value)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(ChocoError, match="no file train-images-idx3-ubyte or"):
        datasets.load("mnist", Datasets(mnist=tmp_path), 4)
    with pytest.raises(ChocoError, match=r"data_batch_1\.bin: No such file"):
        datasets.load("cifar10", Datasets(cifar10=tmp_path), 4)
    write_mnist(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(ChocoError, match="t10k-labels"):
        datasets.load("mnist", Datasets(mnist=tmp_path), 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "0 bytes are no whole records of 3073"),
        (bytes(3072), "3072 bytes are no whole records"),
        (b"\x0a" + bytes(3072), "label 10; CIFAR-10 has 0 to 9"),
    ],
)
def test_a_damaged_cifar10_file_is_refused(tmp_path, content, reason):
    write_cifar10(tmp_path)
    (tmp_path / "data_batch_2.bin").write_bytes(content)
    with pytest.raises(ChocoError, match=reason):
        datasets.load("cifar10", Datasets(cifar10=tmp_path), 4)


def test_images_of_another_shape_are_refused(tmp_path):
    write_cifar10(tmp_path)
    lenet = load_network(NETWORKS / "lenet_sm.yaml")
    inference = Inference(parameter_set="B", data="cifar10")
    with pytest.raises(ChocoError, match=r"LeNetSm: takes images of \(1, 28, 28\); CIFAR-10 has"):
        load_images(lenet, inference, Datasets(cifar10=tmp_path), 0)
    sqznet = load_network(NETWORKS / "sqznet.yaml")
    images = load_images(sqznet, inference, Datasets(cifar10=tmp_path), 0)
    assert images.images.shape == (2, 3, 32, 32)
    assert images.description == "CIFAR-10, test images"


def test_mnist_images_run_encrypted(tmp_path):
    written = write_mnist(tmp_path)
    config = Config()
    inference = config.networks.lenet_sm.model_copy(update={"data": "mnist", "images": 1})
    parameters = config.network_parameters("lenet_sm")
    run = {"seed": 1, "parameters": parameters, "inference": inference}
    files = {"trace": "csv", "timings": "csv", "summary": "csv", "metadata": "json"}
    outputs = {name: tmp_path / f"{name}.{suffix}" for name, suffix in files.items()}
    inputs = {
        "network": NETWORKS / "lenet_sm.yaml",
        "weights": NETWORKS.parent / "weights" / "lenet_sm_digits_4bit.npz",
    }
    settings = infer.Settings(datasets=Datasets(mnist=tmp_path), **run)
    infer.stage(Job(settings, inputs, outputs))
    he.unseed()
    row = read_table(outputs["summary"], infer.SUMMARY).iloc[0]
    assert (row.data, row.images_exact, row.test_images) == (
        "MNIST, test images",
        1,
        len(written["t10k"][1]),
    )
