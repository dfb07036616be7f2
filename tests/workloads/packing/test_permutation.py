"""Windowed rotation, both ways, on real ciphertexts: numpy's roll inside every window."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.packing.evaluator import CountingEvaluator, make_galois_keys
from workloads.packing.permutation import MaskedRotation, RedundantRotation, Windows, roll

ROW = 2048
PARAMETERS = ParameterSet(
    scheme="bfv", poly_modulus_degree=4096, coeff_modulus_bits=(36, 36, 37), plain_modulus_bits=18
)
ENCRYPTED = settings(max_examples=25, deadline=None)


class Party:
    """A client and the evaluator of its server; rotation keys are made as they are needed."""

    def __init__(self):
        context = he.context(PARAMETERS)
        self.generator = seal.KeyGenerator(context)
        self.encryptor = seal.Encryptor(context, self.generator.create_public_key())
        self.decryptor = seal.Decryptor(context, self.generator.secret_key())
        self.encoder = seal.BatchEncoder(context)
        self.run = CountingEvaluator(context)

    def encrypt(self, slots):
        return self.encryptor.encrypt(self.encoder.encode(slots.reshape(-1)))

    def decrypt(self, ciphertext):
        assert self.decryptor.invariant_noise_budget(ciphertext) > 0
        return self.encoder.decode(self.decryptor.decrypt(ciphertext)).reshape(2, ROW)

    def rotate(self, rotation, ciphertext):
        self.run.galois_keys = make_galois_keys(self.generator, rotation.rotation_steps)
        self.run.take_counts()
        return rotation.apply(ciphertext)


@cache
def party():
    return Party()


@st.composite
def windows(draw, redundant):
    """Some windows, evenly or unevenly spaced, in one row or both."""
    length = draw(st.integers(1, 70))
    before = draw(st.integers(0, length - 1)) if redundant else 0
    after = draw(st.integers(0, length - 1)) if redundant else 0
    gaps = draw(st.lists(st.integers(0, 200), min_size=1, max_size=4))
    starts, free = [], 0
    for gap in gaps:
        starts.append(free + gap + before)
        free = starts[-1] + length + after
    rows = draw(st.sampled_from([(0,), (1,), (0, 1)]))
    return Windows(ROW, length, tuple(starts), before, after, rows)


def random_values(where):
    rng = np.random.default_rng(where.length)
    return rng.integers(-(2**16), 2**16, where.shape)


@ENCRYPTED
@given(where=windows(redundant=False), step=st.integers(-100, 100), noise=st.booleans())
def test_masking_rotates_inside_windows_and_clears_the_rest(where, step, noise):
    values, around = random_values(where), np.full((2, ROW), 7 if noise else 0)
    slots = np.where(where.mask(0, where.length) == 1, where.pack(values), around)
    at = party()
    found = at.decrypt(at.rotate(MaskedRotation(at.run, where, step), at.encrypt(slots)))
    np.testing.assert_array_equal(found, where.pack(roll(values, step)))


@ENCRYPTED
@given(where=windows(redundant=True), data=st.data())
def test_redundancy_rotates_inside_windows(where, data):
    step = data.draw(st.integers(-where.before, where.after))
    turns = data.draw(st.integers(-2, 2))
    values, at = random_values(where), party()
    rotation = RedundantRotation(at.run, where, step + turns * where.length)
    found = at.decrypt(at.rotate(rotation, at.encrypt(where.pack(values))))
    np.testing.assert_array_equal(where.unpack(found), roll(values, step))
    assert len(rotation.rotation_steps) <= 1


@settings(max_examples=10, deadline=None)
@given(
    length=st.integers(2, 40),
    before=st.integers(0, 39),
    steps=st.lists(st.integers(-50, 50), min_size=1, max_size=8),
)
def test_a_window_of_copies_is_enough_for_any_sequence(length, before, steps):
    before = min(before, length - 1)
    where = Windows(ROW, length, (50, 300), before, length - 1 - before)
    values, at = random_values(where), party()
    ciphertext, offset = at.encrypt(where.pack(values)), 0
    for step in steps:
        rotation = RedundantRotation(at.run, where, step, offset)
        ciphertext, offset = at.rotate(rotation, ciphertext), rotation.end
    np.testing.assert_array_equal(where.unpack(at.decrypt(ciphertext)), roll(values, sum(steps)))


def test_operations_are_those_of_the_paper():
    """Figure 4: two rotations, two products, one addition; and one rotation."""
    at, where = party(), Windows(ROW, 24, after=8)
    ciphertext = at.encrypt(where.pack(random_values(where)))
    at.rotate(MaskedRotation(at.run, where, 8), ciphertext)
    masking = at.run.take_counts()
    assert (masking["rotations"], masking["plain_multiplications"]) == (2, 2)
    assert masking["additions"] == 1
    at.rotate(RedundantRotation(at.run, where, 8), ciphertext)
    redundancy = at.run.take_counts()
    assert redundancy.pop("rotations") == 1
    assert not any(redundancy.values())


def test_roll_is_to_the_left():
    assert list(roll(np.arange(5), 2)) == [2, 3, 4, 0, 1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"length": 8, "after": 8}, "0 to 7 copies on a side"),
        ({"length": 8, "starts": (0, 7)}, "the window at slot 7 overlaps"),
        ({"length": 8, "starts": (0, 8), "after": 1}, "the window at slot 8 overlaps"),
        ({"length": 8, "before": 1}, "the window at slot 0 overlaps"),
        ({"length": 8, "starts": (2041,)}, "reach slot 2049 of a row of 2048"),
        ({"length": 8, "starts": ()}, "reach slot 0 of"),
        ({"length": 8, "rows": (2,)}, r"rows \(2,\)"),
    ],
)
def test_windows_that_do_not_fit_are_refused(arguments, reason):
    with pytest.raises(ChocoError, match=reason):
        Windows(ROW, **arguments)


def test_too_few_copies_are_named():
    with pytest.raises(ChocoError, match="needs 5 copies after or 3 before the window; there are"):
        RedundantRotation(party().run, Windows(ROW, 8, (2,), 2, 4), 5)


def test_values_of_another_shape_are_refused():
    with pytest.raises(ChocoError, match=r"shape \(3,\) is not \(2, 1, 8\)"):
        Windows(ROW, 8).pack(np.arange(3))
