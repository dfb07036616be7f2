"""Convolution on encrypted, stacked channels: one plaintext product deep, and no masks.

Layout (CHOCO, DOI 10.1145/3503222.3507737, Section 3.3). A row of N/2 slots is cut into blocks
of a power of two that hold one input plane each, row-major. Channels are stacked block after block
with a power-of-two period and repeated to the end of the row. The two rows of a ciphertext hold
the same channels where they fit into one row, and different ones where that saves ciphertexts
(more channels than a row has blocks) or products (so few outputs that they fit into one row).

1. *Taps.* For tap (dy, dx) the whole ciphertext is rotated left by ``dy width + dx``, one step
   after the other, so that a layer needs two Galois keys for its taps, not one per tap. Output
   (y, x) lives where the top left pixel of its window lay. Slots whose window crosses the image
   border receive a value from elsewhere; their weight is zero, which costs nothing, as weights
   differ by slot anyway. This is also how zero padding is done, and how a stride skips slots.
2. *Channels.* Output o sums over all input channels, which sit in other blocks, possibly of the
   other row. Pairs (o, i) that need the same *move*, a right rotation and perhaps a swap of the
   rows, share an accumulator; its sum over the taps is moved and added to the result. Here lies
   the rotational redundancy: a channel's way around the window of channels meets a copy of it, so
   one rotation replaces the masked pair.
3. *Folding.* Where the outputs fit into one row, each place of the result's two rows first sums
   only some of the channels, so that fewer moves do; then the partial sums are rotated onto each
   other and added.
4. *Dense outputs.* A valid convolution leaves room at the end of each block. Where closer packing
   saves a result ciphertext (and the client a decryption), outputs are placed at an even pitch of
   at least their span, and the rotations of step 2 move them there.

Every slot of every product does work, so a layer takes out_channels channels kernel^2 / G of them,
with G planes in a ciphertext. Multiplicative depth is one; rotation noise is additive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from models.errors import ChocoError
from models.noise import Noise
from models.parameters import ParameterSet
from workloads.packing.convolution_operator import EncodedConvolution
from workloads.packing.evaluator import CountingEvaluator
from workloads.packing.layer_noise import layer_noise
from workloads.packing.layout import (
    ROWS,
    SWAP_ROWS,
    Integers,
    LinearOperator,
    check_shape,
    power_of_two,
)


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
        if 2 * self.padding >= max(self.kernel, 1) or min(self.out_height, self.out_width) < 1:
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
    def rows_differ(self) -> bool:
        """Whether the two rows of an input hold different channels."""
        return self.channels > (1 if self.out_channels <= self.blocks else self.blocks)

    @property
    def row_period(self) -> int:
        """Different input planes in a row, a power of two."""
        planes = power_of_two(self.channels)
        return min(planes // ROWS if self.rows_differ else planes, self.blocks)

    @property
    def period(self) -> int:
        """Different input planes in a ciphertext, a power of two."""
        return self.row_period * (ROWS if self.rows_differ else 1)

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

    @property
    def folded(self) -> bool:
        """Whether the outputs fit into one row and partial sums are folded onto them."""
        return self.rows_differ and self.out_channels <= self.blocks

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

    def placement(self, output: Integers) -> tuple[Integers, Integers, Integers]:
        """Return (ciphertext, row, first slot) of output channels.

        Unless folded, neighbouring channels share a place in the two rows, and with it their
        rotations.
        """
        if self.folded:
            nothing = np.zeros_like(output)
            return nothing, nothing, output * self.block
        ciphertext, place = np.divmod(output, ROWS * (self.row_size // self.pitch))
        return ciphertext, place % ROWS, place // ROWS * self.pitch

    @property
    def fold_steps(self) -> tuple[int, ...]:
        """Left rotations that sum the copies of the outputs within a row, largest first."""
        steps, step = [], self.row_period // 2
        while self.folded and step >= power_of_two(self.out_channels):
            steps.append(step * self.block)
            step //= 2
        return tuple(steps)

    @cached_property
    def sources(self) -> tuple[Integers, Integers, Integers, Integers]:
        """How input channels reach outputs, (out_channels, channels) each.

        Returns:
            row and block of the input plane to use, whether the rows must be swapped, and the
            right rotation to the place in the output ciphertext.
        """
        output = np.arange(self.out_channels)[:, None]
        channel = np.arange(self.channels)[None, :] % self.period
        row, home = np.divmod(channel, self.row_period)
        shape = (self.out_channels, self.channels)
        if self.folded:
            # to the nearest copy of the output at or after the plane; one beyond the window of
            # row_period blocks is reached from the plane's own copy before the window
            ahead = (output - home) % min(power_of_two(self.out_channels), self.row_period)
            place = (home + ahead) % self.row_period if self.fold_steps else output
            block = (place - ahead) % self.blocks
            swap, distance = np.zeros(shape, dtype=np.int64), ahead * self.block
        else:
            _, out_row, start = self.placement(output)
            row = row if self.rows_differ else np.broadcast_to(out_row, shape)
            swap = (row != out_row).astype(np.int64)
            copies = np.arange(0, self.blocks, self.row_period) + home[..., None]
            distances = (start[..., None] - copies * self.block) % self.row_size
            nearest = distances.argmin(axis=-1)[..., None]
            block = np.take_along_axis(copies, nearest, axis=-1)[..., 0]
            distance = np.take_along_axis(distances, nearest, axis=-1)[..., 0]
        row, block, swap, distance = np.broadcast_arrays(row, block, swap, distance)
        return row, block, swap, distance

    @cached_property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """(rows swapped, right rotation) from accumulators to outputs; one accumulator each."""
        _, _, swap, distance = self.sources
        return tuple(
            sorted(set(zip(swap.ravel().tolist(), distance.ravel().tolist(), strict=True)))
        )

    def tap_steps(self) -> Iterator[tuple[int, int, int]]:
        """Yield (dy, dx, left rotation from the tap before) in row-major order.

        At dx = 0 the rotation counts from the first tap of the kernel row above.
        """
        for dy, dx in np.ndindex(self.kernel, self.kernel):
            first = -self.padding * (self.width + 1) if dy == 0 else self.width
            yield dy, dx, (1 if dx else first)

    @cached_property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, below N/2, that need a Galois key; 0 stands for a swap of the rows."""
        taps = {step % self.row_size for _, _, step in self.tap_steps()}
        return self.alignment_steps | taps - {0}

    @cached_property
    def alignment_steps(self) -> frozenset[int]:
        """Those that need a key after the products."""
        steps = set(self.fold_steps)
        for swapped in range(ROWS):
            distances = [distance for swap, distance in self.moves if swap == swapped]
            steps |= {-int(gap) % self.row_size for gap in np.diff([0, *distances])}
        swaps = self.folded or any(swap for swap, _ in self.moves)
        return frozenset(steps - {0}) | ({SWAP_ROWS} if swaps else set())

    @property
    def products(self) -> int:
        """Plaintext products at most; those with only zeros are left out."""
        pairs = self.input_ciphertexts * self.output_ciphertexts
        return pairs * len(self.moves) * self.kernel**2

    def noise(self, parameters: ParameterSet) -> Noise:
        """Predict the noise of the results, before primes are dropped."""
        moves = len(self.moves)
        return layer_noise(
            parameters,
            rotations_before=2 * self.kernel - 1,
            terms=self.input_ciphertexts * self.kernel**2 * moves,
            rotations_after=moves + 1,
            folds=len(self.fold_steps) + self.folded,
        )

    def pack(self, values: Integers) -> list[Integers]:
        """Stack and repeat the channels of a (channels, height, width) tensor."""
        check_shape(f"{self.name}: input", values, (self.channels, self.height, self.width))
        planes = np.zeros((self.input_ciphertexts * self.period, self.block), dtype=np.int64)
        planes[: self.channels, : self.height * self.width] = values.reshape(self.channels, -1)
        rows = planes.reshape(self.input_ciphertexts, -1, self.row_period * self.block)
        copies = self.blocks // self.row_period
        return [np.tile(row, (ROWS // len(row), copies)) for row in rows]

    def unpack(self, slots: Sequence[Integers]) -> Integers:
        """Collect the (out_channels, out_height, out_width) result."""
        ciphertext, row, start = self.placement(np.arange(self.out_channels))
        places = start[:, None, None] + self.positions
        result: Integers = np.stack(slots)[ciphertext[:, None, None], row[:, None, None], places]
        return result

    def encode(
        self, evaluator: CountingEvaluator, weights: Integers, bias: Integers, *, keep: bool = True
    ) -> LinearOperator:
        """Bind the plan to weights (out_channels, channels, kernel, kernel) and bias."""
        return EncodedConvolution(self, evaluator, weights, bias, keep=keep)

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""
        return {"kind": "convolution"} | asdict(self)
