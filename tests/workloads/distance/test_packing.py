"""Packings against NumPy: the kernels run on plain vectors, so that many shapes are quick."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ChocoError
from workloads.distance.algorithms import squared_distances
from workloads.distance.kernels import DimensionMajorKernel, PointMajorKernel
from workloads.distance.packing import PACKINGS, PointMajorPlan


class PlainEvaluator:
    """The evaluator's operations on vectors in the clear; notes rotations."""

    def __init__(self) -> None:
        self.steps: set[int] = set()

    def encode(self, values, like=None, scale=None):
        return np.asarray(values, dtype=float)

    def subtract_plain(self, ciphertext, plain):
        return SimpleVector(ciphertext.slots - plain)

    def square(self, ciphertext):
        return SimpleVector(ciphertext.slots**2)

    def relinearize(self, ciphertext):
        return ciphertext

    def multiply_plain(self, ciphertext, plain):
        return SimpleVector(ciphertext.slots * plain)

    def rotate(self, ciphertext, step):
        self.steps.add(step % len(ciphertext.slots))
        return SimpleVector(np.roll(ciphertext.slots, -step))

    def add(self, left, right):
        return SimpleVector(left.slots + right.slots)

    def accumulate(self, total, term):
        return term if total is None else self.add(total, term)


class SimpleVector(SimpleNamespace):
    """A ciphertext in the clear, always at its last level."""

    def __init__(self, slots) -> None:
        super().__init__(slots=slots)

    def coeff_modulus_size(self):
        return 1


def compute(plan, queries, points):
    """Return unpacked distances, all result slots, and the rotations that were needed."""
    run = PlainEvaluator()
    kernel = PointMajorKernel if isinstance(plan, PointMajorPlan) else DimensionMajorKernel
    inputs = plan.pack(queries)
    assert len(inputs) == plan.input_ciphertexts
    assert all(slots.shape == (plan.row_size,) for slots in inputs)
    outputs = kernel(plan, run, points, 30).apply([SimpleVector(slots) for slots in inputs])
    assert len(outputs) == plan.output_ciphertexts
    slots = [output.slots for output in outputs]
    return plan.unpack(slots), np.stack(slots), run.steps


@pytest.mark.parametrize("packing", PACKINGS)
@settings(max_examples=40, deadline=None)
@given(
    row_bits=st.integers(3, 6),
    queries=st.integers(1, 9),
    points=st.integers(1, 100),
    dimensions=st.integers(1, 64),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_shape_that_fits_gives_the_distances(
    packing, row_bits, queries, points, dimensions, seed
):
    row_size = 1 << row_bits
    dimensions = min(dimensions, row_size)
    random = np.random.default_rng(seed)
    q, p = random.random((queries, dimensions)), random.random((points, dimensions))
    plan = PACKINGS[packing]("kernel", row_size, queries, points, dimensions)
    found, slots, steps = compute(plan, q, p)
    np.testing.assert_allclose(found, squared_distances(q, p), atol=1e-12)
    assert steps == plan.rotation_steps  # a key for each rotation, and no key unused
    assert np.abs(slots).max() <= plan.largest  # what the scale has room for


@settings(deadline=None)
@given(points=st.integers(1, 5000), dimensions=st.integers(1, 4096))
def test_collapsed_needs_the_fewest_ciphertexts(points, dimensions):
    plans = {name: plan("kernel", 4096, 1, points, dimensions) for name, plan in PACKINGS.items()}
    sent = {n: (p.input_ciphertexts, p.output_ciphertexts) for n, p in plans.items()}
    collapsed = sent["collapsed_point_major"]
    assert all(collapsed[0] <= up and collapsed[1] <= down for up, down in sent.values())


def test_point_major_trades_utilization_and_dimension_major_the_other_way():
    plans = {n: plan("kernel", 4096, 1, 300, 40) for n, plan in PACKINGS.items()}
    sent = {n: (p.input_ciphertexts, p.output_ciphertexts) for n, p in plans.items()}
    assert sent["point_major"] == (1, 300)
    assert sent["dimension_major"] == (40, 1)
    assert sent["stacked_point_major"] == (1, 5)  # 64 points of 64 slots each
    assert sent["stacked_dimension_major"] == (5, 1)  # 8 dimensions of 512 slots each
    assert sent["collapsed_point_major"] == (1, 1)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((1, 10, 4097), "4097 dimensions need 8192 slots; a ciphertext has 4096 at N = 8192"),
        ((0, 10, 2), "queries = 0; at least 1"),
        ((1, 0, 2), "points = 0; at least 1"),
        ((1, 10, 0), "dimensions = 0; at least 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(packing, shape, message):
    with pytest.raises(ChocoError, match=f"^kernel: {message}$"):
        PACKINGS[packing]("kernel", 4096, *shape)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (np.zeros((2, 3)), r"queries of shape \(2, 3\); expected \(1, 3\)"),
        (np.zeros(3), r"queries of shape \(3,\); expected \(1, 3\)"),
        (np.array([[0, 0.5, 1.5]]), "queries hold values from 0 to 1.5; scale them to 0..1"),
        (np.array([[0, np.nan, 1]]), "queries hold values from nan to nan; scale them"),
    ],
)
def test_values_that_do_not_fit_are_refused(packing, queries, message):
    plan = PACKINGS[packing]("kernel", 64, 1, 10, 3)
    with pytest.raises(ChocoError, match=message):
        plan.pack(queries)
    with pytest.raises(ChocoError, match="points of shape"):
        list(plan.pack_points(np.zeros((9, 3))))


def test_descriptions_tell_plans_apart():
    described = [plan("kernel", 64, 1, 10, 3).describe() for plan in PACKINGS.values()]
    assert [entry["kind"] for entry in described] == list(PACKINGS)
