"""Transports: they carry bytes, nothing else, and count them by direction."""

from collections.abc import Callable
from typing import Protocol


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
