"""Many samples out of the RTL, and tests that they are of the intended distribution."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare, norm

from rtl.tb.harness import build_harness

LOG_N = 15
BLOCK_BYTES = 64


@dataclass(frozen=True)
class Recording:
    """What the RTL made: samples in order, the random blocks it used, and the cycles it took."""

    samples: NDArray[np.int64]
    blocks: NDArray[np.uint8]
    cycles: int


@dataclass(frozen=True)
class Statistics:
    """p-values of a sample against a distribution: two-sided, small where they disagree."""

    mean: float
    variance: float
    neighbours: float
    chi_square: float


def record(
    seed: bytes, nonce: int, requests: int, directory: Path, *, error: bool, clipped: bool
) -> Recording:
    """Run taco_sampler for ``requests`` times 2^15 samples."""
    parameters = {"Lanes": 8, "ClippedNormal": int(clipped)}
    harness = build_harness("taco_sampler", "sample_harness.cpp", parameters, ("--public-flat-rw",))
    files = [directory / "samples", directory / "blocks"]
    arguments = [LOG_N, requests, int(error), seed.hex(), nonce, *files]
    run = subprocess.run(
        [harness, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    samples = np.fromfile(files[0], dtype=np.int8).astype(np.int64)
    blocks = np.fromfile(files[1], dtype=np.uint8).reshape(-1, BLOCK_BYTES)
    return Recording(samples, blocks, int(run.stdout))


def statistics(samples: NDArray[np.int64], probabilities: dict[int, float]) -> Statistics:
    """Test mean, variance, correlation of neighbours and frequencies against a distribution.

    The distribution's mean must be zero. Values expected fewer than five times are one class of
    the chi-square test.

    Raises:
        ValueError: a sample has a value that the distribution does not have.
    """
    count = len(samples)
    values = np.array(list(probabilities), dtype=np.float64)
    weights = np.array(list(probabilities.values()))
    variance = float(weights @ values**2)
    fourth = float(weights @ values**4)

    observed = np.array([np.count_nonzero(samples == value) for value in values])
    if observed.sum() != count:
        raise ValueError("a sample is outside the distribution")
    expected = weights * count
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    frequencies = chisquare(observed[kept], expected[kept] * (count / expected.sum()))

    def two_sided(deviation: float) -> float:
        return float(2 * norm.sf(abs(deviation)))

    products = float(samples[:-1] @ samples[1:])
    return Statistics(
        mean=two_sided(samples.mean() / np.sqrt(variance / count)),
        variance=two_sided((samples.var() - variance) / np.sqrt((fourth - variance**2) / count)),
        neighbours=two_sided(products / (np.sqrt(count - 1) * variance)),
        chi_square=float(frequencies.pvalue),
    )
