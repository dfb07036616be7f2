"""One set of iterations on real ciphertexts, with the secret key at hand to see what comes out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from time import perf_counter

import numpy as np

from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.packing.evaluator import make_evaluator, make_galois_keys
from workloads.pagerank.candidates import Candidate
from workloads.pagerank.graph import Floats
from workloads.pagerank.operator import RankService
from workloads.pagerank.plan import Values, rank_plan
from workloads.pagerank.reference import ExactIntegers, IntegerPageRank, PageRank
from workloads.protocol.encoding import make_encoding


@dataclass(frozen=True)
class Outcome:
    """What a set of iterations decrypts to.

    Attributes:
        exact: BFV: the integers are those of the reference; None in CKKS.
        error_l1: L1 distance of the ranks from the same iterations in real numbers.
        budget_bits: BFV: noise budget of the result; None in CKKS.
        moduli: plaintext moduli that were run on ciphertexts (1 in CKKS).
        time_s: seconds since the run began, key generation included.
    """

    exact: bool | None
    error_l1: float
    budget_bits: int | None
    moduli: int
    time_s: float


def run(
    candidate: Candidate, problem: PageRank, start: Floats, seed: int, moduli: int | None = None
) -> list[Outcome]:
    """Encrypt ``start``, iterate, and decrypt a copy after every iteration.

    Args:
        candidate: the parameters; all iterations of its schedule are run.
        problem: the graph.
        start: ranks, shape (nodes,).
        seed: of keys and encryption noise.
        moduli: plaintext moduli to run (BFV), all by default. They run one after the other, so
            that only one set of keys is in memory; the largest, which has the most noise, first.
    """
    he.seed(seed)
    begin = perf_counter()
    count = len(candidate.schedule)
    real = [problem.iterate(start, k) for k in range(1, count + 1)]
    if candidate.first.scheme == "ckks":
        return [
            Outcome(None, _distance(ranks, wanted), None, 1, perf_counter() - begin)
            for (ranks, _), wanted in zip(
                iterated(candidate, candidate.first, problem, start), real, strict=True
            )
        ]
    integers = IntegerPageRank(problem, candidate.rank_bits, candidate.weight_bits)
    quantized = integers.quantize(start)
    reference = [integers.iterate(quantized, k) for k in range(1, count + 1)]
    runs = []
    for part in candidate.parameters[:moduli]:
        runs.append(list(iterated(candidate, part, problem, quantized)))
        if runs[-1][-1][1] == 0:
            break  # the whole set is lost
    outcomes = []
    for k, (parts, wanted) in enumerate(zip(zip(*runs, strict=True), reference, strict=True)):
        primes = [part.batching_modulus for part in candidate.parameters[: len(runs)]]
        # With all moduli, their product is above the reference, so this is plain equality.
        joined = join([slots for slots, _ in parts], primes)
        exact = all(joined == wanted % prod(primes))
        error = _distance(integers.to_ranks(wanted, k + 1), real[k])
        budget = min(bits for _, bits in parts if bits is not None)
        time_s = perf_counter() - begin
        outcomes.append(Outcome(exact and budget > 0, error, budget, len(runs), time_s))
    return outcomes


def iterated(
    candidate: Candidate, parameters: ParameterSet, problem: PageRank, start: Values
) -> Iterator[tuple[Values, int | None]]:
    """Yield the decrypted vector and the noise budget after each iteration, new keys."""
    context = he.context(parameters)
    generator = seal.KeyGenerator(context)
    encryptor = seal.Encryptor(context, generator.create_public_key())
    decryptor = seal.Decryptor(context, generator.secret_key())
    encoding = make_encoding(parameters, context)
    evaluator = make_evaluator(parameters, context)
    count = len(candidate.schedule)
    plan = candidate.plan(problem.nodes, count)
    evaluator.set_keys(make_galois_keys(generator, plan.rotation_steps), None)
    service = RankService(
        plan, problem, parameters, candidate.rank_bits, candidate.weight_bits, candidate.schedule
    )
    operator = service.bind(evaluator)
    dtype = np.int64 if parameters.scheme == "bfv" else np.float64
    ranks = encryptor.encrypt(encoding.encode(plan.pack(start.astype(dtype))[0]))
    for k in range(1, count + 1):
        ranks = operator.iterate(ranks, k)
        result = operator.finish(ranks, k)
        slots = encoding.decode(decryptor.decrypt(result))
        values = rank_plan(parameters, problem.nodes, k).unpack([slots])
        yield values, encoding.budget_bits(decryptor, result)


def join(residues: Sequence[Values], moduli: Sequence[int]) -> ExactIntegers:
    """Return the integers in 0 ... product - 1 with these residues (Chinese remainder theorem)."""
    product = prod(moduli)
    joined = np.zeros(len(residues[0]), dtype=object)
    for values, modulus in zip(residues, moduli, strict=True):
        others = product // modulus
        joined += values.astype(object) * (others * pow(others, -1, modulus))
    return joined % product


def _distance(ranks: Floats, wanted: Floats) -> float:
    return float(np.abs(ranks - wanted).sum())
