"""Energy of BFV encryption and decryption on CHOCO-TACO: first analytic model.

Energy is arithmetic (multiplications and additions at the width of their operands), accesses of
64 bytes to SRAM, and leakage of everything for the whole operation (no power gating). Unit costs:
``unit_costs.yaml`` and the recorded DESTINY table. Every layer has a working buffer of N words of
8 bytes for the NTT and one for the INTT (CHOCO, Section 4.2: 64 kB at N = 8192) and beside each a
store of as many twiddle factors, each read once in a transform; message encoding has the same
pair once. Not counted: control, clock tree, pipeline registers, wires, shaping of random bytes
into error samples, the host interface. Totals are therefore a lower bound.
"""

from dataclasses import dataclass

import numpy as np

from models.accelerator.costs import UnitCosts
from models.accelerator.points import Array, HePoints
from models.accelerator.timing import (
    ERROR_BYTES,
    MODULES,
    TERNARY_BYTES,
    WORDS_PER_ACCESS,
    Timing,
    buffer_banks,
    transform_stages,
)
from models.config.platform import Accelerator
from models.memory.sram import SramTable
from models.parameters import WORD_BYTES

_TRANSFORM_BUFFERS = 2  # working buffer and twiddle factors


@dataclass(frozen=True)
class Energy:
    """Energy in joule of one operation at M points, by module; every array has shape (M,)."""

    compute: dict[str, Array]
    memory: dict[str, Array]
    leakage: dict[str, Array]

    def module(self, name: str) -> Array:
        """Return the energy of one module."""
        return self.compute[name] + self.memory[name] + self.leakage[name]

    @property
    def total(self) -> Array:
        """Energy of the operation."""
        total: Array = np.sum([self.module(name) for name in MODULES], axis=0)
        return total


@dataclass
class _Work:
    """What a module does in one operation; every count is an array of shape (M,)."""

    multiplications: Array | float = 0.0
    """Weighted by (bits/32)^2."""
    additions: Array | float = 0.0
    """Weighted by bits/32."""
    register_bits: Array | float = 0.0
    buffer_reads: Array | float = 0.0
    buffer_writes: Array | float = 0.0
    twiddle_reads: Array | float = 0.0
    stream_accesses: Array | float = 0.0
    """Writes to a streaming buffer, each read once."""


@dataclass
class _Hardware:
    """What a module is made of; every count is an array of shape (M,)."""

    multipliers: Array | float = 0.0
    """32-bit equivalents."""
    adders: Array | float = 0.0
    transform_buffers: Array | float = 0.0
    streaming_buffers: Array | float = 0.0


def encryption_energy(
    points: HePoints, timing: Timing, design: Accelerator, costs: UnitCosts, sram: SramTable
) -> Energy:
    """Return the energy of a public-key encryption, message encoding included.

    Args:
        points: M parameter choices.
        timing: ``timing.encryption`` of the same points and design.
        design: the design point.
        costs: unit costs of arithmetic.
        sram: arrays with words of 64 bytes; each buffer must be an exact entry.

    Raises:
        ChocoError: a buffer that the points need is not in ``sram``.
    """
    n = points.poly_modulus_degree.astype(float)
    words = n / WORDS_PER_ACCESS
    layers, switched = points.key_residues, np.where(points.key_residues > 1, 1, 0)
    square, linear = points.key_bits_squared / 32**2, points.key_bits / 32
    data_square, data_linear = points.data_bits_squared / 32**2, points.data_bits / 32
    product = costs["multiplications_per_modular_product"]
    addition = costs["additions_per_modular_addition"]
    reduction = costs["multiplications_per_reduction"]
    random_bytes = n * (TERNARY_BYTES + 2 * ERROR_BYTES)
    work = {
        "random_generator": _generator(random_bytes, costs),
        "ntt": _transforms(1, n, layers, square, linear, costs),
        "dyadic_product": _Work(
            multiplications=2 * n * square * product,
            buffer_reads=2 * words * layers,
            buffer_writes=2 * words * layers,
            stream_accesses=2 * words * layers,
        ),
        "intt": _transforms(2, n, layers, square, linear, costs),
        "polynomial_addition": _Work(  # errors to both polynomials, the message to one
            additions=(2 * linear + data_linear) * n * addition,
            buffer_reads=2 * words * layers,
            stream_accesses=2 * words * layers,
        ),
        "modulus_switch": _Work(
            multiplications=2 * n * switched * data_square * (reduction + product),
            additions=2 * n * switched * data_linear * 2 * addition,
            stream_accesses=2 * words * layers * switched,
        ),
        "message_encoding": _encoder(points, costs, scaled=True),
    }
    return _charge(work, points, timing, design, costs, sram)


