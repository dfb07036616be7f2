"""Starts DESTINY, in a scratch directory of its own; the one part of this package that does."""

import subprocess
import tempfile
from pathlib import Path

from models.config.memory import OptimizationTarget
from models.errors import ChocoError
from models.memory.destiny import CELL, Optimum, Request, configuration, explain, parse_report
from models.memory.sense import check_optima

TIMEOUT_S = 600.0
"""A run takes about 10 s; a busy or slow machine may need some minutes."""


def run_destiny(
    binary: Path, request: Request, timeout_s: float = TIMEOUT_S
) -> dict[OptimizationTarget, Optimum]:
    """Run DESTINY for one array and return the optimum of every target.

    Raises:
        ChocoError: it does not start or end in time, fails, finds no organization, prints no
            report, or reports what makes no sense (``sense.check_optima``); one line.
    """
    text = configuration(request)
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / CELL.name).write_bytes(CELL.read_bytes())
        (directory / "array.cfg").write_text(text, encoding="utf-8")
        try:
            run = subprocess.run(
                [str(binary.absolute()), "array.cfg"],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
            )
        except OSError as error:
            raise ChocoError(f"{binary}: cannot be started: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise ChocoError(
                f"{binary}: DESTINY, {request}: not done after {timeout_s:.0f} s"
            ) from None
    if run.returncode:
        why = explain(run.stdout + run.stderr, run.returncode)
        raise ChocoError(f"{binary}: DESTINY, {request}: {why} (exit status {run.returncode})")
    found = parse_report(run.stdout, request)
    check_optima(request, found)
    return found
