"""The whole machine against Microsoft SEAL: BFV."""

import numpy as np
import pytest

from rtl.tb.reference import seal_objects
from rtl.tb.reference.encryption import encrypt_zero
from rtl.tb.reference.message import encode, scale
from rtl.tb.reference.random_stream import Samples
from tests.rtl.machines import NONCE, SEED, Client, Parameters, machine_for

SETS = {
    "4096": Parameters(4096, (36, 36, 37), 18),
    "8192": Parameters(8192, (58, 58, 59), 23),
}
MESSAGES, CHUNKS = 100, 2


@pytest.fixture(scope="module", params=SETS.values(), ids=SETS)
def client(request):
    return Client(request.param)


def run(client, machine, message):
    machine.load_message(message)
    ciphertext = machine.encrypt_bfv()
    assert machine.error() == "none"
    return ciphertext


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_seal_decrypts_every_message(client, chunk):
    """100 of 100 random messages, with the noise budget of SEAL's own ciphertexts."""
    machine = machine_for(client)
    ours, theirs = [], []
    for number in range(chunk, MESSAGES, CHUNKS):
        message = client.message(number)
        by_seal = client.encrypt(message)
        made = seal_objects.with_polynomials(client.context, by_seal, run(client, machine, message))
        assert np.array_equal(client.decrypt(made), message), number
        ours.append(client.decryptor.invariant_noise_budget(made))
        theirs.append(client.decryptor.invariant_noise_budget(by_seal))
    assert len(ours) == MESSAGES // CHUNKS
    assert abs(min(ours) - min(theirs)) <= 1
    assert abs(max(ours) - max(theirs)) <= 1
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.5


def test_machine_decrypts_what_seal_encrypts(client):
    machine = machine_for(client)
    for number in range(10):
        message = client.message(number)
        residues = seal_objects.polynomials(client.encrypt(message))
        assert np.array_equal(machine.decrypt_bfv(residues), message)
    assert machine.error() == "none"


def test_ciphertext_equals_seals_arithmetic(client):
    """For the same u, e1, e2 the ciphertext is SEAL's bit for bit, and so is the next one."""
    machine = machine_for(client)
    samples = Samples(SEED, NONCE)
    for number in range(2):
        message = client.message(number)
        ciphertext = run(client, machine, message)
        u, e1, e0 = (
            samples.ternary(client.degree),
            samples.error(client.degree),
            samples.error(client.degree),
        )
        expected = encrypt_zero(client.public_key, client.primes, u, (e0, e1))
        coefficients = encode(message.tolist(), client.plain_modulus)
        scaled = scale(coefficients, client.data_primes, client.plain_modulus)
        for j, q in enumerate(client.data_primes):
            expected[0][j] = [(c + m) % q for c, m in zip(expected[0][j], scaled[j], strict=True)]
        assert ciphertext.tolist() == expected


def test_commands_queue(client):
    """Encryption, decryption and encryption, without loading anything again."""
    machine = machine_for(client)
    first, second = client.message(1), client.message(2)
    ciphertext = run(client, machine, first)
    assert np.array_equal(machine.decrypt_bfv(ciphertext), first)
    assert np.array_equal(machine.decrypt_bfv(run(client, machine, second)), second)


def test_switched_down_ciphertext(client):
    """A ciphertext that the server switched to fewer primes, with the constants of these."""
    machine = machine_for(client)
    message = client.message(3)
    switched = client.evaluator.mod_switch_to_next(client.encrypt(message))
    machine.load_plain_modulus(client.data_primes[:1], client.plain_modulus)
    decrypted = machine.decrypt_bfv(seal_objects.polynomials(switched))
    assert np.array_equal(decrypted, client.decrypt(switched))
    assert machine.error() == "none"


@pytest.mark.parametrize(
    "parameters",
    [Parameters(2048, (54,), 17), Parameters(4096, (54, 55), 20)],
    ids=["one prime", "two primes"],
)
def test_fewer_primes_than_layers(parameters):
    """The machine built for three residues takes k = 1 (no key prime) and k = 2 as well."""
    client = Client(parameters)
    machine = machine_for(client)
    message = client.message(4)
    by_seal = client.encrypt(message)
    ciphertext = run(client, machine, message)
    made = seal_objects.with_polynomials(client.context, by_seal, ciphertext)
    assert np.array_equal(client.decrypt(made), message)
    assert np.array_equal(machine.decrypt_bfv(seal_objects.polynomials(by_seal)), message)
