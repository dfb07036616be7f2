"""Noise budget experiments: repeatable, independent, and checked by decryption."""

import numpy as np
import pytest

from models.errors import ChocoError
from models.noise_schema import BUDGETS, STATES
from models.parameters import ParameterSet
from models.stage import Job
from models.tables import read_table
from workloads import noise_budget

B = ParameterSet(
    scheme="bfv", poly_modulus_degree=4096, plain_modulus_bits=18, coeff_modulus_bits=(36, 36, 37)
)


def run(path, **settings):
    noise_budget.stage(Job(noise_budget.Settings(**settings), {}, {"budgets": path}))
    return path


def test_two_runs_write_the_same_bytes_and_another_seed_does_not(tmp_path):
    first = run(tmp_path / "a.csv", rows=[B], seeds=3)
    assert first.read_bytes() == run(tmp_path / "b.csv", rows=[B], seeds=3).read_bytes()
    chosen = B
    seeds = {noise_budget.experiment_seed(base, chosen, t) for base in (1, 2) for t in range(3)}
    assert len(seeds) == 6


def test_a_row_does_not_depend_on_the_others(tmp_path):
    other = ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, plain_modulus_bits=14, coeff_modulus_bits=(27, 27)
    )
    alone = read_table(run(tmp_path / "a.csv", rows=[B], seeds=2), BUDGETS)
    beside = read_table(run(tmp_path / "b.csv", rows=[other, B], seeds=2), BUDGETS)
    of_b = beside[beside["poly_modulus_degree"] == 4096].reset_index(drop=True)
    assert alone.equals(of_b)
    assert list(alone["state"]) == [*STATES] * 2


def test_permutations_are_those_of_the_paper():
    """A windowed rotation wraps inside its window; a rotation wraps in each row."""
    values = np.arange(64, dtype=np.uint64)
    window, shift = noise_budget.WINDOW, noise_budget.SHIFT
    permuted = noise_budget.rotate_window(values)
    assert sorted(permuted[:window]) == list(range(window))
    assert not permuted[window:].any()
    rotated = noise_budget.rotate_rows(values, shift)
    assert np.array_equal(permuted[: window - shift], rotated[: window - shift])
    assert np.array_equal(rotated[32:], np.roll(values[32:], -shift))


def test_a_wrong_result_is_an_error(monkeypatch):
    monkeypatch.setattr(noise_budget, "rotate_window", np.flip)
    with pytest.raises(ChocoError, match="decrypts wrongly"):
        noise_budget.measure(B, 1)


def test_an_exhausted_budget_is_reported_as_zero():
    small = ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, plain_modulus_bits=20, coeff_modulus_bits=(27, 27)
    )
    measured = noise_budget.measure(small, 1)
    assert measured["post_permute"] == 0
