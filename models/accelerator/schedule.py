"""What the accelerator does in each operation, step by step: the schedule of the RTL.

A command of the RTL is a list of steps; everything in a step runs at the same time, and the next
begins when all of it is done (``rtl/taco/taco_sequence.sv``; CHOCO, Sections 4.1, 4.3 and 4.6,
DOI 10.1145/3503222.3507737). Every layer has two buffers: A holds u or c1, B holds products.
"""

from dataclasses import dataclass
from typing import Literal

Operation = Literal["bfv_encrypt", "bfv_decrypt", "ckks_encrypt", "ckks_decrypt"]
Phase = Literal[
    "sample", "load", "ntt", "product", "intt", "addition", "encode", "decode", "control"
]
PHASES: tuple[Phase, ...] = (
    "sample",  # u from the generator to buffer A
    "load",  # c1 from the host to buffer A
    "ntt",
    "product",  # A times a key to B, where nothing slower runs beside it
    "intt",
    "addition",  # B and errors, c0 or a message: modulus switching and the host beside it
    "encode",  # encryption waits for its message
    "decode",
    "control",  # steps change, pipelines fill
)


@dataclass(frozen=True)
class Step:
    """One step of a command; what is named in it runs at the same time, in every layer."""

    phase: Phase
    load: Literal["ternary", "external", None] = None
    """Where the polynomial that buffer A is filled with comes from."""
    transform: Literal["ntt", "intt", None] = None
    buffer: Literal["A", "B"] = "A"
    """What is transformed."""
    product: bool = False
    drain: bool = False
    """B streams out."""
    addend: Literal["error", "external", None] = None
    """What is added to B on its way."""
    switch: bool = False
    """The key prime is dropped on the way."""
    message: bool = False
    """The scaled message is added on the way (BFV)."""
    target: Literal["host", "B", "message", None] = None
    """Where B streams to."""
    key_layer: bool = True
    """Whether the layer of the key prime takes part."""


_SAMPLE = Step("sample", load="ternary")
_NTT = Step("ntt", transform="ntt")
_PRODUCT = Step("product", product=True)
_INTT = Step("intt", transform="intt", buffer="B")
_ERROR = Step("addition", drain=True, addend="error", switch=True)


def _with(step: Step, **changes: object) -> Step:
    return Step(**(step.__dict__ | changes))


SCHEDULES: dict[Operation, tuple[Step, ...]] = {
    "bfv_encrypt": (
        _SAMPLE,
        _NTT,
        _PRODUCT,
        _INTT,
        _with(_ERROR, target="host", product=True),
        _INTT,
        _with(_ERROR, target="host", message=True),
    ),
    "bfv_decrypt": tuple(
        _with(step, key_layer=False)
        for step in (
            Step("load", load="external"),
            _NTT,
            _PRODUCT,
            _INTT,
            Step("addition", drain=True, addend="external", target="message"),
        )
    ),
    "ckks_encrypt": (
        _SAMPLE,
        _NTT,
        _PRODUCT,
        _INTT,
        _with(_ERROR, target="B"),
        _with(_NTT, buffer="B", key_layer=False),
        Step("addition", drain=True, target="host", product=True),
        _INTT,
        _with(_ERROR, target="B"),
        _with(_NTT, buffer="B", key_layer=False),
        Step("addition", drain=True, addend="external", target="host", key_layer=False),
    ),
    "ckks_decrypt": tuple(
        _with(step, key_layer=False)
        for step in (
            Step("load", load="external"),
            _PRODUCT,
            Step("addition", drain=True, addend="external", target="host"),
        )
    ),
}
"""The steps of each operation, as ``taco_sequence`` runs them."""
OPERATIONS: tuple[Operation, ...] = tuple(SCHEDULES)
