"""Hostile clients: whatever arrives is answered, and the server goes on serving."""

import json
import struct
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.protocol.client import Client
from workloads.protocol.messages import HEADER_BYTES, Kind, Message, parse
from workloads.protocol.plan import BoundService
from workloads.protocol.server import Server
from workloads.protocol.transport import InProcessTransport

N = 4096
BFV = ParameterSet(
    scheme="bfv", poly_modulus_degree=N, coeff_modulus_bits=(36, 36, 37), plain_modulus_bits=18
)
OTHER_BFV = BFV.model_copy(update={"plain_modulus_bits": 20})
SMALLER = ParameterSet(
    scheme="bfv", poly_modulus_degree=2048, coeff_modulus_bits=(27, 27), plain_modulus_bits=14
)
CKKS = ParameterSet(
    scheme="ckks", poly_modulus_degree=N, coeff_modulus_bits=(36, 36, 37), scale_bits=20
)
FUZZ = settings(max_examples=50, deadline=None)


@dataclass(frozen=True)
class Plan:
    """The sum of the squares of two neighbours."""

    scheme: str
    input_ciphertexts: int = 1
    output_ciphertexts: int = 1
    rotation_steps: tuple[int, ...] = (1,)

    def pack(self, values):
        return [values]

    def unpack(self, slots):
        return slots[0]

    def describe(self):
        return asdict(self)


class SquareSum:
    def __init__(self, run):
        self.run = run

    def apply(self, inputs):
        square = self.run.relinearize(self.run.square(inputs[0]))
        return [self.run.add(square, self.run.rotate(square, 1))]


