"""The server: offloaded steps on ciphertexts, with evaluation keys and without the secret key.

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
from workloads.packing.evaluator import CountingEvaluator, galois_element, make_evaluator
from workloads.packing.layout import Integers, LinearOperator, LinearPlan
from workloads.protocol.messages import Kind, Message, parse
from workloads.protocol.plan import Operator, Service
from workloads.protocol.session import (
    agreement,
    check_agreement,
    check_seal_object,
    max_request_bytes,
    predicted_residues,
)

_REFUSED = (ValueError, RuntimeError, IndexError, MemoryError)
"""What SEAL's binding raises on bytes or ciphertexts that it does not accept."""

_LONGEST_REASON = 500


@dataclass(frozen=True)
class ServedLayer:
    """A linear layer: public plan, and the weights that only the server holds.

    Attributes:
        keep: encode the weights once and keep them for every input to come, or at each use.
    """

    plan: LinearPlan
    weights: Integers
    bias: Integers
    keep: bool = True

    def bind(self, evaluator: CountingEvaluator) -> LinearOperator:
        """Bind the plan to the weights."""
        return self.plan.encode(evaluator, self.weights, self.bias, keep=self.keep)


class Server:
    """Evaluates the steps of one workload for one client at a time.

    Attributes:
        encoding_time_s: seconds spent on encoding all weights (points, ...), once.
        max_request_bytes: payload of the largest request that has a meaning for this workload.
    """

    def __init__(
        self,
        parameters: ParameterSet,
        services: Sequence[Service],
        *,
        switch_downloads: bool = False,
        relinearization: bool = False,
    ) -> None:
        self._context = he.context(parameters)
        self._parameters = parameters
        self._evaluator = make_evaluator(parameters, self._context)
        self._plans = [service.plan for service in services]
        self._agreement = agreement(
            parameters,
            self._plans,
            switch_downloads=switch_downloads,
            relinearization=relinearization,
        )
        self._relinearization = relinearization
        self._residues = [
            predicted_residues(plan, parameters) if switch_downloads else None
            for plan in self._plans
        ]
        bits = parameters.scale_bits
        self._fresh_scale = 1.0 if bits is None else 2.0**bits
        start = perf_counter()
        self._operators: list[Operator] = [service.bind(self._evaluator) for service in services]
        self.encoding_time_s = perf_counter() - start
        self.max_request_bytes = max_request_bytes(parameters, self._plans, relinearization)
        self._report: list[dict[str, Any]] = []

    def forget_client(self) -> None:
        """Drop keys, stored ciphertexts and the report: the next client is another one."""
        self._evaluator.set_keys(None, None)
        self._report = []

    def handle(self, frame: bytes) -> bytes:
        """Answer one frame; never raises on what a client may send."""
        try:
            reply = self._answer(parse(frame, self.max_request_bytes))
        except ChocoError as error:
            reply = refusal(str(error))
        except _REFUSED as error:
            reply = refusal(f"SEAL refuses the request: {error}")
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
        expected = 3 if self._relinearization else 2
        if len(request.parts) != expected:
            raise ChocoError(
                f"setup: {len(request.parts)} parts; expected agreement and keys, {expected}"
            )
        check_agreement(self._agreement, request.parts[0])
        check_seal_object("setup: the Galois keys", request.parts[1])
        keys = self._context.from_galois_str(request.parts[1])
        relinearization_keys = None
        if self._relinearization:
            check_seal_object("setup: the relinearization keys", request.parts[2])
            relinearization_keys = self._context.from_relin_str(request.parts[2])
            if not relinearization_keys.has_key(2):
                raise ChocoError("setup: the relinearization keys hold no key for products")
        for plan in self._plans:
            for step in sorted(plan.rotation_steps):
                if not keys.has_key(galois_element(step, self._evaluator.row_size)):
                    raise ChocoError(f"setup: no Galois key for a rotation by {step}")
        self._evaluator.set_keys(keys, relinearization_keys)
        self._report = []
        ready = {"encoding_time_s": self.encoding_time_s}
        return Message(Kind.READY, parts=(json.dumps(ready).encode(),))

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
        outputs = self._operators[request.layer].apply(inputs)
        residues = self._residues[request.layer]
        if residues is not None:
            outputs = [self._evaluator.switch_modulus(result, residues) for result in outputs]
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
        check_seal_object("evaluate: a ciphertext", data)
        loaded = self._context.from_cipher_str(data)
        if (
            loaded.size() != 2
            or loaded.is_ntt_form() != (self._parameters.scheme == "ckks")
            or loaded.scale() != self._fresh_scale
            or list(loaded.parms_id()) != list(self._context.first_parms_id())
        ):
            raise ChocoError("evaluate: expected a fresh ciphertext of two polynomials")
        return loaded


def refusal(reason: str) -> Message:
    """Return the message that refuses a request: one line, as it may quote what was sent."""
    line = " ".join(reason.split())
    if len(line) > _LONGEST_REASON:
        line = f"{line[:_LONGEST_REASON]}..."
    return Message(Kind.ERROR, parts=(line.encode(errors="replace"),))
