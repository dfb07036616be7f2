import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize("parameters", [{"Width": 8, "Depth": 2}, {"Width": 64, "Depth": 8}])
def test_fifo(parameters):
    run_bench("taco_fifo", "bench_fifo", parameters)


@pytest.mark.parametrize("half_rounds", [1, 2])
def test_compression_function_equals_blake3(half_rounds):
    run_bench("taco_blake3_compress", "bench_blake3", {"HalfRounds": half_rounds})


def test_generator_equals_keyed_blake3():
    run_bench("taco_random", "bench_random", {"HalfRounds": 2})


@pytest.mark.parametrize(("lanes", "clipped"), [(1, 0), (4, 1), (8, 0)])
def test_sampler_equals_reference(lanes, clipped):
    run_bench("taco_sampler", "bench_sampler", {"Lanes": lanes, "ClippedNormal": clipped})


def test_rns_expansion():
    run_bench("taco_rns_expand", "bench_rns_expand", {"Residues": 16, "Lanes": 2})
