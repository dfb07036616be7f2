"""The program under QEMU: every layer against NumPy, and what it refuses."""

import shutil
import subprocess

import numpy as np
import pytest

from workloads.local_inference import reference
from workloads.local_inference.build import Settings, missing, program

TYPES = {"float32": np.float32, "int8": np.int8, "int32": np.int32}


@pytest.fixture(scope="module")
def local_inference():
    if (lacking := missing(Settings())) is not None:
        pytest.skip(lacking)
    if not program(Settings()).exists():
        pytest.skip("local_inference is not built; `snakemake local-inference-program` builds it")
    if shutil.which("qemu-arm") is None:
        pytest.skip("no qemu-arm on PATH")

    def run(*arguments):
        command = ["qemu-arm", str(program(Settings())), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, timeout=120)

    return run


@pytest.fixture
def output(local_inference):
    def of(*arguments, dtype=None):
        run = local_inference("--output", *arguments)
        assert run.returncode == 0, run.stderr
        return np.frombuffer(run.stdout, dtype or TYPES[arguments[-1]])

    return of


def same(found, expected, dtype):
    if dtype == "float32":
        np.testing.assert_allclose(found, np.ravel(expected), rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(found, np.ravel(expected))


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize(
    "numbers",
    [
        (28, 28, 1, 6, 5, 1, 0),
        (8, 8, 64, 32, 1, 1, 0),
        (9, 8, 5, 7, 3, 2, 1),
        (5, 4, 33, 17, 3, 1, 1),
        (1, 1, 1, 1, 1, 1, 0),
    ],
)
def test_convolutions(output, numbers, dtype, relu):
    found = output(*["--relu"] * relu, "convolution", *numbers, dtype)
    same(found, reference.convolution(dtype, relu, *numbers), dtype)
    assert len(np.unique(found)) > 3 or numbers[0] == 1


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("numbers", [(256, 10), (31, 33), (1, 1)])
def test_fully_connected(output, numbers, dtype, relu):
    found = output(*["--relu"] * relu, "fully_connected", *numbers, dtype)
    same(found, reference.fully_connected(dtype, relu, *numbers), dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32"])
@pytest.mark.parametrize("numbers", [(8, 6, 16, 2, 2, 0), (9, 8, 5, 3, 2, 1)])
def test_max_pool(output, numbers, dtype):
    same(output("max_pool", *numbers, dtype), reference.max_pool(dtype, *numbers), dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32"])
@pytest.mark.parametrize("numbers", [(8, 8, 10), (3, 5, 21)])
def test_average_pool(output, numbers, dtype):
    same(output("average_pool", *numbers, dtype), reference.average_pool(dtype, *numbers), dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_concatenation(output, dtype):
    found = output("concatenate", 9, 5, 3, dtype)
    same(found, reference.concatenate(dtype, 9, 5, 3), dtype)


@pytest.mark.parametrize("numbers", [(1000, 20000, 22, 4), (77, 32768, 30, 8), (50, 1, 0, 3)])
def test_requantization(output, numbers):
    found = output("requantize", *numbers, "int32")
    np.testing.assert_array_equal(found, reference.requantize(*numbers))
    assert found.min() == 0 and found.max() > 0


def test_activation_and_slots(output):
    np.testing.assert_array_equal(output("relu", 99, "int32"), reference.relu(99))
    np.testing.assert_array_equal(output("unpack", 99, "int32"), reference.slots(99))
    packed = output("pack", 99, "int32", dtype=np.int64)
    np.testing.assert_array_equal(packed, reference.slots(99))


def test_without_output_it_tells_its_time(local_inference):
    header, value = local_inference("relu", 1000, "int32").stdout.decode().split()
    assert header == "time_ns" and int(value) > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "a layer is missing"),
        (("deconvolution", 1, "int8"), "'deconvolution' is no layer"),
        (("fully_connected", 3, "int8"), "fully_connected takes 2 numbers and a type"),
        (("fully_connected", 3, -4, "int8"), "'-4' is not a number"),
        (("fully_connected", 3, 0, "int8"), "only PADDING and SHIFT may be 0"),
        (("fully_connected", 3, 4, "int4"), "'int4' is no type"),
        (("relu", 3, "float32"), "relu does not run on float32"),
        (("--relu", "pack", 8, "int32"), "--relu: pack has no activation"),
        (("--markers", "perf", "relu", 8, "int32"), "--markers: none or gem5"),
        (("--fast", "relu", 8, "int32"), "'--fast' is no option"),
        (("convolution", 2, 9, 1, 1, 5, 1, 1, "int8"), "KERNEL is larger"),
        (("max_pool", 9, 9, 1, 3, 1, 2, "int8"), "PADDING is more than half"),
        (("requantize", 8, 40000, 1, 4, "int32"), "MULTIPLIER is at most 32768"),
    ],
)
def test_wrong_arguments_are_one_line(local_inference, arguments, says):
    run = local_inference(*arguments)
    assert run.returncode == 2
    error = run.stderr.decode()
    assert error.startswith(f"error: {says}") or says in error
    assert error.count("\n") == 1


def test_help_names_every_layer(local_inference):
    run = local_inference("--help")
    assert run.returncode == 0
    for name in ("convolution", "fully_connected", "requantize", "--markers"):
        assert name in run.stdout.decode()
