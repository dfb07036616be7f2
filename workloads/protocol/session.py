"""What client and server must agree on before any ciphertext is sent."""

import json
import struct
from collections.abc import Sequence
from typing import Any

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.packing.layer_noise import download_residues
from workloads.protocol.messages import VERSION
from workloads.protocol.plan import Plan, PredictsNoise

_SEAL_HEADER = struct.Struct("<HBBBBHQ")
_SEAL_MAGIC = 0xA15E
_SPARE_BYTES = 1 << 16


def agreement(
    parameters: ParameterSet,
    plans: Sequence[Plan],
    *,
    switch_downloads: bool,
    relinearization: bool,
) -> dict[str, Any]:
    """Return everything public that both sides derive their work from, as JSON values.

    Raises:
        ChocoError: downloads cannot be switched in CKKS.
    """
    if switch_downloads and parameters.scheme == "ckks":
        raise ChocoError(
            "switch_downloads: true is for BFV; how many primes a CKKS result needs depends on its "
            "scale and values, so CKKS operators drop them themselves (switch_modulus)"
        )
    described: dict[str, Any] = {
        "protocol": VERSION,
        "parameters": parameters.model_dump(mode="json"),
        "layers": [plan.describe() for plan in plans],
        "switch_downloads": switch_downloads,
        "relinearization": relinearization,
    }
    # through JSON, so that tuples and lists compare equal on both sides
    parsed: dict[str, Any] = json.loads(json.dumps(described))
    return parsed


def check_agreement(ours: dict[str, Any], text: bytes) -> None:
    """Compare the client's agreement with the server's.

    Raises:
        ChocoError: names the first entry that differs.
    """
    try:
        theirs = json.loads(text)
    except ValueError:
        raise ChocoError("setup: the agreement is not JSON") from None
    if not isinstance(theirs, dict):
        raise ChocoError("setup: the agreement is not a JSON object")
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            raise ChocoError(
                f"setup: client and server differ in {key}: "
                f"client {theirs.get(key)!r}, server {ours.get(key)!r}"
            )


def check_seal_object(name: str, data: bytes) -> None:
    """Check the header that SEAL writes before every object.

    Only uncompressed objects are taken: then nothing that is loaded can be larger than what came.

    Raises:
        ChocoError: not an object of SEAL, compressed, or of another length than its header says.
    """
    if len(data) < _SEAL_HEADER.size:
        raise ChocoError(f"{name}: {len(data)} bytes are no object of SEAL")
    magic, header_bytes, _, _, compression, _, size_bytes = _SEAL_HEADER.unpack_from(data)
    if magic != _SEAL_MAGIC or header_bytes != _SEAL_HEADER.size:
        raise ChocoError(f"{name}: not an object of SEAL")
    if compression:
        raise ChocoError(f"{name}: compressed; only uncompressed objects are taken")
    if size_bytes != len(data):
        raise ChocoError(f"{name}: {len(data)} bytes; its header announces {size_bytes}")


def max_request_bytes(
    parameters: ParameterSet, plans: Sequence[Plan], relinearization: bool
) -> int:
    """Return the payload of the largest request of a workload: its keys, or its largest input.

    SEAL's Galois keys hold a length for each of N possible elements, present or not; every object
    has headers of some hundred bytes. An eighth on top covers them all.
    """
    steps = {step for plan in plans for step in plan.rotation_steps}
    keys = len(steps) + relinearization
    setup = keys * parameters.key_switching_key_bytes + parameters.polynomial_bytes
    inputs = max((plan.input_ciphertexts for plan in plans), default=0)
    agreed = len(json.dumps([plan.describe() for plan in plans]))
    largest = max(setup, inputs * parameters.ciphertext_bytes())
    return largest + largest // 8 + 2 * agreed + _SPARE_BYTES


def predicted_residues(plan: Plan, parameters: ParameterSet) -> int:
    """Return how many primes the server leaves in the results of a BFV step.

    By prediction, for every step of its own; the budget itself is checked at decryption.

    Raises:
        ChocoError: the plan predicts no noise.
    """
    if not isinstance(plan, PredictsNoise):
        raise ChocoError("switch_downloads: true needs plans that predict their noise")
    return download_residues(plan.noise(parameters))
