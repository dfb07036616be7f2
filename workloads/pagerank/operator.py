"""PageRank iterations on a ciphertext, at the server: the matrix in the clear, the ranks not."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from models.parameters import ParameterSet
from workloads.packing.evaluator import CkksEvaluator, CountingEvaluator, Evaluator
from workloads.pagerank.plan import RankPlan
from workloads.pagerank.reference import IntegerPageRank, PageRank
from workloads.pagerank.schedule import Schedule


@dataclass(frozen=True, eq=False)
class RankService:
    """What the server binds: the public plan and its graph.

    Attributes:
        plan: geometry of a set of iterations.
        problem: the graph, as the real-valued problem.
        parameters: HE parameters.
        rank_bits, weight_bits: fixed point of ranks (CKKS: log2 of their scale) and of d P.
        schedule: primes to keep after each iteration.
    """

    plan: RankPlan
    problem: PageRank
    parameters: ParameterSet
    rank_bits: int
    weight_bits: int
    schedule: Schedule

    def bind(self, evaluator: Any) -> "RankOperator":
        """Return the operator for the scheme of the parameters."""
        made = BfvRanks if self.parameters.scheme == "bfv" else CkksRanks
        return made(self, evaluator)


class RankOperator:
    """A set of iterations. Plaintexts are encoded when first used, and kept."""

    def __init__(self, service: RankService, evaluator: Any) -> None:
        self._service = service
        self._plan = service.plan
        self._run: Evaluator = evaluator
        self._encoded: dict[Hashable, Any] = {}

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Run all iterations of the plan."""
        (ranks,) = inputs
        for iteration in range(1, self._plan.iterations + 1):
            ranks = self.iterate(ranks, iteration)
        return [self.finish(ranks, self._plan.iterations)]

    def iterate(self, ranks: Any, iteration: int) -> Any:
        """Run one iteration, the first of a set being 1."""
        raise NotImplementedError

    def finish(self, ranks: Any, iterations: int) -> Any:
        """Drop the primes that decryption does not need after this many iterations."""
        left = self._service.schedule.download[iterations - 1]
        return self._run.switch_modulus(ranks, left)

    def _folded(self, product: Any, sparse: bool) -> Any:
        for step in self._plan.fold_steps(sparse):
            product = self._run.add(product, self._run.rotate(product, step))
        return product

    def _rotations(self, ranks: Any) -> list[Any]:
        rotated = [ranks]
        for _ in range(self._plan.elements - 1):
            rotated.append(self._run.rotate(rotated[-1], 1))
        return rotated

    def _kept(self, key: Hashable, encode: Callable[[], Any]) -> Any:
        if key not in self._encoded:
            self._encoded[key] = encode()
        return self._encoded[key]


class BfvRanks(RankOperator):
    """In exact integers modulo t; see ``IntegerPageRank``."""

    _run: CountingEvaluator

    def __init__(self, service: RankService, evaluator: CountingEvaluator) -> None:
        super().__init__(service, evaluator)
        self._integers = IntegerPageRank(service.problem, service.rank_bits, service.weight_bits)
        self._t = service.parameters.batching_modulus

    def iterate(self, ranks: Any, iteration: int) -> Any:
        """Multiply, sum up, add the teleport; then drop primes that noise has overtaken."""
        run, sparse = self._run, iteration % 2 == 0
        left = ranks.coeff_modulus_size()
        weights = self._kept(("weights", sparse, left), lambda: self._weights(ranks, sparse))
        total = None
        for rotated, plain in zip(self._rotations(ranks), weights, strict=True):
            if plain is not None:
                total = run.accumulate(total, run.multiply_plain(run.to_ntt(rotated), plain))
        product = self._folded(run.from_ntt(total), sparse)
        moved = self._kept(("teleport", iteration), lambda: self._teleport(iteration))
        left = self._service.schedule.after[iteration - 1]
        return run.switch_modulus(run.add_plain(product, moved), left)

    def _weights(self, like: Any, sparse: bool) -> list[Any]:
        matrix = self._integers.weights.astype(np.int64)
        diagonals = self._plan.diagonals(matrix, sparse)
        return [self._run.encode_ntt(slots, like) for slots in diagonals]

    def _teleport(self, iteration: int) -> Any:
        value = self._integers.teleport(iteration) % self._t
        centered = value - self._t if 2 * value > self._t else value
        values = np.full(self._plan.nodes, centered, dtype=np.int64)
        return self._run.encode(self._plan.vector(values, sparse=iteration % 2 == 1))


class CkksRanks(RankOperator):
    """In CKKS fixed point: scales multiply up until the schedule rescales."""

    _run: CkksEvaluator

    def iterate(self, ranks: Any, iteration: int) -> Any:
        """Multiply, sum up, add the teleport; then rescale as scheduled."""
        run, sparse = self._run, iteration % 2 == 0
        left = ranks.coeff_modulus_size()
        weights = self._kept(("weights", sparse, left), lambda: self._weights(ranks, sparse))
        total = None
        for rotated, plain in zip(self._rotations(ranks), weights, strict=True):
            if plain is not None:
                total = run.accumulate(total, run.multiply_plain(rotated, plain))
        product = self._folded(total, sparse)
        moved = self._kept(("teleport", iteration), lambda: self._teleport(product, iteration))
        ranks = run.add_plain(product, moved)
        while ranks.coeff_modulus_size() > self._service.schedule.after[iteration - 1]:
            ranks = run.rescale(ranks)
        return ranks

    def _weights(self, like: Any, sparse: bool) -> list[Any]:
        diagonals = self._plan.diagonals(self._service.problem.weights, sparse)
        scale = 2.0**self._service.weight_bits
        return [self._run.encode(d, like, scale) if d.any() else None for d in diagonals]

    def _teleport(self, like: Any, iteration: int) -> Any:
        values = np.full(self._plan.nodes, self._service.problem.teleport)
        return self._run.encode(self._plan.vector(values, sparse=iteration % 2 == 1), like)
