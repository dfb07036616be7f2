"""Transports: they carry frames, nothing else, and count their bytes by direction."""

import socket
from collections.abc import Callable
from time import monotonic
from typing import Protocol, Self

from models.errors import ChocoError
from workloads.protocol.messages import (
    HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    MessageError,
    payload_bytes,
)

REPLY_TIMEOUT_S = 900.0
"""How long a client waits for an answer: longer than any layer takes on a slow server."""

_CHUNK_BYTES = 1 << 20


class Transport(Protocol):
    """A connection to the server, seen from the client.

    Attributes:
        sent_bytes: bytes that went to the server so far.
        received_bytes: bytes that came back.
    """

    sent_bytes: int
    received_bytes: int

    def exchange(self, request: bytes) -> bytes:
        """Send one frame and return the frame that answers it."""


class InProcessTransport:
    """A server in the same process, reached through the same bytes as over a network."""

    def __init__(self, handle: Callable[[bytes], bytes]) -> None:
        self._handle = handle
        self.sent_bytes = 0
        self.received_bytes = 0

    def exchange(self, request: bytes) -> bytes:
        """Send one frame and return the frame that answers it."""
        self.sent_bytes += len(request)
        reply = self._handle(request)
        self.received_bytes += len(reply)
        return reply


class TcpTransport:
    """A connection over TCP; bytes are counted as they leave and enter the socket.

    Args:
        host, port: where the server listens.
        timeout_s: how long to wait for the server to connect, to take a request, to answer it.
        max_payload_bytes: largest answer that is accepted.

    Raises:
        ChocoError: no server there.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        timeout_s: float = REPLY_TIMEOUT_S,
        max_payload_bytes: int = MAX_PAYLOAD_BYTES,
    ) -> None:
        self._server = f"{host} port {port}"
        self._timeout_s = timeout_s
        self._limit = max_payload_bytes
        try:
            self._connection: socket.socket | None = socket.create_connection(
                (host, port), timeout=timeout_s
            )
        except OSError as error:
            raise ChocoError(f"no server at {self._server}: {error.strerror or error}") from None
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent_bytes = 0
        self.received_bytes = 0

    def exchange(self, request: bytes) -> bytes:
        """Send one frame and return the frame that answers it.

        Raises:
            ChocoError: the connection broke or timed out, or the answer is no frame; the
                transport is closed then, as it may be in the middle of a frame.
        """
        if self._connection is None:
            raise ChocoError(f"the connection to {self._server} is closed")
        try:
            # A server that refuses a request by its header answers before it has been sent.
            refused = self._send(self._connection, request)
            reply = read_frame(self._connection, self._limit, self._timeout_s)
        except TimeoutError:
            self.close()
            raise ChocoError(f"no answer from {self._server} in {self._timeout_s:g} s") from None
        except (OSError, MessageError) as error:
            self.close()
            raise ChocoError(f"connection to {self._server}: {error}") from None
        if reply is None or refused:
            self.close()
        if reply is None:
            raise ChocoError(f"connection to {self._server}: closed by the server")
        self.received_bytes += len(reply)
        return reply

    def _send(self, connection: socket.socket, request: bytes) -> bool:
        """Send as much as the server takes; True if it hung up on it."""
        connection.settimeout(self._timeout_s)
        view = memoryview(request)
        try:
            while view:
                sent = connection.send(view[:_CHUNK_BYTES])
                self.sent_bytes += sent
                view = view[sent:]
        except (BrokenPipeError, ConnectionResetError):
            return True
        return False

    def close(self) -> None:
        """Close the connection; more than once is fine."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_frame(
    connection: socket.socket, limit: int, timeout_s: float, idle_timeout_s: float | None = None
) -> bytes | None:
    """Read one frame; None if the peer closed the connection between two.

    Args:
        connection: a connected socket.
        limit: largest payload in bytes; refused by the header alone.
        timeout_s: for the whole frame, however slowly it drips.
        idle_timeout_s: until its first byte; ``timeout_s`` if None.

    Raises:
        MessageError: not a frame, or the peer closed in the middle of one.
        TimeoutError: it took too long.
        OSError: the connection broke.
    """
    connection.settimeout(timeout_s if idle_timeout_s is None else idle_timeout_s)
    first = connection.recv(1)
    if not first:
        return None
    deadline = monotonic() + timeout_s
    frame = bytearray(first)
    _read_until(connection, frame, HEADER_BYTES, deadline)
    _read_until(connection, frame, HEADER_BYTES + payload_bytes(bytes(frame), limit), deadline)
    return bytes(frame)


def _read_until(
    connection: socket.socket, frame: bytearray, size_bytes: int, deadline: float
) -> None:
    """Append what comes; memory grows with it, not with what a header promises."""
    while len(frame) < size_bytes:
        left_s = deadline - monotonic()
        if left_s <= 0:
            raise TimeoutError
        connection.settimeout(left_s)
        piece = connection.recv(min(size_bytes - len(frame), _CHUNK_BYTES))
        if not piece:
            raise MessageError(f"closed after {len(frame)} of {size_bytes} bytes of a message")
        frame += piece
