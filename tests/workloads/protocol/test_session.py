"""Client and server over real messages: refusals, survival, and what crosses the wire."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.matvec import FullyConnectedPlan
from workloads.protocol.client import Client
from workloads.protocol.messages import HEADER_BYTES, Kind, Message, parse
from workloads.protocol.server import ServedLayer, Server
from workloads.protocol.session import predicted_residues
from workloads.protocol.transport import InProcessTransport


def bfv(n=4096, bits=(36, 36, 37), t=18):
    return ParameterSet(
        scheme="bfv", poly_modulus_degree=n, coeff_modulus_bits=bits, plain_modulus_bits=t
    )


PLANS = [ConvolutionPlan("conv", 2048, 2, 8, 8, 3, 3), FullyConnectedPlan("fc", 2048, 20, 4)]
RNG = np.random.default_rng(3)
WEIGHTS = [RNG.integers(-7, 8, (3, 2, 3, 3)), RNG.integers(-7, 8, (4, 20))]
BIASES = [np.arange(3), np.arange(4)]
IMAGE = RNG.integers(0, 16, (2, 8, 8))


def make_server(parameters=None, *, switch=True):
    layers = [ServedLayer(*layer) for layer in zip(PLANS, WEIGHTS, BIASES, strict=True)]
    return Server(parameters or bfv(), layers, switch_downloads=switch)


class Recorder(InProcessTransport):
    """Keeps every frame that crosses."""

    def __init__(self, handle):
        super().__init__(handle)
        self.frames = []

    def exchange(self, request):
        reply = super().exchange(request)
        self.frames += [request, reply]
        return reply


@pytest.fixture(scope="module")
def pair():
    server = make_server()
    transport = Recorder(server.handle)
    client = Client(bfv(), PLANS, transport, switch_downloads=True)
    client.connect()
    return server, client, transport


def refusal(server, frame):
    reply = parse(server.handle(frame))
    assert reply.kind == Kind.ERROR
    return reply.parts[0].decode()


def assert_alive(client):
    vector = np.arange(20)
    np.testing.assert_array_equal(client.evaluate(1, vector), WEIGHTS[1] @ vector + BIASES[1])


def good_request(transport):
    return next(f for f in transport.frames if parse(f).kind == Kind.EVALUATE)


def test_bytes_are_counted_on_the_transport(pair):
    _, client, transport = pair
    sent = sum(len(frame) for frame in transport.frames[::2])
    received = sum(len(frame) for frame in transport.frames[1::2])
    assert (transport.sent_bytes, transport.received_bytes) == (sent, received)
    client.evaluate(0, IMAGE)
    exchange = client.exchanges[-1]
    assert exchange.wire_upload_bytes == len(transport.frames[-2])
    assert exchange.wire_download_bytes == len(transport.frames[-1])
    assert exchange.upload_bytes == 2 * 2 * 4096 * 8
    assert exchange.download_bytes == 2 * 1 * 4096 * 8


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda f: f[: HEADER_BYTES - 3], "header of 15 bytes"),
        (lambda f: f[:-100], "its header announces"),
        (lambda f: f[:4] + b"\x02" + f[5:], "message version 2"),
        (lambda f: Message(Kind.EVALUATE, 7, parse(f).parts).to_bytes(), "no layer 7"),
        (lambda f: Message(Kind.EVALUATE, 0, parse(f).parts * 2).to_bytes(), "2 ciphertexts"),
        (lambda f: Message(Kind.EVALUATE, 0, (b"",)).to_bytes(), "0 bytes are no object"),
        (lambda f: Message(Kind.EVALUATE, 0, (parse(f).parts[0][:-8],)).to_bytes(), "its header"),
        (lambda f: Message(Kind.RESULT, 0, parse(f).parts).to_bytes(), "does not take RESULT"),
        (lambda f: Message(Kind.SETUP, 0, (b"{}",)).to_bytes(), "expected agreement and keys"),
        (lambda f: Message(Kind.SETUP, 0, (b"[]", b"")).to_bytes(), "not a JSON object"),
        (lambda f: Message(Kind.SETUP, 0, (b"\xff", b"")).to_bytes(), "not JSON"),
        (lambda f: Message(Kind.SETUP, 0, (b"{}", b"")).to_bytes(), "differ in layers"),
    ],
)
def test_a_bad_message_is_refused_and_the_server_lives_on(pair, spoil, reason):
    server, client, transport = pair
    client.evaluate(0, IMAGE)
    assert reason in refusal(server, spoil(good_request(transport)))
    assert_alive(client)


def test_a_result_sent_back_as_input_is_refused(pair):
    server, client, transport = pair
    client.evaluate(0, IMAGE)
    switched = parse(transport.frames[-1]).parts
    reason = refusal(server, Message(Kind.EVALUATE, 0, switched).to_bytes())
    assert "expected a fresh ciphertext" in reason


def test_a_ciphertext_of_other_parameters_is_refused(pair):
    server, client, _ = pair
    other = Recorder(make_server(bfv(bits=(30, 30, 30), t=17)).handle)
    stranger = Client(bfv(bits=(30, 30, 30), t=17), PLANS, other, switch_downloads=True)
    stranger.connect()
    stranger.evaluate(1, np.ones(20, dtype=np.int64))
    foreign = parse(other.frames[-2]).parts
    assert "SEAL refuses" in refusal(server, Message(Kind.EVALUATE, 1, foreign).to_bytes())
    assert_alive(client)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(position=st.integers(0, 400), value=st.integers(0, 255))
def test_the_server_answers_whatever_byte_is_flipped(pair, position, value):
    server, client, transport = pair
    if not any(parse(f).kind == Kind.EVALUATE for f in transport.frames):
        client.evaluate(0, IMAGE)
    frame = bytearray(good_request(transport))
    frame[position] = value
    assert parse(server.handle(bytes(frame))).kind in (Kind.ERROR, Kind.RESULT)


@pytest.mark.parametrize(
    ("client_side", "entry"),
    [
        ({"parameters": bfv(t=17)}, "parameters"),
        ({"plans": [PLANS[0]]}, "layers"),
        ({"switch_downloads": False}, "switch_downloads"),
    ],
)
def test_parties_that_disagree_do_not_start(client_side, entry):
    given_ = {"parameters": bfv(), "plans": PLANS, "switch_downloads": True} | client_side
    client = Client(transport=InProcessTransport(make_server().handle), **given_)
    with pytest.raises(ChocoError, match=f"server: setup: client and server differ in {entry}"):
        client.connect()


def test_missing_rotation_keys_are_named():
    server = make_server()

    class Stingy(Client):
        rotation_steps = (1,)

    client = Stingy(bfv(), PLANS, InProcessTransport(server.handle), switch_downloads=True)
    with pytest.raises(ChocoError, match="no Galois key for a rotation by"):
        client.connect()


def test_evaluation_before_setup_is_refused():
    server = make_server()
    client = Client(bfv(), PLANS, InProcessTransport(server.handle), switch_downloads=True)
    with pytest.raises(ChocoError, match="must send its evaluation keys first"):
        client.evaluate(0, IMAGE)


def test_a_used_up_noise_budget_is_an_error_not_a_wrong_result():
    parameters = bfv(t=30)
    transport = InProcessTransport(make_server(parameters).handle)
    client = Client(parameters, PLANS, transport, switch_downloads=True)
    client.connect()
    with pytest.raises(ChocoError, match="no noise budget left"):
        client.evaluate(0, IMAGE)


def test_a_server_that_answers_nonsense_is_reported():
    for reply, reason in [
        (Message(Kind.READY), "answered READY; expected RESULT"),
        (Message(Kind.RESULT, 0, ()), "0 results; expected 1"),
        (Message(Kind.RESULT, 0, (b"junk",)), "a result: 4 bytes are no object of SEAL"),
    ]:
        lying = Client(
            bfv(), PLANS, InProcessTransport(lambda _, r=reply: r.to_bytes()), switch_downloads=True
        )
        with pytest.raises(ChocoError, match=reason):
            lying.evaluate(0, IMAGE)


@pytest.mark.parametrize(
    ("parameters", "residues"),
    [(bfv(), 1), (bfv(t=20), 1), (bfv(8192, (58, 58, 59), 23), 1), (bfv(t=26), 2)],
)
def test_primes_are_dropped_as_far_as_the_predicted_noise_allows(parameters, residues):
    row = parameters.poly_modulus_degree // 2
    plan = ConvolutionPlan("conv", row, 2, 8, 8, 3, 3)
    server = Server(parameters, [ServedLayer(plan, WEIGHTS[0], BIASES[0])], switch_downloads=True)
    transport = InProcessTransport(server.handle)
    client = Client(parameters, [plan], transport, switch_downloads=True)
    client.connect()
    client.evaluate(0, IMAGE)
    assert client.exchanges[0].download_residues == residues
    assert client.exchanges[0].min_budget_bits >= 2


def test_dropping_primes_needs_a_prediction():
    class Silent:
        rotation_steps = frozenset()

        def describe(self):
            return {}

    with pytest.raises(ChocoError, match="switch_downloads: true needs plans that predict"):
        predicted_residues(Silent(), bfv())
