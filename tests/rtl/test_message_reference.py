"""The Python reference of message encoding and decryption against SEAL itself."""

import numpy as np
import pytest

from rtl.tb.reference import message, seal_objects
from workloads.he import seal

DEGREE, BITS = 4096, [36, 36, 37]


@pytest.fixture(scope="module", params=[17, 20, 30])
def machine(request):
    """Return context, primes, plain modulus, encryptor, decryptor, evaluator, encoder."""
    parameters = seal.EncryptionParameters(seal.scheme_type.bfv)
    parameters.set_poly_modulus_degree(DEGREE)
    parameters.set_coeff_modulus(seal.CoeffModulus.Create(DEGREE, BITS))
    plain_modulus = seal.PlainModulus.Batching(DEGREE, request.param)
    parameters.set_plain_modulus(plain_modulus)
    context = seal.SEALContext(parameters)
    keys = seal.KeyGenerator(context)
    return {
        "context": context,
        "primes": [prime.value() for prime in parameters.coeff_modulus()][:-1],
        "t": plain_modulus.value(),
        "encryptor": seal.Encryptor(context, keys.create_public_key()),
        "decryptor": seal.Decryptor(context, keys.secret_key()),
        "evaluator": seal.Evaluator(context),
        "encoder": seal.BatchEncoder(context),
    }


def random_slots(t):
    return np.random.default_rng(t).integers(0, t, DEGREE, dtype=np.uint64)


def test_encoding(machine):
    slots = random_slots(machine["t"])
    plain = machine["encoder"].encode(slots)
    expected = seal_objects.coefficients(plain, DEGREE).tolist()
    coefficients = message.encode(slots.tolist(), machine["t"])
    assert coefficients == expected
    assert message.decode(coefficients, machine["t"]) == slots.tolist()


def test_scaling(machine):
    plain = machine["encoder"].encode(random_slots(machine["t"]))
    zero = machine["encryptor"].encrypt_zero()
    sum_ = machine["evaluator"].add_plain(zero, plain)
    before, after = (seal_objects.polynomials(c)[0].astype(object) for c in (zero, sum_))
    primes = np.array(machine["primes"], dtype=object)[:, None]
    coefficients = [int(m) for m in seal_objects.coefficients(plain, DEGREE)]
    scaled = message.scale(coefficients, machine["primes"], machine["t"])
    assert ((after - before) % primes).tolist() == scaled


def test_decryption_of_any_phase(machine):
    """Also where the noise is far too large: SEAL's value bit for bit, not just the message."""
    rng = np.random.default_rng(6)
    primes, t = machine["primes"], machine["t"]
    phase = np.array([rng.integers(0, q, DEGREE, dtype=np.uint64) for q in primes])
    like = machine["encryptor"].encrypt_zero()
    made = np.stack([phase, np.zeros_like(phase)])
    ciphertext = seal_objects.with_polynomials(machine["context"], like, made)
    plain = machine["decryptor"].decrypt(ciphertext)
    expected = seal_objects.coefficients(plain, DEGREE).tolist()
    residues = [[int(x) for x in row] for row in phase]
    assert message.scale_and_round(residues, primes, t, message.gamma(DEGREE)) == expected
