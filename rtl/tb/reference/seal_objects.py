"""Take Microsoft SEAL's objects apart into residues and put them together again.

SEAL writes an object without compression as a header (identifiers, sizes, scale) followed by its
coefficients, 64 bits each, little endian, at the very end of the bytes. So the header of an object
of the same shape serves for new coefficients, and SEAL checks them against its context on loading.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.he import seal


def public_key(key: Any, residues: int, degree: int) -> NDArray[np.uint64]:
    """Return a public key's residues in NTT form: shape (2, prime, coefficient)."""
    return _tail(key.to_string(), (2, residues, degree))


def secret_key(key: Any, residues: int, degree: int) -> NDArray[np.uint64]:
    """Return a secret key's residues in NTT form: shape (prime, coefficient)."""
    return _tail(key.to_string(), (residues, degree))


def polynomials(ciphertext: Any) -> NDArray[np.uint64]:
    """Return the residues of a ciphertext: shape (polynomial, prime, coefficient)."""
    shape = (
        ciphertext.size(),
        ciphertext.coeff_modulus_size(),
        ciphertext.poly_modulus_degree(),
    )
    return _tail(ciphertext.to_string(), shape)


def with_polynomials(context: Any, like: Any, residues: NDArray[np.uint64]) -> Any:
    """Return a ciphertext with the header of ``like`` and these residues.

    Raises:
        ValueError: the residues do not have the shape of ``like``.
        RuntimeError: SEAL refuses them (a residue is not below its prime).
    """
    data = like.to_string()
    shape = (like.size(), like.coeff_modulus_size(), like.poly_modulus_degree())
    if residues.shape != shape:
        raise ValueError(f"residues of shape {residues.shape} for a ciphertext of shape {shape}")
    body = residues.astype("<u8").tobytes()
    made = seal.Ciphertext()
    made.load_bytes(context, data[: -len(body)] + body)
    return made


def with_coefficients(context: Any, like: Any, values: NDArray[np.uint64]) -> Any:
    """Return a plaintext with the header of ``like``, which has as many coefficients, and these."""
    data, body = like.to_bytes(), values.astype("<u8").tobytes()
    if like.coeff_count() != len(values):
        raise ValueError(f"{len(values)} coefficients for a plaintext of {like.coeff_count()}")
    made = seal.Plaintext()
    made.load_bytes(context, data[: -len(body)] + body)
    return made


def coefficients(plaintext: Any, degree: int) -> NDArray[np.uint64]:
    """Return all ``degree`` coefficients of a plaintext that is not in NTT form."""
    count = plaintext.coeff_count()
    held = _tail(plaintext.to_bytes(), (count,))
    return np.concatenate([held, np.zeros(degree - count, dtype=np.uint64)])


def plain_residues(plaintext: Any, residues: int, degree: int) -> NDArray[np.uint64]:
    """Return the residues of a plaintext in NTT form (CKKS): shape (prime, coefficient)."""
    return _tail(plaintext.to_bytes(), (residues, degree))


def _tail(data: bytes, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    size = 8 * int(np.prod(shape))
    return np.frombuffer(data[-size:], dtype="<u8").astype(np.uint64).reshape(shape)
