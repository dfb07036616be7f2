"""Frames: what is written is read back; anything else is refused with its reason."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.protocol.messages import (
    HEADER_BYTES,
    Kind,
    Message,
    MessageError,
    parse,
    payload_bytes,
)

messages = st.builds(
    Message,
    kind=st.sampled_from(Kind),
    layer=st.integers(0, 2**16 - 1),
    parts=st.lists(st.binary(max_size=50), max_size=5).map(tuple),
)


@given(messages)
def test_round_trip(message):
    frame = message.to_bytes()
    assert parse(frame) == message
    assert payload_bytes(frame[:HEADER_BYTES]) == len(frame) - HEADER_BYTES


@given(messages, st.data())
def test_every_truncation_and_extension_is_refused(message, data):
    frame = message.to_bytes()
    cut = data.draw(st.integers(0, len(frame) - 1))
    for wrong in (frame[:cut], frame + b"x"):
        with pytest.raises(MessageError):
            parse(wrong)


@given(st.binary(max_size=100))
def test_random_bytes_are_refused(data):
    with pytest.raises(MessageError):
        parse(data)


FRAME = Message(Kind.EVALUATE, 3, (b"abc", b"de")).to_bytes()


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", "header of 0 bytes"),
        (b"HTTP" + FRAME[4:], "not a message of this protocol"),
        (FRAME[:4] + b"\x09" + FRAME[5:], "message version 9; this side speaks 1"),
        (FRAME[:5] + b"\xff" + FRAME[6:], "unknown message kind 255"),
        (FRAME[:-1], "payload of 12 bytes; its header announces 13"),
        (FRAME[:8] + b"\x01\x00" + FRAME[10:], "6 bytes after the last part"),
        (FRAME[:8] + b"\x03\x00" + FRAME[10:], "part 3 of 3 exceeds the payload"),
    ],
)
def test_reasons(frame, reason):
    with pytest.raises(MessageError, match=reason):
        parse(frame)


def test_an_oversized_payload_is_refused_by_its_header_alone():
    header = FRAME[:10] + struct.pack("<Q", 1 << 40)
    with pytest.raises(MessageError, match=f"payload of {1 << 40} bytes; at most"):
        payload_bytes(header)
