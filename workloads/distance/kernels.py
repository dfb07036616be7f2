"""Distance kernels on CKKS ciphertexts: subtract points, square, sum; collapse where the plan does.

Scales. A fresh query has scale 2^s (``scale_bits`` of the parameter set), its squares 2^2s. Every
result is then multiplied once by a factor of scale 2^f: the mask, or 1. f fills the coefficient
modulus up to the largest value that a slot can have, so that rescaling down to a single prime
leaves a result at the highest scale that this prime can hold: one residue to send back, at full
precision, from two data primes. Without a mask, rescaling comes before the rotations, which are
three times cheaper on one residue than on two.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.distance.packing import DimensionMajorPlan, DistancePlan, PointMajorPlan, Reals
from workloads.packing.evaluator import CkksEvaluator
from workloads.protocol.plan import BoundService, Operator

SIGN_AND_MARGIN_BITS = 2
"""A slot's sign, and as much again for rounding errors and the nominal size of primes."""

MIN_FACTOR_BITS = 20
"""Below, rounding the mask would show in the distances: its error is about 2^-f sqrt(D)."""


def factor_bits(parameters: ParameterSet, plan: DistancePlan) -> int:
    """Return f, the bits of the factor's scale.

    Raises:
        ChocoError: not CKKS, or too little room beside the square of the scale.
    """
    if parameters.scale_bits is None:
        raise ChocoError(f"{plan.name}: distances need a CKKS parameter set")
    value_bits = (plan.largest - 1).bit_length() + SIGN_AND_MARGIN_BITS
    room = parameters.log2_data_q - value_bits - 2 * parameters.scale_bits
    if room < MIN_FACTOR_BITS:
        raise ChocoError(
            f"{plan.name}: {plan.dimensions} dimensions leave {room} bits for the mask; at least "
            f"{MIN_FACTOR_BITS} are needed; use a smaller scale_bits or a larger coeff_modulus"
        )
    return room


def service(parameters: ParameterSet, plan: DistancePlan, points: Reals) -> BoundService:
    """Return the server's half of a kernel against (points, dimensions), values from 0 to 1.

    Raises:
        ChocoError: the parameter set or the points do not fit the plan.
    """
    bits = factor_bits(parameters, plan)

    def bind(evaluator: CkksEvaluator) -> Operator:
        if isinstance(plan, PointMajorPlan):
            return PointMajorKernel(plan, evaluator, points, bits)
        return DimensionMajorKernel(plan, evaluator, points, bits)

    return BoundService(plan, bind)


class PointMajorKernel:
    """Point-major packings with their points encoded."""

    def __init__(
        self, plan: PointMajorPlan, evaluator: CkksEvaluator, points: Reals, bits: int
    ) -> None:
        self._plan = plan
        self._evaluator = evaluator
        self._points = [evaluator.encode(slots) for slots in plan.pack_points(points)]
        factor = plan.mask() if plan.masked else 1.0
        self._factor = evaluator.encode(factor, scale=2.0**bits)

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the distances, one residue left."""
        if not self._plan.masked:
            return list(self._results(inputs))
        # From the last result to the first: each output is shifted once for every result that
        # still comes before, so one Galois key serves all shifts (Horner's scheme).
        run, width = self._evaluator, self._plan.results_per_output
        outputs: list[Any] = [None] * self._plan.output_ciphertexts
        last = self._plan.results - 1
        for index, result in enumerate(self._results(inputs)):
            output = (last - index) // width
            if outputs[output] is not None:
                outputs[output] = run.rotate(outputs[output], -1)
            outputs[output] = run.accumulate(outputs[output], result)
        return [to_one_residue(run, output) for output in outputs]

    def _results(self, inputs: Sequence[Any]) -> Iterator[Any]:
        """Yield the results: in order and rescaled; masked ones from the last to the first."""
        run, masked = self._evaluator, self._plan.masked
        pairs = [(query, points) for query in inputs for points in self._points]
        for query, points in reversed(pairs) if masked else pairs:
            result = run.relinearize(run.square(run.subtract_plain(query, points)))
            if not masked:
                result = to_one_residue(run, run.multiply_plain(result, self._factor))
            for step in self._plan.fold_steps:
                result = run.add(result, run.rotate(result, step))
            yield run.multiply_plain(result, self._factor) if masked else result


class DimensionMajorKernel:
    """Dimension-major packings with their points encoded."""

    def __init__(
        self, plan: DimensionMajorPlan, evaluator: CkksEvaluator, points: Reals, bits: int
    ) -> None:
        self._plan = plan
        self._evaluator = evaluator
        encoded = [evaluator.encode(slots) for slots in plan.pack_points(points)]
        width = plan.inputs_per_group
        self._chunks = [encoded[i : i + width] for i in range(0, len(encoded), width)]
        self._factor = evaluator.encode(1.0, scale=2.0**bits)

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the distances, one residue left."""
        width = self._plan.inputs_per_group
        groups = [inputs[i : i + width] for i in range(0, len(inputs), width)]
        return [self._result(group, chunk) for group in groups for chunk in self._chunks]

    def _result(self, queries: Sequence[Any], points: Sequence[Any]) -> Any:
        run = self._evaluator
        total = None
        for query, point in zip(queries, points, strict=True):
            total = run.accumulate(total, run.square(run.subtract_plain(query, point)))
        # squares are summed before they are relinearized: one key switch for all of them
        result = run.multiply_plain(run.relinearize(total), self._factor)
        result = to_one_residue(run, result)
        for step in self._plan.fold_steps:
            result = run.add(result, run.rotate(result, step))
        return result


def to_one_residue(run: CkksEvaluator, ciphertext: Any) -> Any:
    """Rescale until one prime is left."""
    while ciphertext.coeff_modulus_size() > 1:
        ciphertext = run.rescale(ciphertext)
    return ciphertext
