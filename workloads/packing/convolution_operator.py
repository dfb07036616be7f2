"""A convolution plan bound to weights: what the server computes on ciphertexts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layout import ROWS, Integers, check_shape, no_product

if TYPE_CHECKING:
    from workloads.packing.convolution import ConvolutionPlan

Accumulator = tuple[int, int]
"""Output ciphertext and index into the plan's ``moves``."""

Products = Iterable[tuple[Accumulator, Any]]
"""Accumulators that a rotated input contributes to, and the weights in NTT form."""


class EncodedConvolution:
    """A convolution with its weights, in NTT form if they are kept."""

    def __init__(
        self,
        plan: "ConvolutionPlan",
        evaluator: CountingEvaluator,
        weights: Integers,
        bias: Integers,
        *,
        keep: bool = True,
    ) -> None:
        kernel = (plan.out_channels, plan.channels, plan.kernel, plan.kernel)
        check_shape(f"{plan.name}: weights", weights, kernel)
        check_shape(f"{plan.name}: bias", bias, (plan.out_channels,))
        self._plan = plan
        self._evaluator = evaluator
        self._weights = weights
        self._check_products()
        self._pairs = self._place_pairs()
        self._kept: list[list[list[tuple[Accumulator, Any]]]] | None = None
        if keep:
            self._kept = [
                [list(self._encode(group, dy, dx)) for dy, dx, _ in plan.tap_steps()]
                for group in range(plan.input_ciphertexts)
            ]
        self._biases = self._encode_bias(bias)

    def _check_products(self) -> None:
        """Refuse weights that leave a result without any product."""
        plan = self._plan
        ciphertext, _, _ = plan.placement(np.arange(plan.out_channels))
        used = set(ciphertext[self._weights.nonzero()[0]].tolist())
        for index in range(plan.output_ciphertexts):
            if index not in used:
                raise no_product(plan.name, index)

    def _place_pairs(self) -> Integers:
        """Return which weights lie where in the plaintexts, the same for every tap.

        Returns:
            index of the (output, channel) pair, or one beyond the last where there is none:
            (input ciphertexts, output ciphertexts, moves, 2, blocks).
        """
        plan = self._plan
        count = plan.out_channels * plan.channels
        shape = (plan.input_ciphertexts, plan.output_ciphertexts, len(plan.moves), ROWS)
        pairs = np.full((*shape, plan.blocks), count, dtype=np.int64)
        row, block, swap, distance = plan.sources
        moves = np.array(plan.moves)
        keys = moves[:, 0] * plan.row_size + moves[:, 1]  # ascending, as moves are
        move = np.searchsorted(keys, swap * plan.row_size + distance)
        group = np.arange(plan.channels)[None, :] // plan.period
        ciphertext = plan.placement(np.arange(plan.out_channels))[0][:, None]
        index = np.arange(count).reshape(plan.out_channels, plan.channels)
        pairs[np.broadcast_arrays(group, ciphertext, move, row, block)] = index
        return pairs

    def _encode(self, group: int, dy: int, dx: int) -> Iterator[tuple[Accumulator, Any]]:
        """Yield the weights of one tap of one input ciphertext."""
        plan = self._plan
        y = np.arange(plan.out_height) * plan.stride + dy - plan.padding
        x = np.arange(plan.out_width) * plan.stride + dx - plan.padding
        inside_y, inside_x = (y >= 0) & (y < plan.height), (x >= 0) & (x < plan.width)
        inside = np.zeros(plan.block, dtype=np.int64)
        inside[plan.positions[np.ix_(inside_y, inside_x)]] = 1
        values = np.append(self._weights[:, :, dy, dx].reshape(-1), 0)
        for ciphertext, pairs in enumerate(self._pairs[group]):
            placed = values[pairs]
            for move in np.flatnonzero(placed.any(axis=(1, 2))):
                slots = np.multiply.outer(placed[move], inside).reshape(ROWS, plan.row_size)
                plain = self._evaluator.encode_ntt(slots)
                if plain is not None:
                    yield (ciphertext, int(move)), plain

    def _encode_bias(self, bias: Integers) -> list[Any]:
        plan = self._plan
        slots = np.zeros((plan.output_ciphertexts, ROWS, plan.row_size), dtype=np.int64)
        ciphertext, row, start = plan.placement(np.arange(plan.out_channels))
        places = start[:, None, None] + plan.positions
        slots[ciphertext[:, None, None], row[:, None, None], places] = bias[:, None, None]
        return [self._evaluator.encode(values) for values in slots]

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Convolve; results are in coefficient form at the level of the inputs."""
        accumulators: dict[Accumulator, Any] = {}
        for group, ciphertext in enumerate(inputs):
            self._accumulate(group, ciphertext, accumulators)
        return [
            self._evaluator.add_plain(self._fold(self._align(index, accumulators)), bias)
            for index, bias in enumerate(self._biases)
        ]

    def _products(self, group: int, tap: int, dy: int, dx: int) -> Products:
        return self._encode(group, dy, dx) if self._kept is None else self._kept[group][tap]

    def _accumulate(self, group: int, ciphertext: Any, totals: dict[Accumulator, Any]) -> None:
        """Step 1: rotate through the taps and add up the weighted copies."""
        run = self._evaluator
        kernel_row = rotated = ciphertext
        for tap, (dy, dx, step) in enumerate(self._plan.tap_steps()):
            rotated = run.rotate(rotated if dx else kernel_row, step)
            if dx == 0:
                kernel_row = rotated
            self._add_products(self._products(group, tap, dy, dx), rotated, totals)

    def _add_products(
        self, products: Products, rotated: Any, totals: dict[Accumulator, Any]
    ) -> None:
        run = self._evaluator
        in_ntt_form = None
        for key, plain in products:
            if in_ntt_form is None:
                in_ntt_form = run.to_ntt(rotated)
            term = run.multiply_plain(in_ntt_form, plain)
            totals[key] = run.accumulate(totals.get(key), term)

    def _align(self, ciphertext: int, totals: dict[Accumulator, Any]) -> Any:
        """Step 2: move each accumulator to its outputs and add (Horner's scheme)."""
        run = self._evaluator
        moves = self._plan.moves
        result = None
        for swapped in range(ROWS):
            chain = [index for index, (swap, _) in enumerate(moves) if swap == swapped]
            distances = [moves[index][1] for index in chain]
            partial = None
            for index, gap in reversed(list(zip(chain, np.diff([0, *distances]), strict=True))):
                total = totals.pop((ciphertext, index), None)
                if total is not None:
                    partial = run.accumulate(partial, run.from_ntt(total))
                if partial is not None:
                    partial = run.rotate(partial, -int(gap))
            if partial is not None:
                partial = run.swap_rows(partial) if swapped else partial
                result = run.accumulate(result, partial)
        return result

    def _fold(self, result: Any) -> Any:
        """Step 3: add partial sums that lie in other places of the same result."""
        run = self._evaluator
        for step in self._plan.fold_steps:
            result = run.add(result, run.rotate(result, step))
        return run.add(result, run.swap_rows(result)) if self._plan.folded else result
