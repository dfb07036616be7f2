"""The protocol in CKKS: products, rotations, rescaling, stored ciphertexts, refusals."""

from dataclasses import asdict, dataclass

import numpy as np
import pytest

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.packing.evaluator import OPERATIONS
from workloads.protocol.client import Client
from workloads.protocol.messages import Kind, Message, parse
from workloads.protocol.plan import BoundService, StoredService, stored
from workloads.protocol.server import Server
from workloads.protocol.transport import InProcessTransport

N = 8192
PARAMETERS = ParameterSet(
    scheme="ckks", poly_modulus_degree=N, coeff_modulus_bits=(60, 40, 40, 60), scale_bits=40
)


@dataclass(frozen=True)
class VectorPlan:
    """Vectors of N/2 numbers in and out, one ciphertext each."""

    name: str
    input_ciphertexts: int = 1
    output_ciphertexts: int = 1
    steps: tuple[int, ...] = ()

    @property
    def rotation_steps(self):
        return frozenset(self.steps)

    def pack(self, values):
        return list(values)

    def unpack(self, slots):
        return np.array(slots)

    def describe(self):
        return asdict(self)


class SquaredDistance:
    """(x - stored)^2 + rotated by 3, times plain weights: every operation of the evaluator."""

    def __init__(self, run):
        self.run = run

    def apply(self, inputs):
        run = self.run
        difference = run.subtract(inputs[0], stored(run, "points")[0])
        square = run.rescale(run.relinearize(run.square(difference)))
        folded = run.add(square, run.rotate(square, 3))
        weights = run.encode(WEIGHTS, like=folded, scale=run.dropped_prime(folded))
        weighted = run.rescale(run.multiply_plain(folded, weights))
        return [run.add_plain(weighted, run.encode(1.0, like=weighted))]


RNG = np.random.default_rng(5)
POINTS, QUERY, WEIGHTS = RNG.normal(size=(3, N // 2))
PLANS = [VectorPlan("points", output_ciphertexts=0), VectorPlan("distance", steps=(3,))]


def make_server():
    services = [StoredService("points", PLANS[0]), BoundService(PLANS[1], SquaredDistance)]
    return Server(PARAMETERS, services, relinearization=True)


class Recorder(InProcessTransport):
    def exchange(self, request):
        self.last = request, super().exchange(request)
        return self.last[1]


@pytest.fixture
def pair():
    server = make_server()
    client = Client(PARAMETERS, PLANS, Recorder(server.handle), relinearization=True)
    client.connect()
    return server, client


def test_distances_are_those_of_numpy(pair):
    _, client = pair
    assert client.evaluate(0, POINTS[None]).size == 0
    square = (QUERY - POINTS) ** 2
    expected = (square + np.roll(square, -3)) * WEIGHTS + 1
    np.testing.assert_allclose(client.evaluate(1, QUERY[None])[0], expected, atol=1e-5)
    store, distance = client.exchanges
    assert (store.encryptions, store.decryptions, store.download_bytes) == (1, 0, 0)
    assert (distance.upload_bytes, distance.download_bytes) == (2 * 3 * N * 8, 2 * 1 * N * 8)
    assert distance.min_budget_bits is None and distance.download_residues == 1
    expected_counts = dict.fromkeys(OPERATIONS, 0) | {
        "rotations": 1,
        "plain_multiplications": 1,
        "multiplications": 1,
        "relinearizations": 1,
        "additions": 2,
        "plain_additions": 1,
        "rescales": 2,
    }
    assert [served["operations"] for served in client.server_report()] == [
        dict.fromkeys(OPERATIONS, 0),
        expected_counts,
    ]


def test_what_a_client_stored_is_forgotten_with_its_keys(pair):
    server, client = pair
    client.evaluate(0, POINTS[None])
    other = Client(PARAMETERS, PLANS, InProcessTransport(server.handle), relinearization=True)
    other.connect()
    with pytest.raises(ChocoError, match="server: the client has stored no points yet"):
        other.evaluate(1, QUERY[None])


def test_a_rescaled_result_sent_back_is_refused(pair):
    server, client = pair
    client.evaluate(0, POINTS[None])
    client.evaluate(1, QUERY[None])
    result = parse(client._transport.last[1]).parts
    reply = parse(server.handle(Message(Kind.EVALUATE, 1, result).to_bytes()))
    assert reply.kind == Kind.ERROR and b"expected a fresh ciphertext" in reply.parts[0]


def test_both_sides_must_agree_on_relinearization():
    client = Client(PARAMETERS, PLANS, InProcessTransport(make_server().handle))
    with pytest.raises(ChocoError, match="setup: 2 parts; expected agreement and keys, 3"):
        client.connect()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full((1, N // 2), np.nan), "CKKS cannot encode"),
        (np.full((1, N // 2), 1e40), "CKKS cannot encode"),
        (np.zeros((1, 7)), r"slots of shape \(7,\); a plaintext has \(4096,\)"),
    ],
)
def test_values_that_ckks_cannot_hold_are_refused(pair, values, reason):
    with pytest.raises(ChocoError, match=reason):
        pair[1].evaluate(0, values)


def test_switching_downloads_is_refused():
    with pytest.raises(ChocoError, match="switch_downloads: true is for BFV"):
        Client(PARAMETERS, PLANS, InProcessTransport(bytes), switch_downloads=True)
