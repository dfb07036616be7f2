"""Bad commands set an error and leave the machine usable."""

import numpy as np
import pytest

from rtl.tb.machine import (
    BFV_ENCRYPT,
    CIPHERTEXT,
    COMMAND,
    ERROR,
    KEYS,
    LAYER,
    MESSAGE,
    PARAMETERS,
    REGISTERS,
    STATUS,
    TWIDDLES,
    Build,
    Machine,
)
from tests.rtl.machines import Client, Parameters, machine_for

NOTHING = np.zeros(0, dtype=np.uint64)
WORD = np.zeros((1, 8), dtype=np.uint64)


@pytest.fixture(scope="module")
def client():
    return Client(Parameters(4096, (36, 36, 37), 18))


@pytest.fixture
def machine(client):
    made = machine_for(client)
    yield made
    # Whatever happened before: it still encrypts and decrypts.
    client.load(made)
    message = client.message(5)
    made.load_message(message)
    assert np.array_equal(made.decrypt_bfv(made.encrypt_bfv()), message)
    assert made.error() == "none"


def read(machine, region, layer=0):
    address = np.array([region << 20 | layer << 16], dtype=np.uint32)
    return machine.transact(address, NOTHING)


@pytest.mark.parametrize("log_n", [0, 9, 14, 15])
def test_unsupported_degree(machine, log_n):
    machine.set(PARAMETERS, 3 << 8 | log_n)
    assert machine.error() == "degree"
    machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.error() == "degree"


@pytest.mark.parametrize("residues", [0, 4, 16])
def test_unsupported_number_of_primes(machine, residues):
    machine.set(PARAMETERS, residues << 8 | 12)
    assert machine.error() == "residues"


def test_missing_keys(client):
    machine = Machine(Build())
    machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.error() == "degree"  # no parameters yet
    machine.load_parameters(client.degree, client.primes)
    for number in (0, 1):
        machine.set(COMMAND, BFV_ENCRYPT)
        assert machine.error() == "key"
        machine.load_key(number, client.public_key[number], client.primes)
    machine.set(COMMAND, 2)  # decryption: the secret key is not there
    assert machine.error() == "key"
    machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.error() == "seed"
    machine.load_seed(bytes(32), 0)
    machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.error() == "none"


@pytest.mark.parametrize("op", [0, 5, 15])
def test_unknown_command(machine, op):
    machine.set(COMMAND, op)
    assert machine.error() == "opcode"


def test_more_residues_than_the_parameters_have(machine):
    machine.set(COMMAND, 3 << 4 | 2)
    assert machine.error() == "residues"


def test_full_queue(client):
    machine = machine_for(client)
    for _ in range(4):
        machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.get(ERROR) == 0
    machine.set(COMMAND, BFV_ENCRYPT)
    assert machine.get(STATUS) & 1
    assert machine.error() == "queue"
    messages = [client.message(i) for i in range(4)]
    for i, message in enumerate(messages):  # the four before the error are served
        machine.load_message(message)
        addresses = np.tile(machine._stream(2), 2)
        ciphertext = machine._polynomials(machine.transact(addresses, NOTHING), 2)[::-1]
        messages[i] = (message, ciphertext)
    machine.finish()
    assert machine.error() == "none"
    for message, ciphertext in messages:
        assert np.array_equal(machine.decrypt_bfv(ciphertext), message)


def test_writes_while_running(client):
    machine = machine_for(client)
    message = client.message(6)
    machine.load_message(message)
    machine.set(COMMAND, BFV_ENCRYPT)
    machine.idle(100)
    for region, offset in (
        (REGISTERS, PARAMETERS),
        (REGISTERS, LAYER),
        (TWIDDLES, 0),
        (KEYS, 0),
    ):
        machine.write(region, offset, WORD)
        assert machine.error() == "busy"
    ciphertext = machine._polynomials(machine.transact(np.tile(machine._stream(2), 2), NOTHING), 2)
    assert np.array_equal(machine.decrypt_bfv(ciphertext[::-1]), message)


def test_message_twice(machine, client):
    machine.load_message(client.message(1))
    machine.write(MESSAGE, 0, WORD)
    assert machine.error() == "busy"
    machine.encrypt_bfv()


def test_streams_that_nobody_serves(machine):
    assert not read(machine, CIPHERTEXT).any()
    assert machine.error() == "stream"
    assert not read(machine, CIPHERTEXT, layer=2).any()
    assert machine.error() == "address"


@pytest.mark.parametrize(("region", "layer"), [(7, 0), (15, 0), (TWIDDLES, 3), (KEYS, 9)])
def test_addresses_where_nothing_is(machine, region, layer):
    machine.write(region, 0, WORD, layer)
    assert machine.error() == "address"


def test_first_error_is_kept(machine):
    machine.set(COMMAND, 0)
    machine.set(PARAMETERS, 3 << 8 | 15)
    assert machine.error() == "opcode"
    assert machine.error() == "none"
