"""The client's side of the protocol: the only holder of the secret key.

It packs, encrypts, sends, receives, decrypts and unpacks. What happens between two layers in the
clear is the application's.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.packing.evaluator import make_galois_keys
from workloads.protocol.encoding import make_encoding
from workloads.protocol.messages import Kind, Message, parse
from workloads.protocol.plan import Plan, Values
from workloads.protocol.session import agreement, check_seal_object
from workloads.protocol.transport import Transport


@dataclass(frozen=True)
class Exchange:
    """What one offloaded step cost the client.

    Ciphertext bytes count 8 N for each residue of each polynomial, as the paper does; wire bytes
    are those of whole messages. ``min_budget_bits`` is None where nothing was decrypted, and in
    CKKS, which has no noise budget.
    """

    layer: int
    encryptions: int
    decryptions: int
    upload_bytes: int
    download_bytes: int
    wire_upload_bytes: int
    wire_download_bytes: int
    download_residues: int
    min_budget_bits: int | None
    encrypt_time_s: float
    decrypt_time_s: float


class Client:
    """Encrypts for, and decrypts from, one server.

    Attributes:
        key_bytes: wire bytes of the evaluation keys, sent once by ``connect``.
        key_time_s: seconds spent on making keys.
        server_encoding_time_s: seconds the server says it spent on encoding what it holds.
        exchanges: one record for every step evaluated, in order.
    """

    def __init__(
        self,
        parameters: ParameterSet,
        plans: Sequence[Plan],
        transport: Transport,
        *,
        switch_downloads: bool = False,
        relinearization: bool = False,
    ) -> None:
        self._parameters = parameters
        self._plans = plans
        self._transport = transport
        self._agreement = agreement(
            parameters, plans, switch_downloads=switch_downloads, relinearization=relinearization
        )
        self._relinearization = relinearization
        start = perf_counter()
        self._context = he.context(parameters)
        self._generator = seal.KeyGenerator(self._context)
        self._encryptor = seal.Encryptor(self._context, self._generator.create_public_key())
        self._decryptor = seal.Decryptor(self._context, self._generator.secret_key())
        self._encoding = make_encoding(parameters, self._context)
        self.key_time_s = perf_counter() - start
        self.key_bytes = 0
        self.server_encoding_time_s = 0.0
        self.exchanges: list[Exchange] = []

    @property
    def rotation_steps(self) -> list[int]:
        """Left rotations that the client makes Galois keys for."""
        return sorted({step for plan in self._plans for step in plan.rotation_steps})

    def layout(self) -> list[dict[str, Any]]:
        """Return the public layout of every layer, as JSON values."""
        return [plan.describe() for plan in self._plans]

    def connect(self) -> None:
        """Agree with the server and send the evaluation keys.

        Raises:
            ChocoError: the server refuses; carries its reason.
        """
        start = perf_counter()
        keys = [make_galois_keys(self._generator, self.rotation_steps).to_string()]
        if self._relinearization:
            keys.append(self._generator.create_relin_keys().to_string())
        self.key_time_s += perf_counter() - start
        self.key_bytes = sum(map(len, keys))
        agreed = json.dumps(self._agreement).encode()
        reply = self._ask(Message(Kind.SETUP, parts=(agreed, *keys)), Kind.READY)
        self.server_encoding_time_s = float(self._json(reply, dict).get("encoding_time_s", 0.0))

    def evaluate(self, layer: int, values: Values) -> Values:
        """Have the server compute step ``layer``, an index into the plans, on ``values``.

        Raises:
            ChocoError: the server refuses, or a result cannot be decrypted reliably.
        """
        plan = self._plans[layer]
        start = perf_counter()
        inputs = [
            self._encryptor.encrypt(self._encoding.encode(slots)) for slots in plan.pack(values)
        ]
        request = Message(Kind.EVALUATE, layer, tuple(c.to_string() for c in inputs))
        encrypt_time_s = perf_counter() - start
        sent, received = self._transport.sent_bytes, self._transport.received_bytes
        reply = self._ask(request, Kind.RESULT)
        if reply.layer != layer:
            raise ChocoError(f"layer {layer}: the server answers for layer {reply.layer}")
        if len(reply.parts) != plan.output_ciphertexts:
            raise ChocoError(
                f"layer {layer}: {len(reply.parts)} results; expected {plan.output_ciphertexts}"
            )
        start = perf_counter()
        outputs = [self._load(part) for part in reply.parts]
        slots = [self._decrypt(result) for result in outputs]
        unpacked = plan.unpack(slots)
        decrypt_time_s = perf_counter() - start
        budget = self._min_budget_bits(outputs)
        if budget is not None and budget <= 0:
            raise ChocoError(
                f"layer {layer}: no noise budget left, so the result is not reliable; use a "
                "larger coeff_modulus, a smaller plain_modulus, or switch_downloads: false"
            )
        self.exchanges.append(
            Exchange(
                layer=layer,
                encryptions=len(inputs),
                decryptions=len(outputs),
                upload_bytes=sum(map(self._ciphertext_bytes, inputs)),
                download_bytes=sum(map(self._ciphertext_bytes, outputs)),
                wire_upload_bytes=self._transport.sent_bytes - sent,
                wire_download_bytes=self._transport.received_bytes - received,
                download_residues=max((r.coeff_modulus_size() for r in outputs), default=0),
                min_budget_bits=budget,
                encrypt_time_s=encrypt_time_s,
                decrypt_time_s=decrypt_time_s,
            )
        )
        return unpacked

    def server_report(self) -> list[dict[str, Any]]:
        """Return the server's record of every layer evaluated since the last report."""
        reply = self._ask(Message(Kind.REPORT), Kind.REPORT)
        report: list[dict[str, Any]] = self._json(reply, list)
        return report

    @staticmethod
    def _json(reply: Message, expected: type) -> Any:
        try:
            value = json.loads(reply.parts[0])
        except (ValueError, IndexError, RecursionError):
            value = None
        if not isinstance(value, expected):
            raise ChocoError(f"server: its {reply.kind.name} message is not what it should hold")
        return value

    def _min_budget_bits(self, results: Sequence[Any]) -> int | None:
        budgets = [self._encoding.budget_bits(self._decryptor, result) for result in results]
        return min((bits for bits in budgets if bits is not None), default=None)

    def _ask(self, request: Message, expected: Kind) -> Message:
        reply = parse(self._transport.exchange(request.to_bytes()))
        if reply.kind == Kind.ERROR:
            raise ChocoError(f"server: {b' '.join(reply.parts).decode(errors='replace')}")
        if reply.kind != expected:
            raise ChocoError(f"server: answered {reply.kind.name}; expected {expected.name}")
        return reply

    def _load(self, data: bytes) -> Any:
        check_seal_object("server: a result", data)
        try:
            return self._context.from_cipher_str(data)
        except (ValueError, RuntimeError) as error:
            raise ChocoError(f"server: result is not a ciphertext: {error}") from None

    def _decrypt(self, result: Any) -> Values:
        try:
            return self._encoding.decode(self._decryptor.decrypt(result))
        except (ValueError, RuntimeError) as error:
            raise ChocoError(f"server: result cannot be decrypted: {error}") from None

    def _ciphertext_bytes(self, ciphertext: Any) -> int:
        return self._parameters.ciphertext_bytes(ciphertext.coeff_modulus_size(), ciphertext.size())
