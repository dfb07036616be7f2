"""HE parameter sets against SEAL: primes, security bounds, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from models.parameters import (
    MAX_COEFF_MODULUS_BITS,
    POLY_MODULUS_DEGREES,
    ParameterSet,
    is_batching_modulus,
    ntt_primes,
)
from workloads.he import context, seal

A = {"scheme": "bfv", "poly_modulus_degree": 8192, "coeff_modulus_bits": (58, 58, 59)}
degrees = st.sampled_from(POLY_MODULUS_DEGREES)


@pytest.mark.parametrize("security_bits", MAX_COEFF_MODULUS_BITS)
@pytest.mark.parametrize("n", POLY_MODULUS_DEGREES)
def test_security_bound_is_that_of_seal(security_bits, n):
    level = getattr(seal.sec_level_type, f"tc{security_bits}")
    assert MAX_COEFF_MODULUS_BITS[security_bits][n] == seal.CoeffModulus.MaxBitCount(n, level)


@given(n=degrees, bits=st.integers(10, 60))
def test_batching_modulus_is_the_prime_that_seal_picks(n, bits):
    found = ntt_primes(n, bits, 1)
    if found:
        assert found[0] == seal.PlainModulus.Batching(n, bits).value()
        assert found[0].bit_length() == bits
        assert is_batching_modulus(found[0], n)
    else:
        with pytest.raises((RuntimeError, ValueError)):
            seal.PlainModulus.Batching(n, bits)


@settings(deadline=None)
@given(n=degrees, bits=st.lists(st.integers(24, 60), min_size=1, max_size=6))
def test_coefficient_primes_are_those_of_seal_in_its_order(n, bits):
    chosen = ParameterSet.model_construct(poly_modulus_degree=n, coeff_modulus_bits=tuple(bits))
    assert list(chosen.coeff_modulus) == [
        prime.value() for prime in seal.CoeffModulus.Create(n, bits)
    ]


@given(n=degrees, t=st.integers(2, 2**40))
def test_only_a_prime_of_1_modulo_2n_batches(n, t):
    candidate = t // (2 * n) * 2 * n + 1
    prime = candidate > 2 and seal.Modulus(candidate).is_prime()
    assert is_batching_modulus(candidate, n) == prime
    if t % (2 * n) != 1:
        assert not is_batching_modulus(t, n)


def test_sizes_follow_from_primes_and_degree():
    chosen = ParameterSet(**A, plain_modulus_bits=23)
    fresh = chosen.ciphertext_bytes()
    assert chosen.ciphertext_bytes(residues=1) * 2 == fresh
    assert chosen.ciphertext_bytes(polynomials=3) * 2 == fresh * 3
    one_prime = ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, coeff_modulus_bits=(54,), plain_modulus_bits=16
    )
    assert one_prime.data_residues == 1  # no prime to reserve: SEAL encrypts under the only one
    data = context(one_prime).first_context_data().parms().coeff_modulus()
    assert len(data) == one_prime.data_residues


@pytest.mark.parametrize(
    ("change", "named", "allowed"),
    [
        ({"poly_modulus_degree": 5000}, "poly_modulus_degree: 5000", "8192"),
        ({"coeff_modulus_bits": (60, 60, 60, 60)}, "log2 q = 240 is insecure", "218"),
        ({"coeff_modulus_bits": (58, 58, 61)}, "61", "60"),
        ({"coeff_modulus_bits": (13, 58)}, "no prime of 13 bits", "at least 15"),
        ({"coeff_modulus_bits": (16, 16, 16)}, "3 primes of 16 bits", "more bits"),
        ({"coeff_modulus_bits": ()}, "coeff_modulus_bits", "at least 1"),
        ({"plain_modulus_bits": 10}, "plain_modulus_bits: 10", "15 to 60"),
        ({"plain_modulus_bits": 15}, "no prime of 15 bits", "more bits"),
        ({"plain_modulus_bits": None, "plain_modulus": 1032192}, "1032192", "prime"),
        ({"plain_modulus_bits": None, "plain_modulus": 65539}, "65539", "1 modulo 2N"),
        ({"plain_modulus_bits": None}, "plain_modulus", "plain_modulus_bits"),
        ({"plain_modulus_bits": 58}, "also a coefficient modulus prime", "different size"),
        ({"coeff_modulus_bits": (20, 30), "plain_modulus_bits": 23}, "23 bits", "20 bits"),
        ({"scale_bits": 40}, "scale_bits", "plain_modulus_bits"),
        ({"scheme": "ckks"}, "plain_modulus", "scale_bits"),
        ({"scheme": "ckks", "plain_modulus_bits": None}, "scale_bits", "scale"),
        ({"scheme": "tfhe"}, "scheme", "bfv"),
        ({"security_bits": 192}, "log2 q = 175 is insecure", "152"),
        ({"plain_modulo": 7}, "plain_modulo", "Extra"),
    ],
)
def test_invalid_sets_are_refused_with_what_is_allowed(change, named, allowed):
    with pytest.raises(ValidationError) as refused:
        ParameterSet(**{**A, "plain_modulus_bits": 23, **change})
    assert named in str(refused.value)
    assert allowed in str(refused.value)


@settings(max_examples=25, deadline=None)
@given(
    n=st.sampled_from((1024, 2048, 4096, 8192)),
    bits=st.lists(st.integers(20, 60), min_size=1, max_size=4),
    t=st.integers(16, 30),
)
def test_what_we_accept_seal_accepts_and_what_is_insecure_both_refuse(n, bits, t):
    given_set = {"poly_modulus_degree": n, "coeff_modulus_bits": bits, "plain_modulus_bits": t}
    secure = sum(bits) <= seal.CoeffModulus.MaxBitCount(n)
    try:
        chosen = ParameterSet(scheme="bfv", **given_set)
    except ValidationError as refused:
        assert "insecure" not in str(refused) or not secure
        return
    assert secure
    primes = context_primes(chosen)
    assert primes == list(chosen.coeff_modulus)


def context_primes(chosen):
    return [p.value() for p in context(chosen).key_context_data().parms().coeff_modulus()]
