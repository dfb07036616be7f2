"""Convolution without rotational redundancy: what CHOCO's packing is compared with.

The same stacked layout, but for every tap the pixels are rotated inside their planes, so that what
leaves a plane at one end comes back at its other, as a packing without slack beside the values
needs it (Gazelle, Juvekar et al., USENIX Security 2018): two rotations and two products with masks
for each tap (CHOCO, DOI 10.1145/3503222.3507737, Figure 4 A), so two products deep instead of one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from models.noise import Noise
from models.parameters import ParameterSet
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.convolution_operator import Accumulator, EncodedConvolution
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layer_noise import layer_noise
from workloads.packing.layout import Integers, LinearOperator
from workloads.packing.permutation import MaskedRotation, Windows


@dataclass(frozen=True)
class MaskedConvolutionPlan(ConvolutionPlan):
    """Geometry of a convolution whose taps are rotated by masking; fields of the plain plan."""

    @property
    def windows(self) -> Windows:
        """The planes, inside which a tap is rotated."""
        starts = tuple(range(0, self.row_size, self.block))
        return Windows(self.row_size, self.height * self.width, starts)

    @cached_property
    def tap_rotations(self) -> tuple[int, ...]:
        """Left rotation of every tap inside its plane, in row-major order."""
        taps = [(dy - self.padding, dx - self.padding) for dy, dx, _ in self.tap_steps()]
        return tuple((dy * self.width + dx) % (self.height * self.width) for dy, dx in taps)

    @cached_property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, below N/2, that need a Galois key; 0 stands for a swap of the rows."""
        around = {
            step % self.row_size
            for tap in self.tap_rotations
            for step in (tap, tap - self.height * self.width)
            if tap
        }
        return self.alignment_steps | around

    def noise(self, parameters: ParameterSet) -> Noise:
        """Predict the noise of the results, before primes are dropped."""
        moves = len(self.moves)
        return layer_noise(
            parameters,
            masked=True,
            rotations_before=1,
            terms=self.input_ciphertexts * self.kernel**2 * moves,
            rotations_after=moves + 1,
            folds=len(self.fold_steps) + self.folded,
        )

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers, *, keep: bool = True
    ) -> LinearOperator:
        """Bind the plan to weights (out_channels, channels, kernel, kernel) and bias."""
        return _MaskedConvolution(self, evaluator, weights, bias, keep=keep)

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return super().describe() | {"kind": "masked_convolution"}


class _MaskedConvolution(EncodedConvolution):
    """A convolution with weights and masks encoded."""

    def __init__(
        self,
        plan: MaskedConvolutionPlan,
        evaluator: CountingEvaluator,
        weights: Integers,
        bias: Integers,
        *,
        keep: bool,
    ) -> None:
        super().__init__(plan, evaluator, weights, bias, keep=keep)
        self._rotations = [
            MaskedRotation(evaluator, plan.windows, step) if step else None
            for step in plan.tap_rotations
        ]

    def _accumulate(self, group: int, ciphertext: Any, totals: dict[Accumulator, Any]) -> None:
        for tap, (dy, dx, _) in enumerate(self._plan.tap_steps()):
            rotation = self._rotations[tap]
            rotated = ciphertext if rotation is None else rotation.apply(ciphertext)
            self._add_products(self._products(group, tap, dy, dx), rotated, totals)
