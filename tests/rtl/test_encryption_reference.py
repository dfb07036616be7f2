"""The Python reference of encryption against SEAL's own arithmetic on the same u, e1, e2.

SEAL draws its randomness inside; its evaluator does the same arithmetic on given polynomials. A
context with one prime more takes {q_0, .. , p} as data primes: there pk u + e is computed by
products and sums, and SEAL's modulus switching drops p, as encryption does.
"""

import numpy as np
import pytest

from rtl.tb.reference import seal_objects
from rtl.tb.reference.encryption import encrypt_zero
from rtl.tb.reference.random_stream import Samples
from workloads.he import seal

PLAIN_BITS = 18


def context_of(degree, primes):
    settings = seal.EncryptionParameters(seal.scheme_type.bfv)
    settings.set_poly_modulus_degree(degree)
    settings.set_coeff_modulus(primes)
    settings.set_plain_modulus(seal.PlainModulus.Batching(degree, PLAIN_BITS))
    made = seal.SEALContext(settings, True, seal.sec_level_type.none)
    assert made.parameters_set(), made.parameter_error_message()
    return made, settings


@pytest.mark.parametrize(("degree", "bits"), [(4096, (36, 36, 37)), (8192, (58, 58, 59))])
def test_reference_equals_seal(degree, bits):
    primes = [q.value() for q in seal.CoeffModulus.Create(degree, list(bits))]
    k = len(primes)
    extra = [q for q in seal.CoeffModulus.Create(degree, [60]) if q.value() not in primes]
    wide, settings = context_of(degree, [seal.Modulus(q) for q in primes] + extra)
    narrow, _ = context_of(degree, [seal.Modulus(q) for q in primes])
    key = seal.KeyGenerator(narrow).create_public_key()
    public_key = seal_objects.public_key(key, k, degree)
    samples = Samples(bytes(32), 1)
    u, errors = samples.ternary(degree), (samples.error(degree), samples.error(degree))

    keys = seal.KeyGenerator(wide)
    evaluator = seal.Evaluator(wide)
    like = seal.Encryptor(wide, keys.create_public_key()).encrypt_zero()

    def embedded(small):
        """A ciphertext whose polynomials are these small integers modulo every prime."""
        residues = [[[int(x) % q for x in polynomial] for q in primes] for polynomial in small]
        return seal_objects.with_polynomials(wide, like, np.array(residues, dtype=np.uint64))

    in_ntt_form = evaluator.transform_to_ntt(like)
    product = seal_objects.with_polynomials(wide, in_ntt_form, public_key)
    t = settings.plain_modulus().value()
    some_plain = seal.BatchEncoder(wide).encode(np.arange(degree, dtype=np.uint64))
    plain = seal_objects.with_coefficients(wide, some_plain, (u % t).astype(np.uint64))
    plain = evaluator.transform_to_ntt(plain, like.parms_id())
    product = evaluator.multiply_plain(product, plain)
    noisy = evaluator.add(evaluator.transform_from_ntt(product), embedded(errors))
    expected = seal_objects.polynomials(evaluator.mod_switch_to_next(noisy))
    assert encrypt_zero(public_key, primes, u, errors) == expected.tolist()
