"""Fully connected layer: matrix times encrypted vector, one plaintext product deep.

Layout. The vector, padded to a power of two ("block"), is repeated through both rows. A row is
then periodic, so a rotation of the whole row is a rotation inside every block: rotational
redundancy (CHOCO, DOI 10.1145/3503222.3507737, Section 3.3) for the windowed rotation that the
product needs. The R copies share the outputs: copy r computes outputs r K to r K + K - 1,
where K = out_features / R, rounded up to a power of two.

Slot j of copy r belongs to output r K + (j mod K). For k in 0..K-1 the vector is rotated left by k
and multiplied with the weights of column (j + k) mod block, which meets every column of every
output once: K products. Adding rotations by K, 2K, ... block/2 sums the slots of one output into
slot r block + (j mod K). With K = 1 this is the plain "replicate, multiply, rotate and sum"; it
follows the hybrid method of Gazelle (Juvekar et al., USENIX Security 2018, Section 4.3).

The other slots of a result hold partial sums. The client ignores them; a server that must hide
its weights from the client would have to mask them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from models.errors import ChocoError
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layout import ROWS, Integers, check_shape, no_product, power_of_two


@dataclass(frozen=True)
class FullyConnectedPlan:
    """Geometry of a fully connected layer on N = 2 row_size; weights (out_, in_features).

    Raises:
        ChocoError: more outputs than slots.
    """

    name: str
    row_size: int
    in_features: int
    out_features: int

    def __post_init__(self) -> None:
        if self.outputs_per_copy > self.block:
            raise ChocoError(
                f"{self.name}: {self.out_features} outputs do not fit; "
                f"at most {self.copies * self.block} at N = {ROWS * self.row_size}"
            )

    @property
    def block(self) -> int:
        """Slots of one copy of the vector, a power of two."""
        return min(power_of_two(self.in_features), self.row_size)

    @property
    def copies(self) -> int:
        """Copies R of the vector in a ciphertext."""
        return ROWS * self.row_size // self.block

    @property
    def outputs_per_copy(self) -> int:
        """Outputs K that one copy computes, a power of two."""
        return power_of_two(-(-self.out_features // self.copies))

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends: several where the vector exceeds a row."""
        return -(-self.in_features // self.block)

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns: always one."""
        return 1

    @property
    def fold_steps(self) -> tuple[int, ...]:
        """Left rotations that sum the slots of an output, largest first."""
        steps, step = [], self.block // 2
        while step >= self.outputs_per_copy:
            steps.append(step)
            step //= 2
        return tuple(steps)

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        return frozenset(self.fold_steps) | ({1} if self.outputs_per_copy > 1 else set())

    def places(self) -> tuple[Integers, Integers]:
        """Return (row, slot) of every output."""
        output = np.arange(self.out_features)
        copy, within = output // self.outputs_per_copy, output % self.outputs_per_copy
        row, place = np.divmod(copy, self.copies // ROWS)
        return row, place * self.block + within

    def pack(self, values: Integers) -> list[Integers]:
        """Repeat the (in_features,) vector, row by row."""
        check_shape(f"{self.name}: input", values, (self.in_features,))
        padded = np.zeros(self.input_ciphertexts * self.block, dtype=np.int64)
        padded[: self.in_features] = values
        parts = padded.reshape(self.input_ciphertexts, self.block)
        return [np.tile(part, self.copies).reshape(ROWS, self.row_size) for part in parts]

    def unpack(self, slots: Sequence[Integers]) -> Integers:
        """Collect the (out_features,) result."""
        return slots[0][self.places()]

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers
    ) -> "EncodedFullyConnected":
        """Bind the plan to weights (out_features, in_features) and bias."""
        return EncodedFullyConnected(self, evaluator, weights, bias)

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": "fully_connected"} | asdict(self)


class EncodedFullyConnected:
    """A fully connected layer with its weights in slots, in NTT form."""

    def __init__(
        self,
        plan: FullyConnectedPlan,
        evaluator: CountingEvaluator,
        weights: Integers,
        bias: Integers,
    ) -> None:
        check_shape(f"{plan.name}: weights", weights, (plan.out_features, plan.in_features))
        check_shape(f"{plan.name}: bias", bias, (plan.out_features,))
        if not weights.any():
            raise no_product(plan.name, 0)
        self._plan = plan
        self._evaluator = evaluator
        padded = np.zeros(
            (plan.copies * plan.outputs_per_copy, plan.input_ciphertexts * plan.block),
            dtype=np.int64,
        )
        padded[: plan.out_features, : plan.in_features] = weights
        self._weights = [
            [evaluator.encode_ntt(self._diagonal(part, k)) for k in range(plan.outputs_per_copy)]
            for part in np.split(padded, plan.input_ciphertexts, axis=1)
        ]
        slots = np.zeros((ROWS, plan.row_size), dtype=np.int64)
        slots[plan.places()] = bias
        self._bias = evaluator.encode(slots)

    def _diagonal(self, weights: Integers, k: int) -> Integers:
        """Return the (2, N/2) weights that meet the vector rotated left by ``k``."""
        plan = self._plan
        slot = np.arange(plan.block)
        copy = np.arange(plan.copies)[:, None]
        output = copy * plan.outputs_per_copy + slot % plan.outputs_per_copy
        diagonal: Integers = weights[output, (slot + k) % plan.block]
        return diagonal.reshape(ROWS, plan.row_size)

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Multiply; the result is in coefficient form at the level of the inputs."""
        run = self._evaluator
        total = None
        for ciphertext, plains in zip(inputs, self._weights, strict=True):
            for k, plain in enumerate(plains):
                if k:
                    ciphertext = run.rotate(ciphertext, 1)
                if plain is not None:
                    term = run.multiply_plain(run.to_ntt(ciphertext), plain)
                    total = run.accumulate(total, term)
        result = run.from_ntt(total)
        for step in self._plan.fold_steps:
            result = run.add(result, run.rotate(result, step))
        return [run.add_plain(result, self._bias)]
