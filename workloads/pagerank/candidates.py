"""Parameter sets that a set of iterations might use, by scheme and size."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import islice
from math import log2, prod

from gmpy2 import iroot

from models.errors import ChocoError
from models.parameters import (
    MAX_COEFF_MODULUS_BITS,
    MAX_PRIME_BITS,
    POLY_MODULUS_DEGREES,
    ModulusChain,
    ParameterSet,
    SecurityBits,
    is_batching_modulus,
    ntt_primes,
)
from workloads.pagerank.plan import RankPlan, rank_plan
from workloads.pagerank.reference import IntegerPageRank
from workloads.pagerank.schedule import HEADROOM_BITS, Schedule, bfv_schedule, ckks_schedule

MAX_KEY_RESIDUES = 18
"""Evaluation keys grow with k^2: at N = 32768, this many primes make 1.8 GB of them, and twice as
many, which hold 3 % more data bits, 7 GB."""

_LEAST_MODULUS_BITS = 14
"""No prime below this size can batch at N >= 2048 (12289 can, at 2048)."""


@dataclass(frozen=True)
class Candidate:
    """Parameters for sets of up to ``len(schedule)`` iterations, to be tried.

    Attributes:
        parameters: one parameter set; in BFV one for each plaintext modulus. Several moduli are
            several ciphertexts, whose results the client joins (Chinese remainder theorem).
        rank_bits, weight_bits: fixed point.
        schedule: primes kept; how many iterations fit.
    """

    parameters: tuple[ParameterSet, ...]
    rank_bits: int
    weight_bits: int
    schedule: Schedule

    @property
    def first(self) -> ParameterSet:
        """The parameter set with the largest plaintext modulus, so the most noise."""
        return self.parameters[0]

    def plan(self, nodes: int, iterations: int) -> RankPlan:
        """Return the geometry of a set, the same for all moduli."""
        return rank_plan(self.first, nodes, iterations)

    @property
    def upload_bytes(self) -> int:
        """Ciphertext bytes that start a set."""
        return len(self.parameters) * self.first.ciphertext_bytes()

    def download_bytes(self, iterations: int) -> int:
        """Ciphertext bytes of the result of a set."""
        residues = self.schedule.download[iterations - 1]
        return len(self.parameters) * self.first.ciphertext_bytes(residues)

    def set_bytes(self, iterations: int) -> int:
        """Ciphertext bytes of a set, both ways."""
        return self.upload_bytes + self.download_bytes(iterations)

    def key_bytes(self, nodes: int, iterations: int) -> int:
        """Bytes of the Galois keys, sent once; as many sets of keys as moduli."""
        rotations = len(self.plan(nodes, iterations).rotation_steps)
        return len(self.parameters) * rotations * self.first.key_switching_key_bytes

    @property
    def hardware_compatible(self) -> bool:
        """Whether CHOCO-TACO supports it: N <= 8192 and k <= 3 (Section 5.6)."""
        return self.first.poly_modulus_degree <= 8192 and self.first.key_residues <= 3


def chains(
    max_poly_modulus_degree: int, security_bits: SecurityBits, nodes: int
) -> list[ModulusChain]:
    """List the chains worth a try, smallest ciphertext first.

    For each N and number of primes, the chain takes all bits that security allows, as evenly as
    possible and the key prime largest. A chain is listed if no chain of at most its ciphertext size
    has as many data bits.

    Raises:
        ChocoError: the graph fits no N.
    """
    every = []
    for n in POLY_MODULUS_DEGREES:
        if n > max_poly_modulus_degree or not _fits(nodes, n):
            continue
        every += list(_chains_of(n, security_bits))
    if not every:
        raise ChocoError(f"pagerank: {nodes} nodes fit no N up to {max_poly_modulus_degree}")
    every.sort(key=lambda chain: (chain.ciphertext_bytes(), -chain.log2_data_q))
    listed: list[ModulusChain] = []
    for chain in every:
        if not listed or chain.log2_data_q > listed[-1].log2_data_q:
            listed.append(chain)
    return listed


def bfv_candidates(
    listed: list[ModulusChain], integers: IntegerPageRank, iterations: int
) -> Iterator[Candidate]:
    """Yield the candidates for a set, least bytes first, whatever is predicted of their noise.

    Candidates differ in the chain and in the number of plaintext moduli, which are as small as the
    results allow. Left out is what cannot be: an iteration costs more than log2 t bits of budget.
    """
    largest = integers.largest(iterations)
    options = [
        (count * (chain.ciphertext_bytes() + chain.ciphertext_bytes(1)), index, moduli)
        for index, chain in enumerate(listed)
        for count in range(1, 1 + largest.bit_length() // _LEAST_MODULUS_BITS)
        if (moduli := _moduli(chain.poly_modulus_degree, largest, count))
        and (iterations + 1) * log2(min(moduli)) < chain.log2_data_q
        and not set(moduli) & set(chain.coeff_modulus)
    ]
    # The size of the download takes a prediction: made when it is an option's turn, which is then
    # put back in line with its true size.
    heap: list[tuple[int, int, tuple[int, ...], Candidate | None]] = [(*o, None) for o in options]
    heapify(heap)
    while heap:
        _, index, moduli, candidate = heappop(heap)
        if candidate is not None:
            yield candidate
            continue
        chain = listed[index].model_dump()
        sets = tuple(ParameterSet(scheme="bfv", plain_modulus=t, **chain) for t in moduli)
        schedule = bfv_schedule(sets[0], integers.problem.nodes, iterations)
        candidate = Candidate(sets, integers.rank_bits, integers.weight_bits, schedule)
        heappush(heap, (candidate.set_bytes(iterations), index, moduli, candidate))


def ckks_candidates(
    listed: list[ModulusChain],
    weight_bits: int,
    min_scale_bits: int,
    iterations: int,
    max_iterations: int,
) -> list[Candidate]:
    """List the candidates for a set, least bytes first: for each chain two scales.

    The first is the largest scale, from ``min_scale_bits`` on, that leaves the chain room for as
    many iterations as any; the second gives up one of them for precision. Schedules go on to
    ``max_iterations`` where there is room, so that one run serves several sets.
    """
    found = []
    for chain in listed:
        room = chain.log2_data_q - HEADROOM_BITS - 1 - min_scale_bits
        flush = min_scale_bits + room % weight_bits
        for scale_bits in (flush, flush + weight_bits):
            if room - (scale_bits - min_scale_bits) < iterations * weight_bits:
                continue
            parameters = ParameterSet(scheme="ckks", scale_bits=scale_bits, **chain.model_dump())
            schedule = ckks_schedule(parameters, weight_bits, max_iterations)
            if len(schedule) >= iterations:
                found.append(Candidate((parameters,), scale_bits, weight_bits, schedule))
    return sorted(found, key=lambda candidate: candidate.set_bytes(iterations))


def _chains_of(n: int, security_bits: SecurityBits) -> Iterator[ModulusChain]:
    largest = MAX_COEFF_MODULUS_BITS[security_bits][n]
    for count in range(2, MAX_KEY_RESIDUES + 1):
        bits, over = divmod(min(largest, count * MAX_PRIME_BITS), count)
        sizes = (bits,) * (count - over) + (bits + 1,) * over
        if any(len(ntt_primes(n, size, of)) < of for size, of in Counter(sizes).items()):
            return  # there are not that many primes so small
        yield ModulusChain(
            poly_modulus_degree=n, coeff_modulus_bits=sizes, security_bits=security_bits
        )


def _fits(nodes: int, n: int) -> bool:
    try:
        RankPlan("ckks", nodes, n // 2, 1)
    except ChocoError:
        return False
    return True


@cache
def _moduli(n: int, largest: int, count: int) -> tuple[int, ...] | None:
    """Return ``count`` moduli whose product exceeds ``largest``, as small as possible.

    They are neighbours among the primes that batch at this N, the largest first. None where there
    are not so many, or SEAL's 60 bits are exceeded.
    """
    root = int(iroot(largest, count)[0])
    below = islice(_batching_moduli(n, root // (2 * n) * 2 * n + 1, -2 * n), count - 1)
    window = sorted(t for t in below if t <= root)
    for t in _batching_moduli(n, root // (2 * n) * 2 * n + 1 + 2 * n, 2 * n):
        window = [*window, t][-count:]
        if t.bit_length() > MAX_PRIME_BITS:
            return None
        if len(window) == count and prod(window) > largest:
            return tuple(reversed(window))
    return None


def _batching_moduli(n: int, first: int, step: int) -> Iterator[int]:
    last = 0 if step < 0 else 1 << (MAX_PRIME_BITS + 1)
    return (t for t in range(first, last, step) if is_batching_modulus(t, n))
