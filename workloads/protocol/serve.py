"""A server as a process of its own, and how a workload reaches one.

    python -m workloads.protocol.serve MODULE --settings JSON --input NAME=PATH ... [--port PORT]

MODULE is that of a stage: it has ``Settings`` and ``server(job) -> Server``. The process says
``listening on HOST port PORT`` on stdout and serves until SIGTERM or SIGINT, or until ``--clients``
clients have come and gone.
"""

import argparse
import importlib
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from pydantic import BaseModel

from models.config.workloads import TransportName
from models.errors import ChocoError
from models.stage import Job, run_stage
from workloads.protocol.listener import LOOPBACK, Limits, Listener
from workloads.protocol.server import Server
from workloads.protocol.transport import InProcessTransport, TcpTransport, Transport

START_TIMEOUT_S = 60.0
"""How long a server process waits for the client that started it."""

_ANNOUNCEMENT = re.compile(r"listening on (\S+) port (\d+)\n")


class ServerProcess(NamedTuple):
    """A server that listens, and its process."""

    host: str
    port: int
    pid: int


@contextmanager
def connection(
    make_server: Callable[[Job[Any]], Server], job: Job[Any], transport: TransportName
) -> Iterator[Transport]:
    """Yield a transport to a new server of ``job``, in this process or in one of its own.

    Args:
        make_server: the function ``server`` of a stage's module.
        job: its settings and inputs; a server process gets the same on its command line.
        transport: "in process" or "TCP".

    Raises:
        ChocoError: the server cannot start; carries its reason.
    """
    if transport == "in process":
        yield InProcessTransport(make_server(job).handle)
        return
    spec = sys.modules[make_server.__module__].__spec__  # a stage that runs is named __main__
    assert spec is not None
    with server_process(spec.name, job) as at, TcpTransport(at.host, at.port) as connected:
        yield connected


@contextmanager
def server_process(
    module: str, job: Job[Any], arguments: Sequence[str] = ("--clients", "1")
) -> Iterator[ServerProcess]:
    """Start a server process; it has ended when the block is left.

    Raises:
        ChocoError: it does not start; carries what it said.
    """
    command = [sys.executable, "-m", "workloads.protocol.serve", module, *arguments]
    command += ["--settings", job.settings.model_dump_json()]
    command += ["--input", *(f"{name}={path}" for name, path in job.inputs.items())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None and process.stderr is not None
        try:
            announced = _ANNOUNCEMENT.fullmatch(process.stdout.readline())
            if announced is None:
                process.terminate()
                said = process.stderr.read().strip().splitlines()
                reason = said[-1].removeprefix("error: ") if said else "it says nothing"
                raise ChocoError(f"the server of {module} does not start: {reason}")
            yield ServerProcess(announced[1], int(announced[2]), process.pid)
        finally:
            process.terminate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a server process."""
    parser = argparse.ArgumentParser(description="Serve the encrypted steps of a workload on TCP.")
    parser.add_argument("module", help="module of the stage, e.g. workloads.dnn.infer")
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--port", type=int, default=0, help="0 for one that is free")
    parser.add_argument("--clients", type=int, help="end after so many clients")
    given, of_stage = parser.parse_known_args(arguments)
    logging.basicConfig(format="%(levelname)s: %(message)s")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    try:
        workload = importlib.import_module(given.module)
        make_server, settings_type = workload.server, workload.Settings
    except (ImportError, AttributeError) as error:
        sys.exit(f"error: {given.module} serves no workload: {error}")

    def stage(job: Job[BaseModel]) -> None:
        patience_s = None if given.clients is None else START_TIMEOUT_S
        limits = Limits(first_client_s=patience_s)
        with Listener(make_server(job), given.host, given.port, limits) as listener:
            print(f"listening on {listener.host} port {listener.port}", flush=True)
            listener.serve(given.clients)

    run_stage(stage, settings_type, of_stage)


def _end(_number: int, _frame: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
