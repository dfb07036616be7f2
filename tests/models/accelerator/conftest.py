from pathlib import Path

import numpy as np
import pytest

from models.accelerator.costs import CostSettings, load_recorded_costs
from models.accelerator.points import HePoints, design_points
from models.accelerator.space import Sweep
from models.config.platform import Accelerator

RECORDED = Path(__file__).parents[3] / "results/recorded"
SWEEPS = Path(__file__).parents[3] / "config/sweeps"


@pytest.fixture(scope="session")
def costs():
    return load_recorded_costs(RECORDED, CostSettings())


@pytest.fixture(scope="session")
def technology(costs):
    return costs.technology


@pytest.fixture
def set_a():
    return HePoints(np.asarray(8192), np.asarray(3))


@pytest.fixture
def point():
    return lambda **changes: design_points(Accelerator(**changes))


@pytest.fixture
def sweep():
    """A small space with a clock that only part of it can run at."""
    return Sweep(
        description="small",
        parameters={"poly_modulus_degree": 4096, "coeff_modulus_bits": (36, 36, 37)},
        axes={
            "ntt_butterflies": (1, 4),
            "intt_butterflies": (2, 8, 4),
            "adders": (1, 2),
            "stream_buffer_bytes": (0, 1024),
            "clock_hz": (5e7, 1e8, 3e9),
        },
    )
