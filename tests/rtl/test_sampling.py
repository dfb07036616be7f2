from dataclasses import astuple

import numpy as np
import pytest

from rtl.tb.reference import random_stream
from rtl.tb.runner import run_bench
from rtl.tb.sample_statistics import record, statistics


@pytest.mark.parametrize("parameters", [{"Width": 8, "Depth": 2}, {"Width": 64, "Depth": 8}])
def test_fifo(parameters):
    run_bench("taco_fifo", "bench_fifo", parameters)


@pytest.mark.parametrize("half_rounds", [1, 2])
def test_compression_function_equals_blake3(half_rounds):
    run_bench("taco_blake3_compress", "bench_blake3", {"HalfRounds": half_rounds})


def test_generator_equals_keyed_blake3():
    run_bench("taco_random", "bench_random", {"HalfRounds": 2})


@pytest.mark.parametrize(("lanes", "clipped"), [(1, 0), (4, 1), (8, 0)])
def test_samples_equal_reference(lanes, clipped):
    run_bench("taco_draw", "bench_draw", {"Lanes": lanes, "ClippedNormal": clipped})


def test_rns_expansion():
    run_bench("taco_rns_expand", "bench_rns_expand", {"Lanes": 2})


# The seed is fixed, so a run has the same p-values as the one before.
@pytest.mark.parametrize(
    ("error", "clipped", "probabilities", "samples_per_cycle"),
    [
        (False, False, random_stream.ternary_probabilities(), 6.8),
        (True, False, random_stream.centered_binomial_probabilities(), 1.70),
        (True, True, random_stream.clipped_normal_probabilities(), 1.14),
    ],
    ids=["ternary", "centered binomial", "clipped normal"],
)
def test_million_samples(error, clipped, probabilities, samples_per_cycle, tmp_path):
    seed, nonce, requests, degree = bytes(range(100, 132)), 2, 32, 2**15
    made = record(seed, nonce, requests, tmp_path, error=error, clipped=clipped)

    reference = random_stream.Samples(seed, nonce, clipped=clipped)
    draw = reference.error if error else reference.ternary
    expected = np.concatenate([draw(degree) for _ in range(requests)])
    np.testing.assert_array_equal(made.samples, expected)
    blocks = random_stream.random_blocks(seed, nonce, 0, reference.next_block)
    np.testing.assert_array_equal(made.blocks, blocks)
    assert len(np.unique(made.blocks, axis=0)) == len(made.blocks)

    assert min(astuple(statistics(made.samples, probabilities))) > 1e-3
    assert len(made.samples) / made.cycles > samples_per_cycle


def test_statistics_notice_a_wrong_distribution():
    rng = np.random.default_rng(5)
    probabilities = random_stream.centered_binomial_probabilities()
    rounded = np.rint(rng.normal(0, 3.2, 10**6)).astype(np.int64)
    assert statistics(rounded, probabilities).chi_square < 1e-6
    with pytest.raises(ValueError, match="outside"):
        statistics(np.array([22]), probabilities)
