"""Convolution on encrypted, stacked channels with one plaintext product and only plain rotations.

Layout (CHOCO, DOI 10.1145/3503222.3507737, Section 3.3). A row of N/2 slots is cut into blocks
of a power of two that hold one input plane each, row-major. The input channels of a ciphertext
are stacked block after block with a power-of-two period and repeated to the end of both rows.

1. *Taps.* For tap (dy, dx) the whole ciphertext is rotated left by ``dy width + dx``, one step
   after the other, so that a layer needs two Galois keys for its taps, not one per tap. Output
   (y, x) lives where the top left pixel of its window lay. Slots whose window crosses the image
   border receive a value from elsewhere; their weight is zero, which costs nothing, as weights
   differ by slot anyway. This is also how zero padding is done, and how a stride skips slots.
2. *Channels.* Output o sums over all input channels, which sit in other blocks. Pairs (o, i) that
   lie equally far apart share an accumulator; its sum over the taps is rotated right by that
   distance and added to the result. Here lies the rotational redundancy: a channel's way around
   the window of channels meets a copy of it, so one rotation replaces the masked pair.
3. *Dense outputs.* A valid convolution leaves room at the end of each block. Where closer packing
   saves a result ciphertext (and the client a decryption), outputs are placed at an even pitch of
   at least their span, and the rotations of step 2 move them there.

Multiplicative depth is one plaintext product; rotation noise is additive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from models.errors import ChocoError
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layout import ROWS, Integers, check_shape, no_product, power_of_two


@dataclass(frozen=True)
class ConvolutionPlan:
    """Geometry of a convolution (cross-correlation, as in neural networks) on N = 2 row_size.

    Tensors are (channels, height, width); weights (out_channels, channels, kernel, kernel).

    Raises:
        ChocoError: an input plane does not fit into a row, or the shapes leave no output.
    """

    name: str
    row_size: int
    channels: int
    height: int
    width: int
    out_channels: int
    kernel: int
    stride: int = 1
    padding: int = 0

    def __post_init__(self) -> None:
        if self.block > self.row_size:
            raise ChocoError(
                f"{self.name}: a channel of {self.height}x{self.width} needs {self.block} slots; "
                f"a row has {self.row_size} at N = {ROWS * self.row_size}"
            )
        if 2 * self.padding >= self.kernel or min(self.out_height, self.out_width) < 1:
            raise ChocoError(
                f"{self.name}: kernel {self.kernel} with padding {self.padding} does not fit "
                f"{self.height}x{self.width}; padding must be below half the kernel"
            )

    @property
    def out_height(self) -> int:
        """Rows of an output plane."""
        return (self.height + 2 * self.padding - self.kernel) // self.stride + 1

    @property
    def out_width(self) -> int:
        """Columns of an output plane."""
        return (self.width + 2 * self.padding - self.kernel) // self.stride + 1

    @property
    def block(self) -> int:
        """Slots of one input plane, a power of two."""
        return power_of_two(self.height * self.width)

    @property
    def blocks(self) -> int:
        """Input planes in a row, copies included."""
        return self.row_size // self.block

    @property
    def period(self) -> int:
        """Different input planes in a ciphertext, padded to a power of two."""
        return min(power_of_two(self.channels), self.blocks)

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""
        return -(-self.channels // self.period)

    @cached_property
    def positions(self) -> Integers:
        """Slot of output (y, x) relative to its plane: (out_height, out_width)."""
        y = np.arange(self.out_height)[:, None] * self.stride
        x = np.arange(self.out_width)[None, :] * self.stride
        return (y * self.width + x).astype(np.int64)

    @cached_property
    def pitch(self) -> int:
        """Slots from one output plane to the next."""
        span = int(self.positions.max()) + 1
        dense = self.row_size // (self.row_size // span)
        fewer = self._ciphertexts(dense) < self._ciphertexts(self.block)
        return dense if fewer else self.block

    def _ciphertexts(self, pitch: int) -> int:
        return -(-self.out_channels // (ROWS * (self.row_size // pitch)))

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns."""
        return self._ciphertexts(self.pitch)

    def placement(self, output: int) -> tuple[int, int, int]:
        """Return (ciphertext, row, first slot) of an output channel.

        Neighbouring channels share a place in the two rows, and with it their rotations.
        """
        ciphertext, place = divmod(output, ROWS * (self.row_size // self.pitch))
        return ciphertext, place % ROWS, place // ROWS * self.pitch

    def source(self, output: int, channel: int) -> tuple[int, int]:
        """Return (first slot of the copy of ``channel`` to use, right rotation to ``output``)."""
        start = self.placement(output)[2]
        copies = range(channel % self.period, self.blocks, self.period)
        distance, slot = min(((start - c * self.block) % self.row_size, c) for c in copies)
        return slot * self.block, distance

    @cached_property
    def distances(self) -> tuple[int, ...]:
        """Right rotations from accumulators to outputs, ascending; one accumulator each."""
        pairs = np.ndindex(self.out_channels, min(self.channels, self.period))
        return tuple(sorted({self.source(o, i)[1] for o, i in pairs}))

    def tap_steps(self) -> Iterator[tuple[int, int, int]]:
        """Yield (dy, dx, left rotation from the tap before) in row-major order.

        At dx = 0 the rotation counts from the first tap of the kernel row above.
        """
        for dy, dx in np.ndindex(self.kernel, self.kernel):
            first = -self.padding * (self.width + 1) if dy == 0 else self.width
            yield dy, dx, (1 if dx else first)

    @cached_property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""
        taps = {step for _, _, step in self.tap_steps()}
        gaps = {-gap for gap in np.diff((0, *self.distances)).tolist()}
        return frozenset(step % self.row_size for step in taps | gaps) - {0}

    def pack(self, values: Integers) -> list[Integers]:
        """Stack and repeat the channels of a (channels, height, width) tensor."""
        check_shape(f"{self.name}: input", values, (self.channels, self.height, self.width))
        planes = np.zeros((self.input_ciphertexts * self.period, self.block), dtype=np.int64)
        planes[: self.channels, : self.height * self.width] = values.reshape(self.channels, -1)
        copies = ROWS * self.blocks // self.period
        stacks = planes.reshape(self.input_ciphertexts, -1)
        return [np.tile(stack, copies).reshape(ROWS, self.row_size) for stack in stacks]

    def unpack(self, slots: Sequence[Integers]) -> Integers:
        """Collect the (out_channels, out_height, out_width) result."""
        planes = [
            slots[ciphertext][row, start + self.positions]
            for ciphertext, row, start in map(self.placement, range(self.out_channels))
        ]
        return np.stack(planes)

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers
    ) -> "EncodedConvolution":
        """Bind the plan to weights (out_channels, channels, kernel, kernel) and bias."""
        return EncodedConvolution(self, evaluator, weights, bias)

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": "convolution"} | asdict(self)


Accumulator = tuple[int, int]
"""Output ciphertext and index into ``distances``."""


class EncodedConvolution:
    """A convolution with its weights in slots, in NTT form."""

    def __init__(
        self,
        plan: ConvolutionPlan,
        evaluator: CountingEvaluator,
        weights: Integers,
        bias: Integers,
    ) -> None:
        kernel = (plan.out_channels, plan.channels, plan.kernel, plan.kernel)
        check_shape(f"{plan.name}: weights", weights, kernel)
        check_shape(f"{plan.name}: bias", bias, (plan.out_channels,))
        self._plan = plan
        self._evaluator = evaluator
        # [input ciphertext][tap]: the accumulators that this rotated input contributes to
        self._weights: list[list[dict[Accumulator, Any]]] = [
            [self._tap(weights, group, dy, dx) for dy, dx, _ in plan.tap_steps()]
            for group in range(plan.input_ciphertexts)
        ]
        reached = {key[0] for taps in self._weights for tap in taps for key in tap}
        for ciphertext in range(plan.output_ciphertexts):
            if ciphertext not in reached:
                raise no_product(plan.name, ciphertext)
        self._biases = self._encode_bias(bias)

    def _tap(self, weights: Integers, group: int, dy: int, dx: int) -> dict[Accumulator, Any]:
        plan = self._plan
        y = np.arange(plan.out_height) * plan.stride + dy - plan.padding
        x = np.arange(plan.out_width) * plan.stride + dx - plan.padding
        inside_y, inside_x = (y >= 0) & (y < plan.height), (x >= 0) & (x < plan.width)
        positions = plan.positions[np.ix_(inside_y, inside_x)].reshape(-1)
        channels = range(group * plan.period, min((group + 1) * plan.period, plan.channels))
        slots: dict[Accumulator, Integers] = {}
        for output in range(plan.out_channels):
            ciphertext, row, _ = plan.placement(output)
            for channel in channels:
                start, distance = plan.source(output, channel)
                key = (ciphertext, plan.distances.index(distance))
                if key not in slots:
                    slots[key] = np.zeros((ROWS, plan.row_size), dtype=np.int64)
                slots[key][row, start + positions] = weights[output, channel, dy, dx]
        encoded = {key: self._evaluator.encode_ntt(values) for key, values in slots.items()}
        return {key: plain for key, plain in encoded.items() if plain is not None}

    def _encode_bias(self, bias: Integers) -> list[Any]:
        plan = self._plan
        slots = np.zeros((plan.output_ciphertexts, ROWS, plan.row_size), dtype=np.int64)
        for output, value in enumerate(bias):
            ciphertext, row, start = plan.placement(output)
            slots[ciphertext, row, start + plan.positions] = value
        return [self._evaluator.encode(values) for values in slots]

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Convolve; results are in coefficient form at the level of the inputs."""
        accumulators: dict[Accumulator, Any] = {}
        for group, ciphertext in enumerate(inputs):
            self._accumulate(group, ciphertext, accumulators)
        return [
            self._evaluator.add_plain(self._align(index, accumulators), bias)
            for index, bias in enumerate(self._biases)
        ]

    def _accumulate(self, group: int, ciphertext: Any, totals: dict[Accumulator, Any]) -> None:
        """Step 1: rotate through the taps and add up the weighted copies."""
        run = self._evaluator
        kernel_row = tap = ciphertext
        for (_, dx, step), plains in zip(self._plan.tap_steps(), self._weights[group], strict=True):
            tap = run.rotate(tap if dx else kernel_row, step)
            if dx == 0:
                kernel_row = tap
            if plains:
                in_ntt_form = run.to_ntt(tap)
                for key, plain in plains.items():
                    term = run.multiply_plain(in_ntt_form, plain)
                    totals[key] = run.accumulate(totals.get(key), term)

    def _align(self, ciphertext: int, totals: dict[Accumulator, Any]) -> Any:
        """Step 2: rotate each accumulator right by its distance and add (Horner's scheme)."""
        run = self._evaluator
        distances = self._plan.distances
        result = None
        for index in reversed(range(len(distances))):
            total = totals.get((ciphertext, index))
            if total is not None:
                result = run.accumulate(result, run.from_ntt(total))
            below = distances[index - 1] if index else 0
            if result is not None:
                result = run.rotate(result, below - distances[index])
        return result
