"""Figure 4: lines, bars and counts are those of its tables."""

import itertools

import numpy as np
import pandas as pd
import pytest

from models.permutation_schema import WINDOWED_ROTATION, WINDOWED_ROTATION_TIMINGS
from models.stage import Job
from models.tables import write_table
from plots import fig4

BUDGETS = {
    ("A", "masking"): (85, 54, 26, 0),
    ("A", "redundancy"): (85, 83, 82, 82, 82, 81),
    ("B", "masking"): (47, 23, 0),
    ("B", "redundancy"): (47, 45, 45, 44, 44, 44),
}
COSTS = {"masking": (2, 2, 1, 2, 1), "redundancy": (1, 0, 0, 0, 0)}
OPERATIONS = ("rotations", "plain_multiplications", "additions", "ntts", "intts")


def of(name, method, window):
    return {"parameter_set": name, "method": method, "window_slots": window, "provenance": "SEAL"}


@pytest.fixture
def rotations():
    rows = [
        of(name, method, window)
        | {
            "poly_modulus_degree": 8192,
            "log2_t": 20.0,
            "coeff_modulus_bits": "58,58,59",
            "slots_per_value": 1.0 if method == "masking" else 1.9,
            "galois_keys": 2,
            "consecutive": n,
            "budget_bits": bits + (window == 64 and bits > 0),
            "predicted_bits": bits + 0.4,
        }
        | dict(zip(OPERATIONS, COSTS[method] if n else (0,) * 5, strict=True))
        for (name, method), budgets in BUDGETS.items()
        for window in (16, 64)
        for n, bits in enumerate(budgets)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def timings():
    rows = [
        of(name, method, window)
        | {"repetitions": 9, "time_s": 0.002 * (i + 1), "time_min_s": 0.001 * (i + 1)}
        for i, (name, method) in enumerate(BUDGETS)
        for window in (16, 64)
    ]
    return pd.DataFrame(rows)


def test_lines_are_the_smallest_budgets(rotations, timings):
    axes = fig4.figure(rotations, timings).axes[0]
    lines = [tuple(line.get_ydata()) for line in axes.lines if line.get_linestyle() == "-"]
    assert set(BUDGETS.values()) <= set(lines)
    crosses = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "x"]
    assert sorted(crosses) == [2, 3]


def test_survivors_are_counted_and_named(rotations, timings):
    counts = fig4.survived(rotations)
    assert counts.to_dict() == {
        ("A", "masking"): 2,
        ("A", "redundancy"): 5,
        ("B", "masking"): 1,
        ("B", "redundancy"): 5,
    }
    texts = {text.get_text() for text in fig4.figure(rotations, timings).axes[0].texts}
    assert texts == {"A: 2", "B: 1", "A: 5 or more", "B: 5 or more"}
    weaker = rotations["window_slots"].eq(16) & rotations["consecutive"].eq(2)
    rotations.loc[weaker & rotations["parameter_set"].eq("A"), "budget_bits"] = 0
    assert fig4.survived(rotations)["A", "masking"] == 1


def test_bars_are_operations_and_times(rotations, timings):
    _, operations, times = fig4.figure(rotations, timings).axes
    widths = sorted(bar.get_width() for group in operations.containers for bar in group)
    assert widths == sorted(itertools.chain(*COSTS.values()))
    heights = [bar.get_height() for group in times.containers for bar in group]
    np.testing.assert_allclose(sorted(heights), [2, 4, 6, 8])


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_files_repeat_byte_for_byte(rotations, timings, tmp_path, suffix):
    inputs = {"rotations": tmp_path / "rotations.csv", "timings": tmp_path / "timings.csv"}
    write_table(rotations, inputs["rotations"], WINDOWED_ROTATION)
    write_table(timings, inputs["timings"], WINDOWED_ROTATION_TIMINGS)
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        fig4.stage(Job(fig4.Settings(), inputs, {suffix: file}))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size > 1000