def decryption_energy(
    points: HePoints, timing: Timing, design: Accelerator, costs: UnitCosts, sram: SramTable
) -> Energy:
    """Return the energy of a decryption, message decoding included; see ``encryption_energy``.

    The layer of the key prime and the random generator idle, but leak.
    """
    n = points.poly_modulus_degree.astype(float)
    words = n / WORDS_PER_ACCESS
    layers = points.data_residues
    square, linear = points.data_bits_squared / 32**2, points.data_bits / 32
    product = costs["multiplications_per_modular_product"]
    addition = costs["additions_per_modular_addition"]
    reduction = costs["multiplications_per_reduction"]
    plain_square = (points.plain_bits / 32) ** 2
    work = {
        "random_generator": _Work(),
        "ntt": _transforms(1, n, layers, square, linear, costs),
        "dyadic_product": _Work(
            multiplications=n * square * product,
            buffer_reads=words * layers,
            buffer_writes=words * layers,
            stream_accesses=words * layers,
        ),
        "intt": _transforms(1, n, layers, square, linear, costs),
        "polynomial_addition": _Work(
            additions=n * linear * addition,
            buffer_reads=words * layers,
            stream_accesses=words * layers,
        ),
        # To the base {t, gamma}: a modular product and two products for each residue, then two
        # reductions of the sums and the correction by gamma (BEHZ, as SEAL decrypts).
        "modulus_switch": _Work(
            multiplications=n
            * (square * (product + 2) + 2 * reduction * square / layers + plain_square * product),
            additions=n * linear * 2,
            stream_accesses=words * layers,
        ),
        "message_encoding": _encoder(points, costs, scaled=False),
    }
    return _charge(work, points, timing, design, costs, sram)


def _transforms(
    count: int, n: Array, layers: Array, square: Array, linear: Array, costs: UnitCosts
) -> _Work:
    butterflies = count * n / 2 * transform_stages(n)
    accesses = count * transform_stages(n) * n / WORDS_PER_ACCESS * layers
    return _Work(
        multiplications=butterflies * square * costs["multiplications_per_modular_product"],
        additions=butterflies * linear * 2 * costs["additions_per_modular_addition"],
        buffer_reads=accesses,
        buffer_writes=accesses,
        twiddle_reads=count * n / WORDS_PER_ACCESS * layers,
    )


def _encoder(points: HePoints, costs: UnitCosts, *, scaled: bool) -> _Work:
    """One transform modulo t; encryption also scales the message by q/t in every data residue."""
    n = points.poly_modulus_degree.astype(float)
    one = np.ones_like(n)
    work = _transforms(1, n, one, (points.plain_bits / 32) ** 2, points.plain_bits / 32, costs)
    if scaled:
        square = points.data_bits_squared / 32**2
        work.multiplications += n * square * costs["multiplications_per_modular_product"]
    work.buffer_writes += n / WORDS_PER_ACCESS
    work.buffer_reads += n / WORDS_PER_ACCESS
    return work