class Session:
    """A server, a client that it knows, and the good requests of that client."""

    def __init__(self, parameters):
        self.plan = Plan(parameters.scheme)
        services = [BoundService(self.plan, SquareSum)]
        self.server = Server(parameters, services, relinearization=True)
        self.sent = []
        self.client = Client(
            parameters, [self.plan], InProcessTransport(self._answer), relinearization=True
        )
        shape = (2, N // 2) if parameters.scheme == "bfv" else (N // 2,)
        self.values = np.ones(shape, dtype=np.int64 if parameters.scheme == "bfv" else float)
        self.client.connect()
        self.check()
        self.setup, self.request = (parse(frame) for frame in self.sent)

    def _answer(self, frame):
        self.sent.append(frame)
        return self.server.handle(frame)

    def check(self):
        found = self.client.evaluate(0, self.values)
        np.testing.assert_allclose(found, 2 * np.ones_like(found), atol=0.2)

    def answer(self, kind, *parts, layer=0):
        """Return the server's answer: its kind and its words."""
        reply = parse(self.server.handle(Message(kind, layer, tuple(parts)).to_bytes()))
        return reply.kind, reply.parts[0].decode() if reply.kind == Kind.ERROR else ""


@cache
def session(scheme):
    return Session(BFV if scheme == "bfv" else CKKS)


both = pytest.mark.parametrize("scheme", ["bfv", "ckks"])


def mutations(size):
    """Return spoilt copies of bytes: some changed, mostly in front, then perhaps cut or grown."""
    places = st.integers(0, min(size, 200) - 1) | st.integers(0, size - 1)
    edits = st.lists(st.tuples(places, st.binary(min_size=1, max_size=9)), min_size=1, max_size=4)
    ends = st.none() | st.integers(0, size) | st.binary(min_size=1, max_size=20)
    return st.tuples(edits, ends)


def spoil(data, mutation):
    edits, end = mutation
    spoilt = bytearray(data)
    for place, piece in edits:
        spoilt[place : place + len(piece)] = piece
    if isinstance(end, int):
        return bytes(spoilt[:end])
    return bytes(spoilt) + (end or b"")


def with_true_length(data):
    """Mend the length in SEAL's header, so that what follows is what SEAL looks at."""
    return data[:8] + struct.pack("<Q", len(data)) + data[16:] if len(data) >= 16 else data


@both
@FUZZ
@given(data=st.data())
def test_spoilt_frames_are_answered(scheme, data):
    at = session(scheme)
    frame = at.request.to_bytes()
    spoilt = spoil(frame, data.draw(mutations(len(frame))))
    reply = parse(at.server.handle(spoilt))
    assert reply.kind in (Kind.ERROR, Kind.RESULT)
    if len(spoilt) != len(frame) or spoilt[:HEADER_BYTES] != frame[:HEADER_BYTES]:
        assert reply.kind == Kind.ERROR
    at.check()


@both
@FUZZ
@given(data=st.data())
def test_spoilt_ciphertexts_are_answered(scheme, data):
    at = session(scheme)
    good = at.request.parts[0]
    spoilt = with_true_length(spoil(good, data.draw(mutations(len(good)))))
    kind, said = at.answer(Kind.EVALUATE, spoilt)
    assert kind == Kind.RESULT or (said and "\n" not in said)
    at.check()


@both
@pytest.mark.parametrize("part", [1, 2])
@FUZZ
@given(data=st.data())
def test_spoilt_keys_are_answered_and_replace_none(scheme, part, data):
    at = session(scheme)
    parts = list(at.setup.parts)
    parts[part] = with_true_length(spoil(parts[part], data.draw(mutations(len(parts[part])))))
    kind, said = at.answer(Kind.SETUP, *parts)
    if kind == Kind.READY:  # another coefficient of a key: a client may spoil its own results
        kind, said = at.answer(Kind.SETUP, *at.setup.parts)
    else:
        assert kind == Kind.ERROR and said
    at.check()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


@FUZZ
@given(agreed=json_values | st.binary(max_size=60))
def test_any_other_agreement_is_refused(agreed):
    at = session("bfv")
    text = agreed if isinstance(agreed, bytes) else json.dumps(agreed).encode()
    kind, said = at.answer(Kind.SETUP, text, b"", b"")  # it is looked at before any key
    assert kind == Kind.ERROR and said.startswith("setup: ") and len(said) < 600


def test_deeply_nested_json_is_refused():
    at = session("bfv")
    kind, _ = at.answer(Kind.SETUP, b"[" * 50_000, *at.setup.parts[1:])
    assert kind == Kind.ERROR
    at.check()


@FUZZ
@given(kind=st.sampled_from(Kind), layer=st.integers(0, 65535), parts=st.lists(st.binary()))
def test_any_message_is_answered(kind, layer, parts):
    at = session("bfv")
    answered, _ = at.answer(kind, *parts, layer=layer)
    assert answered == (Kind.REPORT if kind == Kind.REPORT else Kind.ERROR)


def of(parameters, make):
    """Return what ``make`` makes of fresh keys of a parameter set, serialized."""
    context = he.context(parameters)
    return make(context, seal.KeyGenerator(context)).to_string()


def galois_keys(context, generator, steps=(1,)):
    keys = seal.GaloisKeys()
    generator.create_galois_keys(list(steps), keys)
    return keys


def relin_keys(_, generator):
    return generator.create_relin_keys()


@both
@pytest.mark.parametrize(
    ("part", "parameters", "make", "expected"),
    [
        (1, OTHER_BFV, galois_keys, "SEAL refuses"),
        (1, SMALLER, galois_keys, "SEAL refuses"),
        (2, OTHER_BFV, relin_keys, "SEAL refuses"),
        (2, SMALLER, relin_keys, "SEAL refuses"),
        (1, None, relin_keys, "no Galois key for a rotation by 1"),
        (1, None, lambda c, g: galois_keys(c, g, (2,)), "no Galois key for a rotation by 1"),
        (2, None, galois_keys, "no key for products"),
        (1, None, lambda _, g: g.create_public_key(), "SEAL refuses"),
        (1, None, lambda _, g: g.secret_key(), "SEAL refuses"),
    ],
    ids=range(9),
)
def test_keys_of_another_kind_or_parameter_set_are_refused(
    scheme, part, parameters, make, expected
):
    at = session(scheme)
    parts = list(at.setup.parts)
    parts[part] = of(parameters or (BFV if scheme == "bfv" else CKKS), make)
    kind, said = at.answer(Kind.SETUP, *parts)
    assert kind == Kind.ERROR
    assert expected in said
    at.check()  # with the keys it had


def ciphertext(parameters, change=lambda evaluator, c: c):
    context = he.context(parameters)
    encryptor = seal.Encryptor(context, seal.KeyGenerator(context).create_public_key())
    if parameters.scheme == "bfv":
        plain = seal.BatchEncoder(context).encode(np.arange(parameters.poly_modulus_degree) % 7)
    else:
        plain = seal.CKKSEncoder(context).encode(1.5, 2.0**parameters.scale_bits)
    return change(seal.Evaluator(context), encryptor.encrypt(plain)).to_string()


@pytest.mark.parametrize(
    ("scheme", "data", "expected"),
    [
        ("bfv", lambda: ciphertext(OTHER_BFV), "SEAL refuses"),
        ("bfv", lambda: ciphertext(SMALLER), "SEAL refuses"),
        ("bfv", lambda: ciphertext(CKKS), "SEAL refuses"),
        ("ckks", lambda: ciphertext(BFV), "SEAL refuses"),
        ("bfv", lambda: ciphertext(BFV, lambda e, c: e.mod_switch_to_next(c)), "fresh"),
        ("bfv", lambda: ciphertext(BFV, lambda e, c: e.square(c)), "fresh"),
        ("bfv", lambda: ciphertext(BFV, lambda e, c: e.transform_to_ntt(c)), "fresh"),
        ("ckks", lambda: ciphertext(CKKS, lambda e, c: e.mod_switch_to_next(c)), "fresh"),
        ("ckks", lambda: ciphertext(CKKS, lambda e, c: e.square(c)), "fresh"),
        ("ckks", lambda: ciphertext(CKKS.model_copy(update={"scale_bits": 21})), "fresh"),
        ("bfv", lambda: of(BFV, relin_keys), "SEAL refuses"),
        ("bfv", lambda: of(BFV, lambda _, g: g.secret_key()), "SEAL refuses"),
        ("bfv", lambda: bytes(200), "not an object of SEAL"),
        ("bfv", lambda: b"\x5e\xa1\x10\x04\x04\x02\x00\x00" + bytes(200), "compressed"),
        ("bfv", lambda: ciphertext(BFV) + b"x", "its header announces"),
        ("bfv", lambda: ciphertext(BFV)[:-1], "its header announces"),
    ],
)
def test_ciphertexts_of_another_kind_level_or_size_are_refused(scheme, data, expected):
    at = session(scheme)
    kind, said = at.answer(Kind.EVALUATE, data())
    assert kind == Kind.ERROR
    assert expected in said
    at.check()


@pytest.mark.parametrize("scheme", ["bfv", "ckks"])
def test_an_encryption_of_nothing_is_refused(scheme):
    """Both polynomials zero: SEAL calls it transparent, and would compute on it in the clear."""
    at = session(scheme)
    good = at.request.parts[0]
    zero = good[: -2 * 2 * N * 8] + bytes(2 * 2 * N * 8)
    kind, said = at.answer(Kind.EVALUATE, zero)
    assert kind == Kind.ERROR and said
    at.check()


@pytest.mark.parametrize(
    "parameters",
    [
        BFV,
        CKKS,
        SMALLER,
        ParameterSet(
            scheme="ckks",
            poly_modulus_degree=16384,
            coeff_modulus_bits=(60, 60, 60, 60),
            scale_bits=40,
        ),
    ],
)
def test_no_good_request_exceeds_the_limit(parameters):
    """The limit follows from the plan, so it must hold for what SEAL really writes."""
    plan = Plan(parameters.scheme, input_ciphertexts=3, rotation_steps=(1, 2, 4, 8))
    server = Server(parameters, [BoundService(plan, SquareSum)], relinearization=True)
    sizes = []

    def answer(frame):
        sizes.append(len(frame))
        return server.handle(frame)

    client = Client(parameters, [plan], InProcessTransport(answer), relinearization=True)
    client.connect()
    assert sizes[0] < server.max_request_bytes < 1.3 * sizes[0] + 100_000
