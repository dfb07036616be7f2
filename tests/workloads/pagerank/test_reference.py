"""PageRank in the clear against networkx, and exact integers against real numbers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ChocoError
from workloads.pagerank.encrypted_set import join
from workloads.pagerank.graph import Graph, synthetic
from workloads.pagerank.reference import IntegerPageRank, PageRank


@st.composite
def graphs(draw):
    nodes = draw(st.integers(2, 12))
    node = st.integers(0, nodes - 1)
    return Graph(nodes, frozenset(draw(st.sets(st.tuples(node, node), max_size=30))))


def networkx_ranks(graph, damping):
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.nodes))
    made.add_edges_from(graph.edges)
    ranks = nx.pagerank(made, alpha=damping, tol=1e-12, max_iter=2000)
    return np.array([ranks[node] for node in range(graph.nodes)])


@settings(max_examples=40, deadline=None)
@given(graphs(), st.sampled_from([0.5, 0.85, 0.95]))
def test_converged_ranks_are_those_of_networkx(graph, damping):
    problem = PageRank(graph.transition(), damping)
    ranks = problem.iterate(problem.start(), 1500)
    assert ranks == pytest.approx(networkx_ranks(graph, damping), abs=1e-9)


def test_dangling_nodes_link_everywhere():
    graph = Graph(3, frozenset({(0, 1)}))
    assert graph.dangling == [1, 2]
    assert graph.transition()[:, 1:] == pytest.approx(1 / 3)
    assert graph.transition().sum(axis=0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph(1, frozenset()), "1 nodes; PageRank needs at least 2"),
        (lambda: Graph(3, frozenset({(0, 3)})), "edge 0 -> 3 leaves the nodes 0 to 2"),
        (lambda: Graph(3, frozenset({(-1, 0)})), "edge -1 -> 0"),
        (lambda: synthetic(4, 3, 0), "mean_out_degree: 3 is not allowed with 4 nodes; use 1 to 2"),
    ],
)
def test_bad_graphs_are_refused(make, message):
    with pytest.raises(ChocoError, match=message):
        make()


def test_synthetic_graphs_repeat_and_have_popular_nodes():
    graph = synthetic(64, 4, seed=1)
    assert graph == synthetic(64, 4, seed=1) != synthetic(64, 4, seed=2)
    assert not graph.dangling
    links = np.bincount([target for _, target in graph.edges], minlength=64)
    assert links.max() > 3 * links.mean()


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_integers_stand_for_the_ranks_and_stay_below_their_bound(graph, iterations, seed):
    problem = PageRank(graph.transition(), 0.85)
    integers = IntegerPageRank(problem, rank_bits=20, weight_bits=20)
    ranks = np.random.default_rng(seed).dirichlet(np.ones(graph.nodes))
    results = integers.iterate(integers.quantize(ranks), iterations)
    assert integers.to_ranks(results, iterations) == pytest.approx(
        problem.iterate(ranks, iterations), abs=1e-4
    )
    assert 0 <= min(results) <= max(results) <= integers.largest(iterations)


def test_the_bound_is_reached_by_all_rank_on_one_node():
    problem = PageRank(synthetic(16, 3, seed=3).transition(), 0.85)
    integers = IntegerPageRank(problem, rank_bits=10, weight_bits=8)
    for iterations in (1, 2, 5):
        corners = np.eye(16)
        reached = max(max(integers.iterate(integers.quantize(c), iterations)) for c in corners)
        # the bound allows for n / 2 units of rounding in 2^rank_bits
        assert 1 <= integers.largest(iterations) / reached <= 1 + 8 / 2**10


def test_errors_of_consecutive_sets_stay_below_the_tolerance():
    """The allowance of a set is built so that they add up to the tolerance at most."""
    problem = PageRank(synthetic(16, 3, seed=3).transition(), 0.85)
    for size in (1, 2, 7):
        error = 0.0
        for _ in range(200):
            error = 0.85**size * error + problem.allowed_error(size, 0.05)
            assert error <= 0.05 + 1e-12


@given(st.integers(0, 65537 * 114689 * 147457 - 1))
def test_residues_join_to_the_integer(value):
    moduli = [65537, 114689, 147457]
    residues = [np.array([value % t - t if value % 2 else value % t]) for t in moduli]
    assert join(residues, moduli)[0] == value
