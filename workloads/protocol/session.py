"""What client and server must agree on before any ciphertext is sent."""

import json
from collections.abc import Sequence
from math import log2, sqrt
from typing import Any

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.protocol.messages import VERSION
from workloads.protocol.plan import Plan

SWITCHED_MARGIN_BITS = 2.0
"""Budget that must remain after modulus switching, by prediction."""


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


def download_residues(parameters: ParameterSet) -> int:
    """Return the fewest primes that a BFV result needs to be decrypted.

    Switching to fewer primes scales message and noise down alike, and adds a rounding error whose
    coefficients are a sum of 1 + 2N/3 terms, uniform in +-1/2, for a ternary secret; six standard
    deviations of it bound the invariant noise t |e| / q' (SEAL's invariant_noise_budget). What
    the computation itself left of the budget is checked at decryption.
    """
    n = parameters.poly_modulus_degree
    rounding = 6 * sqrt((1 + 2 * n / 3) / 12)
    needed = parameters.log2_t + log2(2 * rounding) + SWITCHED_MARGIN_BITS
    for residues in range(1, parameters.data_residues):
        if sum(parameters.coeff_modulus_bits[:residues]) >= needed:
            return residues
    return parameters.data_residues
