"""What crosses the wire, both ways: never the secret key, in no form, nor a seed."""

import struct
from itertools import pairwise

import numpy as np
import pytest

from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.packing.matvec import FullyConnectedPlan
from workloads.protocol.client import Client
from workloads.protocol.messages import Kind, Message
from workloads.protocol.server import ServedLayer, Server
from workloads.protocol.transport import InProcessTransport

PARAMETERS = ParameterSet(
    scheme="bfv", poly_modulus_degree=4096, coeff_modulus_bits=(36, 36, 37), plain_modulus_bits=18
)
N, K = 4096, 3
SEED = 0x123456789ABCDEF1


class Recorder(InProcessTransport):
    frames: tuple[bytes, ...] = ()

    def exchange(self, request):
        reply = super().exchange(request)
        self.frames += (request, reply)
        return reply


@pytest.fixture(scope="module")
def session():
    """A whole session of a seeded client: setup, two inferences, a report, a refusal."""
    plan = FullyConnectedPlan("fc", N // 2, 20, 4)
    layers = [ServedLayer(plan, np.arange(80).reshape(4, 20), np.arange(4))]
    server = Server(PARAMETERS, layers, switch_downloads=True, relinearization=True)
    transport = Recorder(server.handle)
    he.seed(SEED)
    client = Client(PARAMETERS, [plan], transport, switch_downloads=True, relinearization=True)
    client.connect()
    for _ in range(2):
        client.evaluate(0, np.arange(20))
    client.server_report()
    transport.exchange(Message(Kind.EVALUATE, 9).to_bytes())
    he.unseed()
    return client, server, b"".join(transport.frames)


def words(data):
    """Return every 8-byte word of ``data``, at every alignment."""
    return [np.frombuffer(data[i : len(data) - (len(data) - i) % 8], "<u8") for i in range(8)]


def has_pair(data, polynomial):
    """Tell whether two neighbouring words of a polynomial are neighbours in the data.

    Words have 36 bits or more, so a chance hit among 2^18 words has a probability below 2^-40.
    """
    mix = np.uint64(0x9E3779B97F4A7C15)
    wanted = polynomial[:-1] * mix + polynomial[1:]
    return any(np.isin(found[:-1] * mix + found[1:], wanted).any() for found in words(data))


def secret_polynomials(client):
    """Return the secret key in NTT form, as SEAL keeps it: (k, N) words."""
    serialized = client._generator.secret_key().to_string()
    return np.frombuffer(serialized[-8 * N * K :], "<u8").reshape(K, N)


def secret_coefficients(client):
    """Return the secret key's coefficients, -1, 0 or 1.

    SEAL transforms ciphertexts only: the key takes the place of a polynomial of one.
    """
    context = client._context
    evaluator = seal.Evaluator(context)
    host = evaluator.transform_to_ntt(
        client._encryptor.encrypt(seal.BatchEncoder(context).encode(np.arange(N)))
    )
    data = bytearray(host.to_string())
    start = len(data) - 8 * 2 * 2 * N
    data[start : start + 8 * 2 * N] = secret_polynomials(client)[:2].tobytes()
    plain = evaluator.transform_from_ntt(context.from_cipher_str(bytes(data))).to_string()
    residues = np.frombuffer(plain[start : start + 8 * N], "<u8")
    q = PARAMETERS.coeff_modulus[0]
    assert set(np.unique(residues)) == {0, 1, q - 1}, "not a ternary secret: the test is wrong"
    return np.where(residues == q - 1, -1, residues.astype(np.int64))


def encodings(coefficients):
    """Yield ways to write a ternary polynomial as bytes."""
    for dtype in (np.int8, "<i2", "<i4", "<i8"):
        yield coefficients.astype(dtype).tobytes(), np.dtype(dtype).itemsize
    for q in PARAMETERS.coeff_modulus:
        yield np.where(coefficients < 0, q - 1, coefficients).astype("<u8").tobytes(), 8


def has_coefficients(data, coefficients):
    """Look for windows of 64 ternary coefficients (100 bits), in several encodings."""
    return any(
        encoded[i * width : (i + 64) * width] in data
        for encoded, width in encodings(coefficients)
        for i in range(0, N, N // 16)
    )


def entropy(count):
    """Return the first words that a seeded process draws (splitmix64), as SEAL's 64-bit seeds."""
    state, drawn, mask = SEED, [], (1 << 64) - 1
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        drawn.append((z ^ (z >> 31)) >> 32)
    return np.array([(a << 32) + b for a, b in pairwise(drawn)], np.uint64)


def has_seed(data):
    known = np.append(entropy(5000), np.uint64(SEED))
    return any(np.isin(found, known).any() for found in words(data))


def test_neither_key_nor_seed_crosses(session):
    client, _, traffic = session
    assert len(traffic) > 2_000_000
    for polynomial in secret_polynomials(client):
        assert not has_pair(traffic, polynomial)
    assert not has_coefficients(traffic, secret_coefficients(client))
    assert not has_seed(traffic)


def test_whatever_did_cross_would_be_found(session):
    client, _, traffic = session
    polynomials, coefficients = secret_polynomials(client), secret_coefficients(client)
    some = traffic[:100_001]
    assert has_pair(some + polynomials[1, 100:104].tobytes() + some, polynomials[1])
    for encoded, _ in encodings(coefficients):
        assert has_coefficients(some + encoded + some, coefficients)
    assert has_seed(some + entropy(5000)[1234].tobytes() + some)
    assert has_seed(some + struct.pack("<Q", SEED))
    # and the entropy searched for is the client's: the same seed makes its key again
    he.seed(SEED)
    again = seal.KeyGenerator(he.context(PARAMETERS)).secret_key().to_string()
    he.unseed()
    assert again == client._generator.secret_key().to_string()


def test_the_server_holds_nothing_that_decrypts(session):
    _, server, _ = session
    seen, todo = set(), [server]
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        assert type(thing).__name__ not in {"SecretKey", "KeyGenerator", "Decryptor", "Client"}
        if isinstance(thing, dict):
            todo += thing.values()
        elif isinstance(thing, list | tuple | set):
            todo += thing
        elif hasattr(thing, "__dict__") and not isinstance(thing, type):
            todo += vars(thing).values()
    assert len(seen) > 20
