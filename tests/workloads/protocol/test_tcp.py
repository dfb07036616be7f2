"""Two processes over TCP: the same bytes as in one, and a server that outlives bad clients."""

import importlib
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest

import workloads.dnn
from models.config import Config
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.stage import Job
from workloads import he
from workloads.dnn import infer
from workloads.protocol.client import Client
from workloads.protocol.listener import Limits, Listener
from workloads.protocol.messages import HEADER_BYTES, Kind, Message, parse
from workloads.protocol.serve import connection, server_process
from workloads.protocol.transport import InProcessTransport, TcpTransport

sys.path.insert(0, str(Path(__file__).parent))
tiny_service = importlib.import_module("tiny_service")

PARAMETERS = ParameterSet(
    scheme="bfv", poly_modulus_degree=4096, coeff_modulus_bits=(36, 36, 37), plain_modulus_bits=18
)
QUICK = Limits(message_s=0.3, idle_s=0.6)


JOB = Job(tiny_service.Settings(parameters=PARAMETERS), {}, {})


@pytest.fixture(autouse=True)
def tiny_service_is_importable(monkeypatch):
    """In server processes, too."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)


def make_server():
    return tiny_service.server(JOB)


@pytest.fixture(scope="module")
def quick_listener():
    with Listener(make_server(), limits=QUICK) as made:
        thread = Thread(target=made.serve)
        thread.start()
        yield made
        made.stop()
        thread.join(5)
        assert not thread.is_alive()


@pytest.fixture
def listener(quick_listener):
    """A listener that must still serve a good client after the test."""
    yield quick_listener
    with TcpTransport(quick_listener.host, quick_listener.port, timeout_s=20) as transport:
        assert_served(transport)


def assert_served(transport):
    client = Client(PARAMETERS, [tiny_service.PLAN], transport, switch_downloads=True)
    client.connect()
    vector = np.arange(20)
    np.testing.assert_array_equal(
        client.evaluate(0, vector), tiny_service.WEIGHTS @ vector + tiny_service.BIAS
    )
    return client


def raw(listener, timeout_s=5.0):
    return socket.create_connection((listener.host, listener.port), timeout=timeout_s)


def everything(connection):
    """Read until the server closes."""
    received = b""
    while piece := connection.recv(1 << 16):
        received += piece
    return received


def reason(frame):
    message = parse(frame)
    assert message.kind == Kind.ERROR
    return message.parts[0].decode()


def test_a_network_gives_the_same_trace_in_one_process_and_in_two(tmp_path):
    here = Path(workloads.dnn.__file__).parent
    inputs = {
        "network": here / "networks" / "lenet_sm.yaml",
        "weights": here / "weights" / "lenet_sm_digits_4bit.npz",
    }
    config = Config()
    inference = config.networks.lenet_sm.model_copy(update={"images": 1})
    parameters = config.parameter_sets[inference.parameter_set]
    tables, summaries = [], []
    for transport in ("in process", "TCP"):
        outputs = {
            name: tmp_path / transport / name
            for name in ("trace", "timings", "summary", "metadata")
        }
        settings = infer.Settings(
            seed=7, parameters=parameters, inference=inference, transport=transport
        )
        infer.stage(Job(settings, inputs, outputs))
        he.unseed()
        tables.append(outputs["trace"].read_bytes())
        summaries.append(outputs["summary"].read_bytes())
        timings = pd.read_csv(outputs["timings"]).set_index("phase")["time_s"]
        assert timings["weight_encoding"] > 0
    assert tables[0] == tables[1]
    assert summaries[0] == summaries[1]


def test_frames_and_counts_are_those_of_one_process(listener):
    traffic = []
    for make in (
        lambda: InProcessTransport(make_server().handle),
        lambda: TcpTransport(listener.host, listener.port),
    ):
        he.seed(3)
        transport = make()
        client = assert_served(transport)
        exchange = client.exchanges[0]
        # the setup reply carries seconds, so its length may differ by some digits
        traffic.append(
            (transport.sent_bytes, exchange.wire_upload_bytes, exchange.wire_download_bytes)
        )
        if isinstance(transport, TcpTransport):
            transport.close()
    he.unseed()
    assert traffic[0] == traffic[1]


def test_clients_come_one_after_the_other_and_share_no_keys(listener):
    for _ in range(2):
        with TcpTransport(listener.host, listener.port, timeout_s=20) as transport:
            stranger = Client(PARAMETERS, [tiny_service.PLAN], transport, switch_downloads=True)
            with pytest.raises(ChocoError, match="must send its evaluation keys first"):
                stranger.evaluate(0, np.arange(20))
            assert stranger.server_report() == []
            assert_served(transport)


def test_a_refused_message_leaves_the_connection_open(listener):
    with TcpTransport(listener.host, listener.port, timeout_s=20) as transport:
        bad = Message(Kind.EVALUATE, 9).to_bytes()
        assert "no layer 9" in reason(transport.exchange(bad))
        assert_served(transport)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "not a message of this protocol"),
        (b"CHOC\x07" + bytes(13), "message version 7; this side speaks 1"),
        (struct.pack("<4sBBHHQ", b"CHOC", 1, 3, 0, 1, 1 << 50), "at most"),
    ],
    ids=["another protocol", "another version", "oversized"],
)
def test_bytes_that_are_no_message_are_answered_and_hung_up_on(listener, sent, expected):
    with raw(listener) as connection:
        connection.sendall(sent)
        assert expected in reason(everything(connection))


def test_a_truncated_message_does_not_hold_the_server(listener):
    frame = Message(Kind.EVALUATE, 0, (bytes(1000),)).to_bytes()
    with raw(listener) as connection:
        connection.sendall(frame[:500])
        connection.shutdown(socket.SHUT_WR)
        assert f"closed after 500 of {len(frame)} bytes" in reason(everything(connection))
    for count in (0, 1, HEADER_BYTES, 300):
        with raw(listener) as connection:
            connection.sendall(frame[:count])


@pytest.mark.parametrize("sent", [b"", b"CHO", Message(Kind.REPORT).to_bytes()[:-1]])
def test_a_silent_client_is_hung_up_on(listener, sent):
    with raw(listener) as connection:
        connection.sendall(sent)
        assert "timed out" in reason(everything(connection))


def test_a_client_that_drips_is_hung_up_on(listener):
    """The limit is on a message, not on a pause in it."""
    with raw(listener) as connection, pytest.raises(OSError):
        for byte in Message(Kind.REPORT).to_bytes() * 1000:
            connection.sendall(bytes([byte]))
            connection.settimeout(0.05)
            try:
                assert "timed out" in reason(connection.recv(1000))
                raise BrokenPipeError
            except TimeoutError:
                continue


def test_a_reset_connection_does_not_hold_the_server(listener):
    with raw(listener) as connection:
        connection.sendall(Message(Kind.REPORT).to_bytes())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_an_oversized_request_reaches_the_client_as_the_servers_reason(listener):
    with TcpTransport(listener.host, listener.port, timeout_s=20) as transport:
        huge = Message(Kind.EVALUATE, 0, (bytes(40_000_000),)).to_bytes()
        assert "payload of 40000004 bytes; at most" in reason(transport.exchange(huge))


def test_a_defect_of_an_operator_does_not_end_the_server(monkeypatch):
    server = make_server()
    monkeypatch.setattr(server, "handle", lambda _: 1 // 0)
    with Listener(server) as made:
        thread = Thread(target=made.serve, args=(1,))
        thread.start()
        with TcpTransport(made.host, made.port, timeout_s=20) as transport:
            reply = transport.exchange(Message(Kind.REPORT).to_bytes())
            assert reason(reply) == "internal error of the server"
        thread.join(5)
        assert not thread.is_alive()


def false_server(answer):
    """Accept one client, take one request, send ``answer`` and close."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        with listening, listening.accept()[0] as connection:
            connection.recv(1 << 16)
            if answer is None:
                connection.recv(1)
            else:
                connection.sendall(answer)

    Thread(target=serve, daemon=True).start()
    return listening.getsockname()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"", "closed by the server"),
        (b"HTTP/1.1 400 Bad Request\r\n", "not a message of this protocol"),
        (Message(Kind.READY, 0, (b"x" * 90,)).to_bytes()[:50], "closed after 50 of 112 bytes"),
        (struct.pack("<4sBBHHQ", b"CHOC", 1, 4, 0, 1, 1 << 50), "at most"),
        (None, "no answer from 127.0.0.1 port"),
    ],
    ids=["nothing", "another protocol", "truncated", "oversized", "silent"],
)
def test_a_server_that_answers_nonsense_is_reported_and_left(answer, expected):
    with TcpTransport(*false_server(answer), timeout_s=0.5) as transport:
        with pytest.raises(ChocoError, match=expected):
            transport.exchange(Message(Kind.REPORT).to_bytes())
        with pytest.raises(ChocoError, match=r"connection to .* is closed"):
            transport.exchange(Message(Kind.REPORT).to_bytes())


