"""The server on TCP: one client after another, each with keys of its own.

A message that is refused for its content is answered and the connection goes on. Where the bytes
themselves are no message, nobody can tell where the next one starts: the server says why, closes
the connection, and takes the next client.
"""

import logging
import socket
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Self

from models.errors import ChocoError
from workloads.protocol.messages import MessageError
from workloads.protocol.server import Server, refusal
from workloads.protocol.transport import read_frame

LOOPBACK = "127.0.0.1"

_LOG = logging.getLogger(__name__)
_POLL_S = 0.1


@dataclass(frozen=True)
class Limits:
    """What a client may cost the server, in seconds."""

    message_s: float = 60.0
    """From the first byte of a message to its last, and for taking an answer."""
    idle_s: float = 900.0
    """Between two messages; another client waits meanwhile."""
    first_client_s: float | None = None
    """Until anybody connects at all; None for ever."""


class Listener:
    """Accepts clients on ``host`` and has ``server`` answer them.

    Args:
        server: what answers; its request limit bounds a message.
        host: address to listen on; loopback unless told, as the connection is not authenticated.
        port: 0 for one that is free.
        limits: timeouts.

    Raises:
        ChocoError: the address is not available.
    """

    def __init__(
        self, server: Server, host: str = LOOPBACK, port: int = 0, limits: Limits | None = None
    ) -> None:
        self._server = server
        self._limits = limits or Limits()
        self._stopped = Event()
        try:
            self._socket = socket.create_server((host, port))
        except (OSError, OverflowError) as error:
            raise ChocoError(f"cannot listen on {host} port {port}: {error}") from None
        self._socket.settimeout(_POLL_S)
        self.host: str = host
        self.port: int = self._socket.getsockname()[1]

    def serve(self, clients: int | None = None) -> None:
        """Serve until ``stop`` is called, or until so many clients have come and gone."""
        start, served = monotonic(), 0
        while not self._stopped.is_set() and (clients is None or served < clients):
            try:
                connection, (host, port, *_) = self._socket.accept()
            except TimeoutError:
                patience_s = self._limits.first_client_s
                if not served and patience_s is not None and monotonic() - start > patience_s:
                    return
                continue
            with connection:
                self._serve_client(connection, f"{host} port {port}")
            served += 1

    def stop(self) -> None:
        """Have ``serve`` return once the client it serves has gone; safe from any thread."""
        self._stopped.set()

    def close(self) -> None:
        """Stop and release the port."""
        self.stop()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve_client(self, connection: socket.socket, client: str) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        limits, limit = self._limits, self._server.max_request_bytes
        try:
            while True:
                frame = read_frame(connection, limit, limits.message_s, limits.idle_s)
                if frame is None:
                    return
                reply = self._answer(frame)
                connection.settimeout(limits.message_s)
                connection.sendall(reply)
        except MessageError as error:
            _LOG.warning("%s: %s", client, error)
            _hang_up(connection, refusal(str(error)).to_bytes())
        except TimeoutError:
            _LOG.warning("%s: timed out", client)
            _hang_up(connection, refusal("timed out").to_bytes())
        except OSError as error:
            _LOG.warning("%s: %s", client, error)
        finally:
            self._server.forget_client()

    def _answer(self, frame: bytes) -> bytes:
        try:
            return self._server.handle(frame)
        except Exception:  # a defect of an operator is no reason to leave the next client alone
            _LOG.exception("internal error")
            return refusal("internal error of the server").to_bytes()


def _hang_up(connection: socket.socket, last_words: bytes) -> None:
    """Say why and close; what still arrives is read first, or the client would lose the reason."""
    with suppress(OSError):
        connection.settimeout(1.0)
        connection.sendall(last_words)
        connection.shutdown(socket.SHUT_WR)
        deadline = monotonic() + 1.0
        while monotonic() < deadline and connection.recv(1 << 16):
            pass
