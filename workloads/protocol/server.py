"""The server: linear layers on ciphertexts, with evaluation keys and without the secret key.

It receives bytes and answers bytes. Whatever a client sends, it answers with a message; a request
that it refuses leaves it as it was, ready for the next one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.packing.evaluator import CountingEvaluator, galois_element
from workloads.packing.layout import Integers, LinearOperator, LinearPlan
from workloads.protocol.messages import Kind, Message, parse
from workloads.protocol.session import agreement, check_agreement, download_residues

_REFUSED = (ValueError, RuntimeError, IndexError, MemoryError)
"""What SEAL's binding raises on bytes or ciphertexts that it does not accept."""


@dataclass(frozen=True)
class ServedLayer:
    """A linear layer: public plan, and the weights that only the server holds."""

    plan: LinearPlan
    weights: Integers
    bias: Integers


class Server:
    """Evaluates linear layers for one client.

    Attributes:
        encoding_time_s: seconds spent on encoding all weights, once.
    """

    def __init__(
        self,
        parameters: ParameterSet,
        layers: Sequence[ServedLayer],
        *,
        switch_downloads: bool,
    ) -> None:
        self._context = he.context(parameters)
        self._evaluator = CountingEvaluator(self._context)
        self._plans = [layer.plan for layer in layers]
        self._agreement = agreement(parameters, self._plans, switch_downloads)
        self._residues = (
            download_residues(parameters) if switch_downloads else parameters.data_residues
        )
        start = perf_counter()
        self._operators: list[LinearOperator] = [
            layer.plan.encode(self._evaluator, layer.weights, layer.bias) for layer in layers
        ]
        self.encoding_time_s = perf_counter() - start
        self._report: list[dict[str, Any]] = []

    def handle(self, frame: bytes) -> bytes:
        """Answer one frame; never raises on what a client may send."""
        try:
            reply = self._answer(parse(frame))
        except ChocoError as error:
            reply = _refusal(str(error))
        except _REFUSED as error:
            reply = _refusal(f"SEAL refuses the request: {error}")
        return reply.to_bytes()

    def _answer(self, request: Message) -> Message:
        match request.kind:
            case Kind.SETUP:
                return self._setup(request)
            case Kind.EVALUATE:
                return self._evaluate(request)
            case Kind.REPORT:
                report, self._report = self._report, []
                return Message(Kind.REPORT, parts=(json.dumps(report).encode(),))
            case _:
                raise ChocoError(f"a server does not take {request.kind.name} messages")

    def _setup(self, request: Message) -> Message:
        if len(request.parts) != 2:
            raise ChocoError(f"setup: {len(request.parts)} parts; expected agreement and keys")
        check_agreement(self._agreement, request.parts[0])
        keys = self._context.from_galois_str(request.parts[1])
        for plan in self._plans:
            for step in sorted(plan.rotation_steps):
                if not keys.has_key(galois_element(step, self._evaluator.row_size)):
                    raise ChocoError(f"setup: no Galois key for a rotation by {step}")
        self._evaluator.galois_keys = keys
        return Message(Kind.READY)

    def _evaluate(self, request: Message) -> Message:
        if request.layer >= len(self._plans):
            raise ChocoError(f"no layer {request.layer}; the last one is {len(self._plans) - 1}")
        if self._evaluator.galois_keys is None:
            raise ChocoError("evaluate: the client must send its evaluation keys first")
        expected = self._plans[request.layer].input_ciphertexts
        if len(request.parts) != expected:
            raise ChocoError(
                f"layer {request.layer}: {len(request.parts)} ciphertexts; expected {expected}"
            )
        self._evaluator.take_counts()  # a refused request may have left some behind
        start = perf_counter()
        inputs = [self._ciphertext(part) for part in request.parts]
        outputs = [
            self._evaluator.switch_modulus(result, self._residues)
            for result in self._operators[request.layer].apply(inputs)
        ]
        parts = tuple(result.to_string() for result in outputs)
        self._report.append(
            {
                "layer": request.layer,
                "time_s": perf_counter() - start,
                "operations": self._evaluator.take_counts(),
            }
        )
        return Message(Kind.RESULT, request.layer, parts)

    def _ciphertext(self, data: bytes) -> Any:
        """Load an input; it must be as fresh ciphertexts are."""
        loaded = self._context.from_cipher_str(data)
        if (
            loaded.size() != 2
            or loaded.is_ntt_form()
            or list(loaded.parms_id()) != list(self._context.first_parms_id())
        ):
            raise ChocoError("evaluate: expected a fresh ciphertext of two polynomials")
        return loaded


def _refusal(reason: str) -> Message:
    return Message(Kind.ERROR, parts=(" ".join(reason.split()).encode(),))