def test_addresses_that_cannot_be_used(listener):
    with pytest.raises(ChocoError, match=f"cannot listen on 127.0.0.1 port {listener.port}"):
        Listener(make_server(), port=listener.port)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ChocoError, match=f"no server at 127.0.0.1 port {port}"):
        TcpTransport("127.0.0.1", port)


def test_a_server_that_cannot_start_says_why():
    job = Job(JOB.settings, {"broken": Path("some.yaml")}, {})
    said = r"the server of tiny_service does not start: some\.yaml: not what it should be"
    with pytest.raises(ChocoError, match=said), connection(tiny_service.server, job, "TCP"):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_and_frees_its_port(number):
    with server_process("tiny_service", JOB, ()) as (host, port, pid):
        with TcpTransport(host, port, timeout_s=20) as transport:
            assert_served(transport)
            os.kill(pid, number)
            _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    socket.create_server((host, port)).close()


def test_a_server_process_ends_with_its_client():
    with server_process("tiny_service", JOB) as (host, port, pid):
        with TcpTransport(host, port, timeout_s=20) as transport:
            assert_served(transport)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0


def test_a_module_that_serves_nothing_is_an_error_in_one_line():
    run = subprocess.run(
        [sys.executable, "-m", "workloads.protocol.serve", "workloads.he"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr.startswith("error: workloads.he serves no workload: ")
    assert run.stderr.count("\n") == 1
