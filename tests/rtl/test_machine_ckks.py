"""The whole machine against Microsoft SEAL: CKKS."""

import numpy as np
import pytest

from rtl.tb.reference import seal_objects
from rtl.tb.reference.encryption import encrypt_zero
from rtl.tb.reference.random_stream import Samples
from tests.rtl.machines import NONCE, SEED, Client, Parameters, machine_for
from workloads.he import seal

SETS = {
    "4096": (Parameters(4096, (36, 36, 37), None), 2.0**25),
    "8192": (Parameters(8192, (58, 58, 59), None), 2.0**40),
}


@pytest.fixture(scope="module", params=SETS.values(), ids=SETS)
def case(request):
    parameters, scale = request.param
    client = Client(parameters)
    return client, seal.CKKSEncoder(client.context), scale


def values(client, number):
    return np.random.default_rng(number).uniform(-10, 10, client.degree // 2)


def test_seal_decrypts(case):
    """SEAL decrypts the machine's ciphertexts about as precisely as its own."""
    client, encoder, scale = case
    machine = machine_for(client)
    for number in range(5):
        message = values(client, number)
        plain = encoder.encode(message, scale)
        by_seal = client.encryptor.encrypt(plain)
        residues = seal_objects.plain_residues(plain, len(client.data_primes), client.degree)
        ciphertext = machine.encrypt_ckks(residues)
        made = seal_objects.with_polynomials(client.context, by_seal, ciphertext)
        ours, theirs = (
            np.abs(np.real(encoder.decode(client.decryptor.decrypt(c))) - message).max()
            for c in (made, by_seal)
        )
        assert ours < 4 * theirs < 1e-1
    assert machine.error() == "none"


def test_ciphertext_equals_seals_arithmetic(case):
    client, encoder, scale = case
    machine = machine_for(client)
    plain = encoder.encode(values(client, 9), scale)
    residues = seal_objects.plain_residues(plain, len(client.data_primes), client.degree)
    ciphertext = machine.encrypt_ckks(residues)
    samples = Samples(SEED, NONCE)
    u, e1, e0 = (
        samples.ternary(client.degree),
        samples.error(client.degree),
        samples.error(client.degree),
    )
    expected = encrypt_zero(client.public_key, client.primes, u, (e0, e1), ntt_form=True)
    for j, q in enumerate(client.data_primes):
        expected[0][j] = [
            (c + int(m)) % q for c, m in zip(expected[0][j], residues[j], strict=True)
        ]
    assert ciphertext.tolist() == expected


def test_decryption_equals_seals(case):
    """c0 + c1 s as SEAL's decryption returns it, also for one prime after rescaling."""
    client, encoder, scale = case
    machine = machine_for(client)
    ciphertext = client.encryptor.encrypt(encoder.encode(values(client, 1), scale))
    for residues in (ciphertext, client.evaluator.rescale_to_next(ciphertext)):
        primes = residues.coeff_modulus_size()
        expected = seal_objects.plain_residues(
            client.decryptor.decrypt(residues), primes, client.degree
        )
        decrypted = machine.decrypt_ckks(seal_objects.polynomials(residues))
        assert np.array_equal(decrypted, expected)
    assert machine.error() == "none"
