"""What a workload gives to the protocol: plans, which are public, and services, the server's.

A *plan* is the geometry of one offloaded step: how its input lies in slots, what comes back, which
rotations need keys. Both parties hold it and compare it before they start. A *service* is a plan
with what only the server has (weights, points, a graph); bound to an evaluator, it becomes an
*operator* on ciphertexts. Both schemes use the same three; they differ in the slots:

- BFV: integers of shape (2, N/2), |value| < t/2;
- CKKS: real numbers of shape (N/2,).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from models.errors import ChocoError
from models.noise import Noise
from models.parameters import ParameterSet
from workloads.packing.evaluator import Evaluator

Values = NDArray[Any]


class Plan(Protocol):
    """The public geometry of one offloaded step."""

    @property
    def input_ciphertexts(self) -> int:
        """Ciphertexts that the client sends."""

    @property
    def output_ciphertexts(self) -> int:
        """Ciphertexts that the server returns; 0 for a step that only stores its input."""

    @property
    def rotation_steps(self) -> frozenset[int]:
        """Left rotations, 0 < step < N/2, that need a Galois key."""

    def pack(self, values: Values) -> list[Values]:
        """Lay the input out in slots: one array per ciphertext."""

    def unpack(self, slots: Sequence[Values]) -> Values:
        """Collect the output from the slots of the results."""

    def describe(self) -> dict[str, Any]:
        """Return what both parties compare before they start, as JSON values."""


@runtime_checkable
class PredictsNoise(Protocol):
    """A plan in BFV that knows how much noise its results have."""

    def noise(self, parameters: ParameterSet) -> Noise:
        """Predict the noise of the results, before primes are dropped."""


class Operator(Protocol):
    """A step ready to run on any number of inputs."""

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """Map input ciphertexts to output ciphertexts (BFV: in coefficient form)."""


class Service(Protocol):
    """A plan and what only the server has."""

    @property
    def plan(self) -> Plan:
        """The public part."""

    def bind(self, evaluator: Any) -> Operator:
        """Encode the server's part once, for every input to come."""


@dataclass(frozen=True)
class BoundService:
    """A service made of a plan and a function that binds it to an evaluator."""

    plan: Plan
    bind: Callable[[Any], Operator]


@dataclass(frozen=True)
class StoredService:
    """A service that keeps its inputs with the server, for other operators to use.

    They find them in ``evaluator.stored[name]``. Its plan has no outputs.
    """

    name: str
    plan: Plan

    def __post_init__(self) -> None:
        if self.plan.output_ciphertexts:
            raise ChocoError(f"{self.name}: a step that stores its input returns no ciphertext")

    def bind(self, evaluator: Evaluator) -> Operator:
        """Return the operator that stores."""
        return _Store(self.name, evaluator)


@dataclass(frozen=True)
class _Store:
    name: str
    evaluator: Evaluator

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        self.evaluator.stored[self.name] = list(inputs)
        return []


def stored(evaluator: Evaluator, name: str) -> list[Any]:
    """Return the ciphertexts that the client stored under ``name``.

    Raises:
        ChocoError: it has stored none since it sent its keys.
    """
    if name not in evaluator.stored:
        raise ChocoError(f"the client has stored no {name} yet")
    return evaluator.stored[name]
