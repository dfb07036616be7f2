"""Build a C++ program around a Verilated module: for what needs millions of cycles."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from rtl.tb.runner import CHECKS, RTL, build_directory, environment, exclusive, sources


def build_harness(
    top: str,
    program: str,
    parameters: Mapping[str, int] | None = None,
    flags: tuple[str, ...] = (),
) -> Path:
    """Compile ``rtl/tb/<program>`` with module ``top`` as class ``Vtop``; return the executable.

    Args:
        top: the design's module.
        program: C++ source with ``main``.
        parameters: values of the module's parameters.
        flags: more flags for Verilator, such as ``--public-flat-rw`` to look inside.

    Raises:
        RuntimeError: Verilator or the compiler failed; the message ends with what it wrote.
    """
    parameters = dict(parameters or {})
    files = [*sources(top), CHECKS]
    source = RTL / "tb" / program
    flags = (
        *flags,
        "--language",
        "1800-2012",
        "-Wno-fatal",
        "--assert",
        "-O3",
        "--x-assign",
        "fast",
    )
    directory = build_directory(top, [*files, source], (program, parameters, flags))
    with exclusive(directory) as missing:
        if missing:
            values = [f"-G{name}={value}" for name, value in parameters.items()]
            command = [
                "verilator",
                "--cc",
                "--exe",
                "--build",
                "--prefix",
                "Vtop",
                "-j",
                "1",
                *flags,
            ]
            command += ["-CFLAGS", "-O2", "--Mdir", str(directory), "--top-module", top, *values]
            command += map(str, [*files, source])
            run = subprocess.run(command, env=environment(), capture_output=True, text=True)
            if run.returncode:
                raise RuntimeError(
                    f"build of {program} failed:\n{(run.stdout + run.stderr)[-4000:]}"
                )
    return directory / "Vtop"
