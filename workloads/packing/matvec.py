"""Fully connected layer: matrix times encrypted vector, one plaintext product deep.

Layout. The vector, padded to a power of two, lies in segments of at most a row. A vector that fits
into a row is repeated through both; a longer one continues in the second row, and in further
ciphertexts. A row is then periodic, so a rotation of the whole row is a rotation inside every
segment: rotational redundancy (CHOCO, DOI 10.1145/3503222.3507737, Section 3.3) for the windowed
rotation that the product needs. The R copies of the vector share the outputs: copy r computes
outputs r K to r K + K - 1, where K = out_features / R, rounded up to a power of two.

Slot j of copy r belongs to output r K + (j mod K). For k in 0..K-1 the vector is rotated left by k
and multiplied with the weights of column j + k, which meets every column of every output once:
K products. With k = g B + b, rotations by b act on the vector (baby steps) and those by g B on
sums of products, whose weights are rotated the other way beforehand (giant steps), so that about
2 sqrt(K) rotations do. Rotations by K, 2K, ... half a segment, and a swap of the rows where they
differ, add up the slots of one output. This follows the hybrid method of Gazelle (Juvekar et al.,
USENIX Security 2018, Section 4.3), with the baby and giant steps of Halevi and Shoup (CRYPTO 2018,
DOI 10.1007/978-3-319-96884-1_4).

The other slots of a result hold partial sums. The client ignores them; a server that must hide
its weights from the client would have to mask them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from models.errors import ChocoError
from models.noise import Noise
from models.parameters import ParameterSet
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layer_noise import layer_noise
from workloads.packing.layout import (
    ROWS,
    SWAP_ROWS,
    Integers,
    LinearOperator,
    check_shape,
    no_product,
    power_of_two,
)


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
        if self.outputs_per_copy > self.segment:
            raise ChocoError(
                f"{self.name}: {self.out_features} outputs do not fit; "
                f"at most {self.copies * self.segment} at N = {ROWS * self.row_size}"
            )

    @property
    def segment(self) -> int:
        """Slots of the vector, or of as much of it as a row holds; a power of two."""
        return min(power_of_two(self.in_features), self.row_size)

    @property
    def rows_differ(self) -> bool:
        """Whether the second row continues the vector instead of repeating it."""
        return self.in_features > self.row_size

    @property
    def copies(self) -> int:
        """Copies R of the vector in a ciphertext."""
        return 1 if self.rows_differ else ROWS * self.row_size // self.segment

    @property
    def outputs_per_copy(self) -> int:
        """Outputs K that one copy computes, a power of two."""
        return power_of_two(-(-self.out_features // self.copies))

    @property
    def baby_steps(self) -> int:
        """Rotations B of the vector, the unrotated one included; a power of two."""
        # a baby step takes an NTT for each input, a giant step one inverse NTT for all of them
        return 1 << (self.outputs_per_copy.bit_length() // 2)

    @property
    def giant_steps(self) -> int:
        """Sums of products that are rotated, the unrotated one included."""
        return -(-self.outputs_per_copy // self.baby_steps)

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends: several where the vector exceeds two rows."""
        slots = self.segment * (ROWS if self.rows_differ else 1)
        return -(-self.in_features // slots)

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns: always one."""
        return 1

    @property
    def fold_steps(self) -> tuple[int, ...]:
        """Left rotations that sum the slots of an output, largest first."""
        steps, step = [], self.segment // 2
        while step >= self.outputs_per_copy:
            steps.append(step)
            step //= 2
        return tuple(steps)

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, below N/2, that need a Galois key; 0 stands for a swap of the rows."""
        steps = set(self.fold_steps)
        if self.baby_steps > 1:
            steps.add(1)
        if self.giant_steps > 1:
            steps.add(self.baby_steps)
        return frozenset(steps | ({SWAP_ROWS} if self.rows_differ else set()))

    @property
    def products(self) -> int:
        """Plaintext products at most; those with only zeros are left out."""
        return self.input_ciphertexts * self.outputs_per_copy

    def noise(self, parameters: ParameterSet) -> Noise:
        """Predict the noise of the result, before primes are dropped."""
        return layer_noise(
            parameters,
            rotations_before=self.baby_steps - 1,
            terms=self.products,
            rotations_after=self.giant_steps - 1,
            folds=len(self.fold_steps) + self.rows_differ,
        )

    def places(self) -> tuple[Integers, Integers]:
        """Return (row, slot) of every output."""
        output = np.arange(self.out_features)
        copy, within = output // self.outputs_per_copy, output % self.outputs_per_copy
        row, place = np.divmod(copy, self.row_size // self.segment)
        return row, place * self.segment + within

    def pack(self, values: Integers) -> list[Integers]:
        """Repeat the (in_features,) vector, or spread it over rows and ciphertexts."""
        check_shape(f"{self.name}: input", values, (self.in_features,))
        rows = self.input_ciphertexts * (ROWS if self.rows_differ else 1)
        padded = np.zeros(rows * self.segment, dtype=np.int64)
        padded[: self.in_features] = values
        parts = padded.reshape(self.input_ciphertexts, -1)
        return [np.tile(part, self.copies).reshape(ROWS, self.row_size) for part in parts]

    def unpack(self, slots: Sequence[Integers]) -> Integers:
        """Collect the (out_features,) result."""
        return slots[0][self.places()]

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers, *, keep: bool = True
    ) -> LinearOperator:
        """Bind the plan to weights (out_features, in_features) and bias."""
        return EncodedFullyConnected(self, evaluator, weights, bias, keep=keep)

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": "fully_connected"} | asdict(self)


class EncodedFullyConnected:
    """A fully connected layer with its weights, in NTT form if they are kept."""

    def __init__(
        self,
        plan: FullyConnectedPlan,
        evaluator: CountingEvaluator,
        weights: Integers,
        bias: Integers,
        *,
        keep: bool = True,
    ) -> None:
        check_shape(f"{plan.name}: weights", weights, (plan.out_features, plan.in_features))
        check_shape(f"{plan.name}: bias", bias, (plan.out_features,))
        if not weights.any():
            raise no_product(plan.name, 0)
        self._plan = plan
        self._evaluator = evaluator
        parts = plan.input_ciphertexts
        columns = parts * plan.segment * (ROWS if plan.rows_differ else 1)
        padded = np.zeros((plan.copies * plan.outputs_per_copy, columns), dtype=np.int64)
        padded[: plan.out_features, : plan.in_features] = weights
        self._parts = np.split(padded, parts, axis=1)
        self._kept: list[list[list[tuple[int, Any]]]] | None = None
        if keep:
            self._kept = [
                [list(self._encode(part, b)) for b in range(plan.baby_steps)]
                for part in range(parts)
            ]
        slots = np.zeros((ROWS, plan.row_size), dtype=np.int64)
        slots[plan.places()] = bias
        self._bias = evaluator.encode(slots)

    def _encode(self, part: int, baby: int) -> Iterator[tuple[int, Any]]:
        """Yield (giant step, weights) for the vector rotated left by ``baby``."""
        plan = self._plan
        row, slot = np.divmod(np.arange(ROWS * plan.row_size), plan.row_size)
        copy, segment = np.divmod(row * plan.row_size + slot, plan.segment)
        if plan.rows_differ:
            copy = np.zeros_like(copy)
        for giant in range(plan.giant_steps):
            shift = giant * plan.baby_steps
            if shift + baby >= plan.outputs_per_copy:
                return
            output = copy * plan.outputs_per_copy + segment % plan.outputs_per_copy
            column = (segment + shift + baby) % plan.segment
            if plan.rows_differ:
                column += row * plan.segment
            diagonal = self._parts[part][output, column].reshape(ROWS, plan.row_size)
            plain = self._evaluator.encode_ntt(np.roll(diagonal, shift, axis=1))
            if plain is not None:
                yield giant, plain

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Multiply; the result is in coefficient form at the level of the inputs."""
        run, plan = self._evaluator, self._plan
        totals: dict[int, Any] = {}
        for part, ciphertext in enumerate(inputs):
            for baby in range(plan.baby_steps):
                if baby:
                    ciphertext = run.rotate(ciphertext, 1)
                in_ntt_form = None
                kept = self._kept
                for giant, plain in self._encode(part, baby) if kept is None else kept[part][baby]:
                    if in_ntt_form is None:
                        in_ntt_form = run.to_ntt(ciphertext)
                    term = run.multiply_plain(in_ntt_form, plain)
                    totals[giant] = run.accumulate(totals.get(giant), term)
        result = None
        for giant in reversed(range(plan.giant_steps)):
            if result is not None:
                result = run.rotate(result, plan.baby_steps)
            if giant in totals:
                result = run.accumulate(result, run.from_ntt(totals[giant]))
        for step in plan.fold_steps:
            result = run.add(result, run.rotate(result, step))
        if plan.rows_differ:
            result = run.add(result, run.swap_rows(result))
        return [run.add_plain(result, self._bias)]
