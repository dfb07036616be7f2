"""PageRank in the clear: real numbers, and the exact integers that BFV must reproduce.

One iteration is r' = d P r + (1 - d) / n, with P of ``Graph.transition`` and ranks that sum to 1.

Fixed point. Ranks have ``rank_bits`` fractional bits when they are encrypted, the matrix d P has
``weight_bits``, and nothing is rounded in between, so after k iterations a result has
rank_bits + k weight_bits fractional bits:

    x_k = W x_{k-1} + c_k,  W = round(2^weight_bits d P),  c_k = round(2^(...) (1 - d) / n).

Error. One iteration multiplies an L1 error by at most d. If a set of s iterations adds at most
tolerance (1 - d^s), the total stays below the tolerance however many sets follow each other, so
this is what a set of any scheme is allowed.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from workloads.pagerank.graph import Floats

ExactIntegers = Any
"""Arrays of Python integers (dtype object): they outgrow 64 bits."""


@dataclass(frozen=True, eq=False)
class PageRank:
    """The problem: transition matrix (nodes, nodes) and damping factor d in (0, 1)."""

    transition: Floats
    damping: float

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.transition)

    @property
    def weights(self) -> Floats:
        """The matrix d P."""
        return self.damping * self.transition

    @property
    def teleport(self) -> float:
        """What every node gets in each iteration, (1 - d) / n."""
        return (1 - self.damping) / self.nodes

    def start(self) -> Floats:
        """Return the uniform ranks that every computation starts from."""
        return np.full(self.nodes, 1 / self.nodes)

    def iterate(self, ranks: Floats, iterations: int) -> Floats:
        """Return the ranks after some more iterations."""
        for _ in range(iterations):
            ranks = self.weights @ ranks + self.teleport
        return ranks

    def allowed_error(self, iterations: int, tolerance: float) -> float:
        """Return the L1 error that a set of this many iterations may add."""
        return float(tolerance * (1 - self.damping**iterations))


@dataclass(frozen=True, eq=False)
class IntegerPageRank:
    """PageRank in exact fixed-point integers."""

    problem: PageRank
    rank_bits: int
    weight_bits: int
    _largest: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def weights(self) -> ExactIntegers:
        """W, shape (nodes, nodes)."""
        scaled = np.rint(self.problem.weights * 2.0**self.weight_bits)
        return scaled.astype(np.int64).astype(object)

    def fraction_bits(self, iterations: int) -> int:
        """Return the fractional bits of a result."""
        return self.rank_bits + iterations * self.weight_bits

    def teleport(self, iteration: int) -> int:
        """Return c_k for k = ``iteration`` (1, 2, ...)."""
        one: int = 2 ** self.fraction_bits(iteration)
        return round(Fraction(self.problem.teleport) * one)

    def quantize(self, ranks: Floats) -> ExactIntegers:
        """Round ranks to what the client encrypts."""
        return np.rint(ranks * 2.0**self.rank_bits).astype(np.int64).astype(object)

    def iterate(self, quantized: ExactIntegers, iterations: int) -> ExactIntegers:
        """Return x_s for s = ``iterations``."""
        for iteration in range(1, iterations + 1):
            quantized = self.weights @ quantized + self.teleport(iteration)
        return quantized

    def to_ranks(self, integers: ExactIntegers, iterations: int) -> Floats:
        """Return what integers after some iterations stand for."""
        one = 2 ** self.fraction_bits(iterations)
        return np.array([int(value) / one for value in integers])

    def largest(self, iterations: int) -> int:
        """Return a bound of x_s for every input whose ranks sum to 1: t must exceed it.

        x_s is affine in x_0, whose integers sum to at most 2^rank_bits + n / 2 after rounding; a
        linear function on that simplex is largest in a corner.
        """
        if iterations in self._largest:
            return self._largest[iterations]
        zero = np.full(self.problem.nodes, 0, dtype=object)
        mass = 2**self.rank_bits + self.problem.nodes // 2
        power = np.eye(self.problem.nodes, dtype=np.int64).astype(object)
        for _ in range(iterations):
            power = self.weights @ power
        bound = int(max(power.max(axis=1) * mass + self.iterate(zero, iterations)))
        return self._largest.setdefault(iterations, bound)
