"""Directed graphs and their transition matrices, in the clear at the server."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Graph:
    """A directed graph on nodes 0 ... nodes - 1; parallel edges count once.

    Raises:
        ChocoError: fewer than two nodes, or an edge to a node that does not exist.
    """

    nodes: int
    edges: frozenset[tuple[int, int]]

    def __post_init__(self) -> None:
        if self.nodes < 2:
            raise ChocoError(f"graph: {self.nodes} nodes; PageRank needs at least 2")
        for edge in sorted(self.edges):
            if not all(0 <= node < self.nodes for node in edge):
                raise ChocoError(
                    f"graph: edge {edge[0]} -> {edge[1]} leaves the nodes 0 to {self.nodes - 1}"
                )

    @property
    def dangling(self) -> list[int]:
        """Nodes without an outgoing edge."""
        return sorted(set(range(self.nodes)) - {source for source, _ in self.edges})

    def transition(self) -> Floats:
        """Return the (nodes, nodes) matrix P, column j spread over the successors of node j.

        A dangling node is taken to link to every node, itself included, as in Page and Brin's
        random surfer and in ``networkx.pagerank``. Every column sums to 1.
        """
        matrix = np.zeros((self.nodes, self.nodes))
        for source, target in self.edges:
            matrix[target, source] = 1.0
        matrix[:, self.dangling] = 1.0
        columns: Floats = matrix / matrix.sum(axis=0)
        return columns


def synthetic(nodes: int, mean_out_degree: int, seed: int) -> Graph:
    """Draw a graph with few popular nodes, as link graphs have (preferential attachment).

    Each node links to 1 ... 2 mean_out_degree - 1 others, chosen with probability proportional to
    one plus the links that they have so far.

    Raises:
        ChocoError: nodes cannot have that many successors.
    """
    if not 1 <= 2 * mean_out_degree - 1 < nodes:
        raise ChocoError(
            f"mean_out_degree: {mean_out_degree} is not allowed with {nodes} nodes; "
            f"use 1 to {nodes // 2}"
        )
    random = np.random.default_rng(seed)
    popularity = np.ones(nodes)
    edges = set()
    for source in range(nodes):
        weight = popularity.copy()
        weight[source] = 0.0
        count = int(random.integers(1, 2 * mean_out_degree))
        targets = random.choice(nodes, size=count, replace=False, p=weight / weight.sum())
        popularity[targets] += 1
        edges |= {(source, int(target)) for target in targets}
    return Graph(nodes, frozenset(edges))
