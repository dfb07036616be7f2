"""Stage: build client_ops, for this machine or for the Arm core that is simulated.

SEAL is the user's own (``seal_dir``, where its CMake package or its source tree is) or the source
that a Python package carries: fetched once, checked against the SHA-256 in
``seal_source/uv.lock``, kept under ``workloads/_build``. A build takes minutes and is kept, too.
"""

import hashlib
import io
import json
import os
import shutil
import ssl
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import Field

from models.config.client import SealBuild
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tables import replacing

Target = Literal["host", "armv7a"]

_HERE = Path(__file__).parent
_BUILD = _HERE.parent / "_build"
_TOOLCHAIN = _HERE / "cmake/armv7a-linux-gnueabihf.cmake"
_ARM_COMPILER = "arm-linux-gnueabihf-g++"
_RECIPE = (_HERE / "CMakeLists.txt", _TOOLCHAIN, _HERE / "seal_source/uv.lock")


class Settings(SealBuild):
    """What to build."""

    target: Target = Field("armv7a", description="this machine, or Armv7-A (static)")


def missing_tool(target: Target) -> str | None:
    """Return what a build needs and this machine lacks, in one line, or None."""
    if shutil.which("cmake") is None:
        return "no cmake on PATH"
    compilers = (_ARM_COMPILER,) if target == "armv7a" else ("c++", "g++", "clang++")
    if not any(shutil.which(compiler) for compiler in compilers):
        return f"no {compilers[0]} on PATH"
    return None


def program(settings: Settings) -> Path:
    """Return where the program of these settings is, or will be once it is built."""
    values = json.loads(settings.model_dump_json()) | {"random_generator": "blake2xb"}
    order = ("target", "error_sampler", "random_generator", "seal_dir")
    key = json.dumps({name: values[name] for name in order}, separators=(",", ":"))
    digest = hashlib.sha256(key.encode())
    for path in _RECIPE:
        digest.update(path.read_bytes())
    return _BUILD / f"client_ops-{settings.target}-{digest.hexdigest()[:16]}" / "client_ops"


def build(settings: Settings) -> Path:
    """Return the program, up to date. The first build takes minutes: SEAL is compiled along.

    Raises:
        ChocoError: a tool is missing, or the build fails; names the log.
    """
    if (lacking := missing_tool(settings.target)) is not None:
        raise ChocoError(f"client_ops cannot be built: {lacking}; `make system-deps` installs it")
    built = program(settings)
    directory = built.parent
    log = directory.with_suffix(".log")
    if not (directory / "Makefile").exists():
        print(f"building client_ops in {directory} (minutes) ...", file=sys.stderr)
        directory.mkdir(parents=True, exist_ok=True)
        definitions = [*_definitions(settings), "-G", "Unix Makefiles"]
        run_logged(["cmake", "-S", str(_HERE), "-B", str(directory), *definitions], log, "w")
    jobs = str(os.cpu_count() or 1)
    make = ["cmake", "--build", str(directory), "--target", "client_ops", "--parallel", jobs]
    run_logged(make, log, "a")
    return built


def seal_source() -> Path:
    """Return SEAL's source tree out of its package, fetching it where it is not there.

    Raises:
        ChocoError: it cannot be fetched, or does not have the checksum of the lock file.
    """
    lock = tomllib.loads((_HERE / "seal_source/uv.lock").read_text(encoding="utf-8"))
    package = next(p for p in lock["package"] if "sdist" in p)
    destination = _BUILD / f"seal-source-{package['name']}-{package['version']}"
    if destination.exists():
        return destination
    content = _download(package["sdist"]["url"], package["sdist"]["hash"])
    _BUILD.mkdir(exist_ok=True)
    with replacing(destination) as temporary:
        temporary.mkdir()
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive.getmembers():
                parts = PurePosixPath(member.name).parts
                if "SEAL" in parts and parts[-1] != ".git":
                    member.name = str(PurePosixPath(*parts[parts.index("SEAL") + 1 :]))
                    if member.name != ".":
                        archive.extract(member, temporary, filter="data")
    return destination


def _definitions(settings: Settings) -> list[str]:
    definitions = {
        "CMAKE_BUILD_TYPE": "Release",
        "SEAL_USE_GAUSSIAN_NOISE": "ON" if settings.error_sampler == "normal" else "OFF",
    }
    if settings.target == "armv7a":
        definitions["CMAKE_TOOLCHAIN_FILE"] = str(_TOOLCHAIN)
    given = settings.seal_dir
    if given is None:
        definitions["SEAL_SOURCE"] = str(seal_source())
    elif (given / "CMakeLists.txt").is_file():
        definitions["SEAL_SOURCE"] = str(given.absolute())
    elif config := next(given.rglob("SEALConfig.cmake"), None):
        _check_built_in(given, settings)
        definitions["SEAL_DIR"] = str(config.parent.absolute())
    else:
        raise ChocoError(f"{given}: neither SEAL's source tree nor an installed SEAL is here")
    return [f"-D{name}={value}" for name, value in definitions.items()]


def _check_built_in(installed: Path, settings: SealBuild) -> None:
    """Refuse a sampler that an installed SEAL does not have."""
    header = next(installed.rglob("seal/util/config.h"), None)
    if header is None:
        raise ChocoError(f"{installed}: no seal/util/config.h in it; give where SEAL is installed")
    text = header.read_text(encoding="utf-8")
    normal = "#define SEAL_USE_GAUSSIAN_NOISE" in text or "#define SEAL_VERSION_MAJOR 3" in text
    sampler = "normal" if normal else "binomial"
    if settings.error_sampler != sampler:
        raise ChocoError(
            f"{installed}: this SEAL was built with error_sampler {sampler}; set it, "
            "or give SEAL's source"
        )


def run_logged(command: list[str], log: Path, mode: Literal["w", "a"]) -> None:
    """Run a command with its output in ``log``, written anew or appended to.

    Raises:
        ChocoError: it fails; names the log.
    """
    with log.open(mode, encoding="utf-8") as output:
        run = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT)
    if run.returncode:
        raise ChocoError(f"`{' '.join(command[:2])} ...` failed; the log is {log}")


def _download(url: str, expected: str) -> bytes:
    # As in bootstrap.py: a minimal system has no certificate store, and trust rests on the hash.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, timeout=120, context=context) as answer:
            content: bytes = answer.read()
    except OSError as error:
        raise ChocoError(f"SEAL's package cannot be fetched: {error}") from None
    if f"sha256:{hashlib.sha256(content).hexdigest()}" != expected:
        raise ChocoError(f"SEAL's package does not have its pinned checksum {expected}")
    return content


def stage(job: Job[Settings]) -> None:
    """Build the program and say where it is; output: program (JSON: path and settings)."""
    built = build(job.settings)
    record = {"path": str(built), **json.loads(job.settings.model_dump_json())}
    with replacing(job.outputs["program"]) as temporary:
        temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_stage(stage, Settings)
