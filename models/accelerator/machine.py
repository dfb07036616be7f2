"""What an accelerator is built of, and how much each piece works in an operation.

Logic are the modules of ``rtl/taco`` that were synthesized (``taco_top``, ``taco_datapath``,
``taco_layer``, ``taco_message``), memories are the arrays behind its ``taco_sram_1r1w``. Work is in
cycles of one piece, summed over all pieces of a kind: a layer that takes no part in a step idles.
A module that a number of elements was chosen for works a cycle for so many coefficients.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from models.accelerator.blocks import BlockCosts, rest
from models.accelerator.points import Array, DesignPoints, HePoints
from models.accelerator.schedule import SCHEDULES, Operation, Phase, Step
from models.accelerator.timing import (
    BLOCK_CYCLES,
    SAMPLE_BYTES,
    STREAM_SAMPLE_BYTES,
    TERNARY_BLOCK_CYCLES,
    WORD_COEFFICIENTS,
    Timing,
    buffer_banks,
    transform_cycles,
    transform_stages,
)
from models.parameters import WORD_BYTES

Module = Literal[
    "random_generator",
    "transform",
    "dyadic_product",
    "polynomial_addition",
    "modulus_switch",
    "message_encoding",
    "streams",
    "control",
]
MODULES: tuple[Module, ...] = (
    "random_generator",
    "transform",  # NTT and INTT of the layers, their buffers and twiddles
    "dyadic_product",  # and the keys
    "polynomial_addition",
    "modulus_switch",
    "message_encoding",  # and decoding, with base conversion
    "streams",  # what reads and writes the buffers, and leads from module to module
    "control",  # host port, registers, sequence
)
KEYS = 3
"""Polynomials that a layer keeps: two of the public key and the secret key."""

WORD_BITS = 512
SLOT_BITS = 64

Work = dict[Phase, Array]


@dataclass(frozen=True)
class Part:
    """Blocks of one kind."""

    module: Module
    name: str
    count: Array
    costs: BlockCosts
    work: Work = field(default_factory=dict)
    """Cycles of work, all blocks of the kind added up."""


class ArrayCosts(Protocol):
    """Costs of SRAM arrays (``models.memory``); every field is an array of one shape."""

    @property
    def area_m2(self) -> Array: ...  # noqa: D102
    @property
    def read_energy_j(self) -> Array: ...  # noqa: D102
    @property
    def write_energy_j(self) -> Array: ...  # noqa: D102
    @property
    def leakage_w(self) -> Array: ...  # noqa: D102
    @property
    def cycle_time_s(self) -> Array: ...  # noqa: D102


@dataclass(frozen=True)
class Memory:
    """SRAM arrays of one kind."""

    module: Module
    name: str
    count: Array
    costs: ArrayCosts
    reads: Work = field(default_factory=dict)
    """Accesses of a word, all arrays of the kind added up."""
    writes: Work = field(default_factory=dict)


class Blocks(Protocol):
    """Where block costs come from (``BlockTable``)."""

    def costs(self, block: str, **sizes: Array | int) -> BlockCosts:
        """Return the cost of a block."""


Sram = Callable[[Array, int], ArrayCosts]
"""Costs of arrays of so many bytes with words of so many bits."""


def parts(
    operation: Operation, he: HePoints, design: DesignPoints, timing: Timing, blocks: Blocks
) -> Iterator[Part]:
    """Yield the logic of a design and its work in an operation."""
    n, layers, data = he.poly_modulus_degree, he.key_residues, he.data_residues
    adders, lanes = design.adders, design.adders
    steps = SCHEDULES[operation]
    drawn = _added(
        (s.phase, _blocks_drawn(s, n, design)) for s in steps if s.load == "ternary" or _errors(s)
    )
    yield Part(
        "random_generator",
        "sampler",
        design.generator_units,
        # Of either distribution: what shapes the random bits is small beside the generator.
        blocks.costs("taco_sampler", Lanes=lanes, ClippedNormal=0),
        drawn,
    )
    expanded = _added(
        (s.phase, _layers(s, he) * (n / adders)) for s in steps if s.load == "ternary" or _errors(s)
    )
    yield Part(
        "random_generator",
        "expansion to residues",
        layers,
        blocks.costs("taco_rns_expand", Lanes=adders),
        expanded,
    )

    # One unit for both directions is the NTT's, and the INTT's work is done by one of equal size.
    for kind, butterflies, units in (
        ("ntt", design.ntt_butterflies, np.asarray(1)),
        ("intt", design.intt_butterflies, design.transform_units - 1),
    ):
        yield Part(
            "transform",
            f"{kind} block",
            layers * units,
            blocks.costs("taco_ntt", Butterflies=butterflies),
            _added(
                (s.phase, _layers(s, he) * transform_cycles(n, butterflies))
                for s in steps
                if s.transform == kind
            ),
        )

    yield Part(
        "dyadic_product",
        "multipliers",
        layers,
        blocks.costs("taco_dyadic", Lanes=design.dyadic_multipliers),
        _added(
            (s.phase, _layers(s, he) * (n / design.dyadic_multipliers)) for s in steps if s.product
        ),
    )
    addition = blocks.costs("taco_poly_add", Lanes=adders)
    for name, count, drained in (
        ("adders", layers, [s for s in steps if s.drain]),
        # Behind modulus switching, for the message.
        ("adders of messages", data, [s for s in steps if s.switch and s.target == "host"]),
    ):
        yield Part(
            "polynomial_addition",
            name,
            count,
            addition,
            _added(
                (s.phase, (_layers(s, he) if name == "adders" else data) * (n / adders))
                for s in drained
            ),
        )
    yield Part(
        "modulus_switch",
        "switch",
        np.asarray(1),
        blocks.costs("taco_mod_switch", Lanes=design.modulus_switch_elements, DataLayers=data),
        _added((s.phase, n / design.modulus_switch_elements) for s in steps if s.switch),
    )

    coded = _coding(steps)
    yield Part(
        "message_encoding",
        "transform block",
        np.asarray(1),
        blocks.costs("taco_ntt", Butterflies=design.encode_butterflies),
        {coded: transform_cycles(n, design.encode_butterflies)} if coded else {},
    )
    yield Part(
        "message_encoding",
        "scaling and rounding",
        lanes,
        blocks.costs("taco_message_lane", DataLayers=data),
        {coded: n} if coded else {},
    )
    yield from _between(he, design, timing, coded, blocks)
    for name, block in (
        ("host port", "taco_host"),
        ("registers", "taco_registers"),
        ("sequence", "taco_sequence"),
    ):
        yield Part("control", name, np.asarray(1), blocks.costs(block), timing.phases)


def _between(
    he: HePoints, design: DesignPoints, timing: Timing, coded: Phase | None, blocks: Blocks
) -> Iterator[Part]:
    """Yield what is between the blocks, from whole blocks that were synthesized as they are built.

    Those have two lanes, two data layers and four butterflies; what is between their blocks is
    taken to be the same in other machines.
    """
    lanes, data, butterflies = 2, 2, 4
    adders = blocks.costs("taco_poly_add", Lanes=lanes)
    layer = blocks.costs("taco_layer", Butterflies=butterflies, Lanes=lanes)
    between = rest(
        layer,
        (1, blocks.costs("taco_ntt", Butterflies=butterflies)),
        (1, blocks.costs("taco_dyadic", Lanes=lanes)),
        (1, blocks.costs("taco_rns_expand", Lanes=lanes)),
        (1, adders),
    )
    yield Part(
        "streams",
        "in layers",
        he.key_residues,
        between,
        {phase: cycles * he.key_residues for phase, cycles in timing.phases.items()},
    )
    one = np.asarray(1)
    switch = blocks.costs("taco_mod_switch", Lanes=lanes, DataLayers=data)
    datapath = blocks.costs(
        "taco_datapath", Butterflies=butterflies, Lanes=lanes, Residues=data + 1
    )
    between_layers = rest(datapath, (data + 1, layer), (1, switch), (data, adders))
    yield Part("streams", "between layers", one, between_layers, timing.phases)
    lane = blocks.costs("taco_message_lane", DataLayers=data)
    residues = blocks.costs("taco_message_residues", Lanes=lanes, DataLayers=data)
    for name, costs in (
        ("slots", blocks.costs("taco_message_slots")),
        ("streams of residues", rest(residues, (lanes, lane))),
    ):
        work: Work = {coded: he.poly_modulus_degree / WORD_COEFFICIENTS} if coded else {}
        yield Part("message_encoding", name, one, costs, work)


def memories(
    operation: Operation, he: HePoints, design: DesignPoints, sram: Sram
) -> Iterator[Memory]:
    """Yield the memories of a design and how often an operation accesses them."""
    n, layers = he.poly_modulus_degree, he.key_residues
    words, polynomial = n // WORD_COEFFICIENTS, n * WORD_BYTES
    steps = SCHEDULES[operation]
    passes = transform_stages(n)

    for buffer, butterflies in (("A", design.ntt_butterflies), ("B", design.intt_butterflies)):
        banks = buffer_banks(butterflies)
        moved = [
            (s.phase, _layers(s, he) * passes * words)
            for s in steps
            if s.transform and s.buffer == buffer
        ]
        read = [
            (s.phase, _layers(s, he) * words)
            for s in steps
            if (s.product if buffer == "A" else s.drain)
        ]
        written = [
            (s.phase, _layers(s, he) * words)
            for s in steps
            if (s.load if buffer == "A" else s.product or s.target == "B")
        ]
        yield Memory(
            "transform",
            f"buffer {buffer}",
            layers * banks,
            sram(polynomial // banks, WORD_BITS),
            _added([*moved, *read]),
            _added([*moved, *written]),
        )
    for kind, butterflies, units in (
        ("ntt", design.ntt_butterflies, np.asarray(1)),
        ("intt", design.intt_butterflies, design.transform_units - 1),
    ):
        banks = np.maximum(1, butterflies // 8)
        yield Memory(
            "transform",
            f"{kind} twiddles",
            layers * banks * units,
            sram(polynomial // banks, WORD_BITS),
            _added((s.phase, _layers(s, he) * words) for s in steps if s.transform == kind),
        )
    yield Memory(
        "dyadic_product",
        "keys",
        KEYS * layers,
        sram(polynomial, WORD_BITS),
        _added((s.phase, _layers(s, he) * words) for s in steps if s.product),
    )
    if np.any(design.stream_buffer_bytes):
        yield _stream_buffer(steps, n, design, sram)
    yield from _message_memories(steps, n, design, sram)


def _stream_buffer(steps: tuple[Step, ...], n: Array, design: DesignPoints, sram: Sram) -> Memory:
    """Return the buffer of samples; a design without one has none of these arrays."""
    there = (design.stream_buffer_bytes > 0).astype(np.int64)
    smallest = np.maximum(design.stream_buffer_bytes, WORD_BITS // 8 * 2)
    accesses = there * (n * STREAM_SAMPLE_BYTES // (WORD_BITS // 8))
    moved = _added((s.phase, accesses) for s in steps if _errors(s))
    return Memory(
        "random_generator", "stream buffer", there, sram(smallest, WORD_BITS), moved, moved
    )


def _message_memories(
    steps: tuple[Step, ...], n: Array, design: DesignPoints, sram: Sram
) -> Iterator[Memory]:
    coded = _coding(steps)
    words, polynomial = n // WORD_COEFFICIENTS, n * WORD_BYTES
    banks = buffer_banks(design.encode_butterflies)
    # The transform, and once more each way: slots to places, places to the layers, or back.
    moved: Work = {coded: (transform_stages(n) + 1) * words} if coded else {}
    yield Memory(
        "message_encoding", "buffer", banks, sram(polynomial // banks, WORD_BITS), moved, moved
    )
    yield Memory(
        "message_encoding",
        "twiddles",
        np.asarray(1),
        sram(polynomial, WORD_BITS),
        {coded: words} if coded else {},
    )
    once: Work = {coded: n} if coded else {}  # 8 arrays, words of one slot
    yield Memory("message_encoding", "slots", np.asarray(8), sram(n, SLOT_BITS), once, once)


def _coding(steps: tuple[Step, ...]) -> Phase | None:
    if any(step.message for step in steps):
        return "encode"
    return "decode" if any(step.target == "message" for step in steps) else None


def _errors(step: Step) -> bool:
    return step.addend == "error"


def _layers(step: Step, he: HePoints) -> Array:
    return he.key_residues if step.key_layer else he.data_residues


def _blocks_drawn(step: Step, n: Array, design: DesignPoints) -> Array:
    """Return the cycles that the generators together need for the samples of a step."""
    if step.load == "ternary":
        return n * SAMPLE_BYTES["ternary"] / 64 * TERNARY_BLOCK_CYCLES
    return n * SAMPLE_BYTES[design.error_distribution] / 64 * BLOCK_CYCLES


def _added(work: Iterator[tuple[Phase, Array]] | list[tuple[Phase, Array]]) -> Work:
    """Add up work by phase."""
    total: Work = {}
    for phase, cycles in work:
        total[phase] = total[phase] + cycles if phase in total else cycles
    return total
