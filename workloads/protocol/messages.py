"""Messages between client and server: one frame each, the same on every transport.

Frame, little-endian:

    magic "CHOC" | version u8 | kind u8 | layer u16 | parts u16 | payload length u64 | payload

The payload holds ``parts`` byte strings, each after its length (u32). A reader knows from the
header alone how much follows, and refuses it there if it is too much.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from models.errors import ChocoError

MAGIC = b"CHOC"
VERSION = 1
MAX_PAYLOAD_BYTES = 1 << 30
"""Above the evaluation keys of the largest parameter set with dozens of rotations."""

_HEADER = struct.Struct("<4sBBHHQ")
_LENGTH = struct.Struct("<I")

HEADER_BYTES = _HEADER.size


class Kind(IntEnum):
    """What a message is for."""

    SETUP = 1
    """Client: agreement (JSON), Galois keys."""
    READY = 2
    """Server: keys accepted."""
    EVALUATE = 3
    """Client: ciphertexts of one layer's input."""
    RESULT = 4
    """Server: ciphertexts of its output."""
    REPORT = 5
    """Both: ask for, and give, the server's operations and seconds (JSON), for measurements."""
    ERROR = 6
    """Server: one line of text; the connection goes on."""


class MessageError(ChocoError):
    """Bytes that are no message of this protocol."""


@dataclass(frozen=True)
class Message:
    """One message; ``layer`` counts linear layers from 0 and is 0 where it has no meaning."""

    kind: Kind
    layer: int = 0
    parts: tuple[bytes, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the frame."""
        payload = b"".join(_LENGTH.pack(len(part)) + part for part in self.parts)
        header = _HEADER.pack(MAGIC, VERSION, self.kind, self.layer, len(self.parts), len(payload))
        return header + payload


def payload_bytes(header: bytes, limit: int = MAX_PAYLOAD_BYTES) -> int:
    """Check the first ``HEADER_BYTES`` of a frame and return how many bytes follow.

    Raises:
        MessageError: not a header of this protocol and version, or a payload beyond ``limit``.
    """
    return _header(header, limit)[3]


def parse(frame: bytes, limit: int = MAX_PAYLOAD_BYTES) -> Message:
    """Read one whole frame.

    Raises:
        MessageError: malformed, truncated, oversized, or of another version.
    """
    kind, layer, parts, length = _header(frame[:HEADER_BYTES], limit)
    payload = frame[HEADER_BYTES:]
    if len(payload) != length:
        raise MessageError(f"payload of {len(payload)} bytes; its header announces {length}")
    found, offset = [], 0
    for index in range(parts):
        start = offset + _LENGTH.size
        size = _LENGTH.unpack_from(payload, offset)[0] if start <= length else 0
        offset = start + size
        if offset > length:
            raise MessageError(f"part {index + 1} of {parts} exceeds the payload")
        found.append(payload[start:offset])
    if offset != length:
        raise MessageError(f"{length - offset} bytes after the last part")
    return Message(kind, layer, tuple(found))


def _header(header: bytes, limit: int) -> tuple[Kind, int, int, int]:
    if len(header) < HEADER_BYTES:
        raise MessageError(f"header of {len(header)} bytes; expected {HEADER_BYTES}")
    magic, version, kind, layer, parts, length = _HEADER.unpack(header)
    if magic != MAGIC:
        raise MessageError(f"not a message of this protocol: starts with {magic!r}")
    if version != VERSION:
        raise MessageError(f"message version {version}; this side speaks {VERSION}")
    if kind not in list(Kind):
        raise MessageError(f"unknown message kind {kind}")
    if length > limit:
        raise MessageError(f"payload of {length} bytes; at most {limit} are accepted")
    return Kind(kind), layer, parts, length
