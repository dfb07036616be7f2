"""Encrypted iterations on SEAL, both schemes: geometry of any size, exactness, refused input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.pagerank.candidates import Candidate
from workloads.pagerank.encrypted_set import run
from workloads.pagerank.graph import Graph, synthetic
from workloads.pagerank.plan import RankPlan
from workloads.pagerank.reference import PageRank
from workloads.pagerank.schedule import bfv_schedule, ckks_schedule

CHAIN = {"poly_modulus_degree": 8192, "coeff_modulus_bits": (54, 54, 55, 55)}


def candidate(scheme, nodes, iterations):
    if scheme == "bfv":
        parameters = ParameterSet(scheme="bfv", plain_modulus_bits=30, **CHAIN)
        schedule = bfv_schedule(parameters, nodes, iterations)
        return Candidate((parameters,), 10, 6, schedule)
    parameters = ParameterSet(scheme="ckks", scale_bits=36, **CHAIN)
    return Candidate((parameters,), 36, 20, ckks_schedule(parameters, 20, iterations))


@pytest.mark.parametrize("scheme", ["bfv", "ckks"])
@pytest.mark.parametrize("nodes", [2, 5, 32, 100])
def test_iterations_decrypt_to_the_reference(scheme, nodes):
    """Dense and sparse layouts, padding, and several elements a block (from 64 nodes on)."""
    problem = PageRank(synthetic(nodes, 1, seed=nodes).transition(), 0.85)
    start = np.random.default_rng(nodes).dirichlet(np.ones(nodes))
    outcomes = run(candidate(scheme, nodes, 3), problem, start, seed=5)
    assert len(outcomes) == 3
    for outcome in outcomes:
        if scheme == "bfv":
            assert outcome.exact
            assert outcome.budget_bits > 0
        else:
            assert outcome.error_l1 < 1e-2


def test_dangling_nodes_run_encrypted_too():
    graph = Graph(6, frozenset({(0, 1), (1, 2)}))
    assert graph.dangling == [2, 3, 4, 5]
    problem = PageRank(graph.transition(), 0.85)
    (outcome,) = run(candidate("bfv", 6, 1), problem, problem.start(), seed=1)
    assert outcome.exact


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 512), st.sampled_from([1024, 2048, 16384]), st.booleans())
def test_the_layouts_alternate_in_the_clear(nodes, row_size, sparse_first):
    """One product on slots, rotations by ``np.roll``, lands every element in the other layout."""
    plan = RankPlan("ckks", nodes, row_size, 1)
    random = np.random.default_rng(nodes)
    matrix, vector = random.normal(size=(nodes, nodes)), random.normal(size=nodes)
    slots = plan.vector(vector, sparse_first)
    if sparse_first:  # what a product leaves beside the valid slots must not matter
        garbage = np.tile(
            np.arange(plan.width) >= plan.size + plan.elements, row_size // plan.width
        )
        slots = np.where(garbage, 1e3, slots)
    diagonals = plan.diagonals(matrix, sparse_first)
    product = sum(np.roll(slots, -k) * weights for k, weights in enumerate(diagonals))
    for step in plan.fold_steps(sparse_first):
        product = product + np.roll(product, -step)
    wanted = plan.vector(matrix @ vector, not sparse_first)
    valid = np.tile(
        np.arange(plan.width) < (plan.width if sparse_first else plan.size + plan.elements),
        row_size // plan.width,
    )
    assert product[valid] == pytest.approx(wanted[valid], abs=1e-6)
    collected = RankPlan("ckks", nodes, row_size, 2 if sparse_first else 1).unpack([product])
    assert collected == pytest.approx(matrix @ vector, abs=1e-6)


def test_graphs_that_do_not_fit_and_wrong_shapes_are_refused():
    with pytest.raises(ChocoError, match="1025 nodes do not fit N = 4096; at most 1024"):
        RankPlan("bfv", 1025, 2048, 1)
    with pytest.raises(ChocoError, match=r"ranks of shape \(5,\) are not \(4,\)"):
        RankPlan("bfv", 4, 2048, 1).pack(np.zeros(5))
