"""NTT-friendly primes and roots, as SEAL chooses them."""

from functools import lru_cache

from gmpy2 import is_prime


@lru_cache
def ntt_primes(degree: int, bits: int, count: int) -> tuple[int, ...]:
    """Return the ``count`` largest primes of ``bits`` bits that are 1 mod 2 ``degree``.

    SEAL takes them in the same descending order (``get_primes``).
    """
    factor = 2 * degree
    value = ((1 << bits) - 1) // factor * factor + 1
    found: list[int] = []
    while len(found) < count:
        if value < 1 << (bits - 1):
            raise ValueError(f"fewer than {count} primes of {bits} bits are 1 mod {factor}")
        if value >> bits == 0 and is_prime(value):
            found.append(value)
        value -= factor
    return tuple(found)


@lru_cache
def minimal_root(degree: int, modulus: int) -> int:
    """Return the smallest primitive 2 ``degree``-th root of unity (SEAL's choice)."""
    order = 2 * degree
    if (modulus - 1) % order:
        raise ValueError(f"{modulus} has no root of order {order}")
    for base in range(2, modulus):
        root = pow(base, (modulus - 1) // order, modulus)
        if pow(root, degree, modulus) == modulus - 1:
            break
    square = root * root % modulus
    best = power = root
    for _ in range(degree - 1):
        power = power * square % modulus
        best = min(best, power)
    return best
