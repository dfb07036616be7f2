"""How many primes a ciphertext keeps, iteration by iteration: a public function of the parameters.

BFV: primes are dropped once noise has overtaken them, which costs next to no budget and makes the
rest cheaper. When they are, and how many a result needs to be decrypted, is predicted with
``models.noise``. CKKS: scales multiply up; a prime is rescaled away once the scale can spare it,
and a result keeps the primes that its scale needs. Predictions only make candidates; whether a
set decrypts correctly is found out on ciphertexts (``workloads.pagerank.search``).
"""

from dataclasses import dataclass
from functools import reduce
from math import log2

from models import noise
from models.noise import Noise
from models.parameters import ParameterSet
from workloads.pagerank.plan import RankPlan, rank_plan

HEADROOM_BITS = 2
"""Bits of modulus that CKKS keeps above the scale: a sign, and values up to 2."""

_SWITCH_LOSS_BITS = 0.25
_DOWNLOAD_MARGIN_BITS = 3.0
"""Predicted budget that a BFV result keeps when primes are dropped for the download."""


@dataclass(frozen=True)
class Schedule:
    """Primes kept, by iteration; its length is how many iterations the parameters can hold.

    Attributes:
        after: primes left after iteration 1, 2, ...
        download: primes of the result if the set ends there.
        margin_bits: predicted noise budget of that result, None in CKKS; may be negative.
    """

    after: tuple[int, ...]
    download: tuple[int, ...]
    margin_bits: tuple[float | None, ...]

    def __len__(self) -> int:
        return len(self.after)


def bfv_schedule(parameters: ParameterSet, nodes: int, iterations: int) -> Schedule:
    """Plan ``iterations``, whether or not they leave any noise budget."""
    after: list[int] = []
    download: list[int] = []
    margins: list[float | None] = []
    plan = rank_plan(parameters, nodes, iterations)
    state = noise.fresh(parameters)
    for iteration in range(1, iterations + 1):
        state = _iterated(state, plan, sparse=iteration % 2 == 0)
        result = _fewest(state, min(_DOWNLOAD_MARGIN_BITS, state.margin_bits))
        download.append(result.residues)
        margins.append(result.margin_bits)
        state = _fewest(state, state.margin_bits - _SWITCH_LOSS_BITS)
        after.append(state.residues)
    return Schedule(tuple(after), tuple(download), tuple(margins))


def ckks_schedule(parameters: ParameterSet, weight_bits: int, iterations: int) -> Schedule:
    """Plan up to ``iterations``, as long as the modulus is above the scale."""
    if parameters.scale_bits is None:
        raise ValueError("a CKKS schedule needs a CKKS parameter set")
    sizes = [log2(prime) for prime in parameters.coeff_modulus[: parameters.data_residues]]
    scale = float(parameters.scale_bits)
    after: list[int] = []
    download: list[int] = []
    for _ in range(iterations):
        scale += weight_bits
        if scale + HEADROOM_BITS > sum(sizes):
            break
        while len(sizes) > 1 and scale - sizes[-1] >= parameters.scale_bits:
            scale -= sizes.pop()
        after.append(len(sizes))
        fits = (r for r in range(1, len(sizes) + 1) if sum(sizes[:r]) >= scale + HEADROOM_BITS)
        download.append(next(fits))
    return Schedule(tuple(after), tuple(download), (None,) * len(after))


def _iterated(state: Noise, plan: RankPlan, sparse: bool) -> Noise:
    """Predict the noise of one iteration.

    Weights that repeat fill no more coefficients than twice their period.
    """
    t, n = state.parameters.batching_modulus, state.parameters.poly_modulus_degree
    filled = min(1.0, 2 * plan.period / n)
    rotated = [state]
    for _ in range(plan.elements - 1):
        rotated.append(noise.rotate(rotated[-1]))
    products = [noise.multiply_plain(term, filled * t * t / 12) for term in rotated]
    return reduce(
        lambda total, _: noise.add(total, noise.rotate(total)),
        plan.fold_steps(sparse),
        noise.add(*products),
    )


def _fewest(state: Noise, margin_bits: float) -> Noise:
    """Drop as many primes as leave the predicted budget at ``margin_bits`` or above."""
    for residues in range(1, state.residues):
        switched = noise.switch_modulus(state, residues)
        if switched.margin_bits >= margin_bits:
            return switched
    return state