def _generator(random_bytes: Array, costs: UnitCosts) -> _Work:
    return _Work(
        additions=random_bytes * costs["generator_additions_per_byte"],
        register_bits=random_bytes * costs["generator_register_bits_per_byte"],
    )


def _hardware(points: HePoints, design: Accelerator, costs: UnitCosts) -> dict[str, _Hardware]:
    layers, data_layers = points.key_residues, points.data_residues
    wide = costs["layer_multiplier_bits"] / 32
    narrow = costs["encoder_multiplier_bits"] / 32
    product = costs["multiplications_per_modular_product"]
    addition = costs["additions_per_modular_addition"]
    reduction = costs["multiplications_per_reduction"]
    switched = np.where(layers > 1, 1, 0)
    transform = _Hardware(
        multipliers=layers * design.butterflies * product * wide**2,
        adders=layers * design.butterflies * 2 * addition * wide,
        transform_buffers=layers,
    )
    return {
        "random_generator": _Hardware(adders=costs["generator_adders"], streaming_buffers=1.0),
        "ntt": transform,
        "dyadic_product": _Hardware(
            multipliers=layers * design.dyadic_multipliers * product * wide**2,
            streaming_buffers=layers,
        ),
        "intt": transform,
        "polynomial_addition": _Hardware(
            adders=layers * design.adders * addition * wide, streaming_buffers=layers
        ),
        "modulus_switch": _Hardware(
            multipliers=data_layers
            * design.modulus_switch_elements
            * (product + switched * reduction)
            * wide**2,
            adders=data_layers * design.modulus_switch_elements * 2 * addition * wide,
            streaming_buffers=layers,
        ),
        "message_encoding": _Hardware(
            # Two transform blocks, and scaling at the pace of the additions that take it up.
            multipliers=2 * design.encode_butterflies * product * narrow**2
            + data_layers * design.adders * product * wide**2,
            adders=2 * design.encode_butterflies * 2 * addition * narrow,
            transform_buffers=2 * np.ones_like(layers),
        ),
    }


def _charge(
    work: dict[str, _Work],
    points: HePoints,
    timing: Timing,
    design: Accelerator,
    costs: UnitCosts,
    sram: SramTable,
) -> Energy:
    time_s = timing.total / design.clock_hz
    stream = sram.array(int(costs["streaming_buffer_bytes"]))
    hardware = _hardware(points, design, costs)
    compute, memory, leakage = {}, {}, {}
    for name in MODULES:
        done, built = work[name], hardware[name]
        encodes = name == "message_encoding"
        banks = buffer_banks(design.encode_butterflies if encodes else design.butterflies)
        read, write, leak = _buffers(points, banks, sram)
        compute[name] = (
            done.multiplications * costs["multiplier_32b_energy_j"]
            + done.additions * costs["adder_32b_energy_j"]
            + done.register_bits * costs["register_bit_energy_j"]
        ) * np.ones_like(time_s)
        memory[name] = (
            (done.buffer_reads + done.twiddle_reads) * read
            + done.buffer_writes * write
            + done.stream_accesses * (stream.read_energy_j + stream.write_energy_j)
        )
        leakage[name] = time_s * (
            built.multipliers * costs["multiplier_32b_leakage_w"]
            + built.adders * costs["adder_32b_leakage_w"]
            + built.transform_buffers * _TRANSFORM_BUFFERS * banks * leak
            + built.streaming_buffers * stream.leakage_w
        )
    return Energy(compute, memory, leakage)


def _buffers(points: HePoints, banks: int, sram: SramTable) -> tuple[Array, Array, Array]:
    """Read energy, write energy and leakage of one bank of the working buffer of each point."""
    arrays = [sram.array(int(n) * WORD_BYTES // banks) for n in points.poly_modulus_degree]
    return (
        np.array([a.read_energy_j for a in arrays]),
        np.array([a.write_energy_j for a in arrays]),
        np.array([a.leakage_w for a in arrays]),
    )
