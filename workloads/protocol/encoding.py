"""Slots and plaintexts at the client, by scheme.

BFV: integers of shape (2, N/2), |value| < t/2. CKKS: real numbers of shape (N/2,).
"""

from typing import Any, Protocol

import numpy as np

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.he import seal
from workloads.packing.layout import ROWS
from workloads.protocol.plan import Values


class Encoding(Protocol):
    """Between slots and plaintexts."""

    def encode(self, slots: Values) -> Any:
        """Return the plaintext.

        Raises:
            ChocoError: not the slots of a plaintext, or values that it cannot hold.
        """

    def decode(self, plaintext: Any) -> Values:
        """Return the slots."""

    def budget_bits(self, decryptor: Any, ciphertext: Any) -> int | None:
        """Return the noise budget left; None where the scheme has none."""


class BfvEncoding:
    """Integers modulo t in two rows."""

    def __init__(self, context: Any) -> None:
        self._encoder = seal.BatchEncoder(context)
        self._shape = (ROWS, self._encoder.slot_count() // ROWS)
        t = context.first_context_data().parms().plain_modulus().value()
        self._largest = (int(t) - 1) // 2

    def encode(self, slots: Values) -> Any:
        """Return the plaintext of (2, N/2) integers, |value| < t/2."""
        _check_shape(slots, self._shape)
        if not np.issubdtype(slots.dtype, np.integer):
            raise ChocoError(f"BFV slots must be integers, not {slots.dtype}")
        if slots.size and max(int(slots.max()), -int(slots.min())) > self._largest:
            raise ChocoError(
                f"BFV slots hold {slots.min()} to {slots.max()}; this plain_modulus allows "
                f"+-{self._largest}"
            )
        return self._encoder.encode(np.ascontiguousarray(slots.reshape(-1), dtype=np.int64))

    def decode(self, plaintext: Any) -> Values:
        """Return (2, N/2) integers around zero."""
        slots: Values = self._encoder.decode(plaintext).reshape(self._shape)
        return slots.astype(np.int64, copy=False)

    def budget_bits(self, decryptor: Any, ciphertext: Any) -> int | None:
        """Return the invariant noise budget in bits."""
        return int(decryptor.invariant_noise_budget(ciphertext))


class CkksEncoding:
    """Real numbers times a scale in one vector."""

    def __init__(self, context: Any, scale: float) -> None:
        self._encoder = seal.CKKSEncoder(context)
        self._shape = (self._encoder.slot_count(),)
        self._scale = scale

    def encode(self, slots: Values) -> Any:
        """Return the plaintext of (N/2,) real numbers."""
        _check_shape(slots, self._shape)
        try:
            numbers = np.ascontiguousarray(slots, dtype=np.float64)
            return self._encoder.encode(numbers, self._scale)
        except (TypeError, ValueError) as error:
            raise ChocoError(f"CKKS cannot encode these slots: {error}") from None

    def decode(self, plaintext: Any) -> Values:
        """Return (N/2,) real numbers."""
        slots: Values = self._encoder.decode(plaintext)
        return slots

    def budget_bits(self, decryptor: Any, ciphertext: Any) -> int | None:
        """Return None: CKKS counts its error as part of the result."""
        return None


def make_encoding(parameters: ParameterSet, context: Any) -> Encoding:
    """Return the encoding of the set's scheme."""
    if parameters.scale_bits is None:
        return BfvEncoding(context)
    return CkksEncoding(context, 2.0**parameters.scale_bits)


def _check_shape(slots: Values, expected: tuple[int, ...]) -> None:
    if slots.shape != expected:
        raise ChocoError(f"slots of shape {slots.shape}; a plaintext has {expected}")
