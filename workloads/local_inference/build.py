"""Stage: build local_inference for the Arm core that is simulated, with Debian's XNNPACK.

The shared libraries of Debian's ``libxnnpack0:armhf`` and ``libpthreadpool0:armhf`` are linked in
statically (``static_image``); the program's name holds a hash of them and of its own source.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

from pydantic import Field

from models.config.base import Section
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tables import replacing
from workloads.client_ops.build import missing_tool, run_logged
from workloads.local_inference.static_image import assembly

_HERE = Path(__file__).parent
_REGIONS = _HERE.parent / "client_ops"
_TOOLCHAIN = _REGIONS / "cmake/armv7a-linux-gnueabihf.cmake"
_BUILD = _HERE.parent / "_build"
_LIBRARIES = {"libXNNPACK": "libXNNPACK.so.0", "libpthreadpool": "libpthreadpool.so.0"}
_PACKAGES = "libxnnpack-dev:armhf libcpuinfo-dev:armhf libpthreadpool-dev:armhf"


class Settings(Section):
    """What to build with."""

    libraries: Path = Field(
        Path("/usr/lib/arm-linux-gnueabihf"), description="where XNNPACK for Armv7 is"
    )
    include: Path = Field(Path("/usr/include"), description="where its headers are")


def missing(settings: Settings) -> str | None:
    """Return what a build needs and this machine lacks, in one line, or None."""
    if (lacking := missing_tool("armv7a")) is not None:
        return f"{lacking}; `make system-deps` installs it"
    needed = [settings.libraries / name for name in _LIBRARIES.values()]
    needed += [settings.include / name for name in ("xnnpack.h", "cpuinfo.h", "pthreadpool.h")]
    for path in needed:
        if not path.exists():
            return f"no {path}; in Debian's packages: {_PACKAGES}"
    return None


def program(settings: Settings) -> Path:
    """Return where the program is, or will be once it is built.

    Raises:
        ChocoError: nothing to build it from.
    """
    if (lacking := missing(settings)) is not None:
        raise ChocoError(f"local_inference cannot be built: {lacking}")
    sources = [*_HERE.glob("*.cpp"), *_HERE.glob("*.h"), *_REGIONS.glob("regions.*")]
    sources += [_HERE / "CMakeLists.txt", _HERE / "static_image.py", _TOOLCHAIN]
    sources += [settings.libraries / name for name in _LIBRARIES.values()]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.read_bytes())
    return _BUILD / f"local_inference-armv7a-{digest.hexdigest()[:16]}" / "local_inference"


def build(settings: Settings) -> Path:
    """Return the program, up to date; a build takes half a minute.

    Raises:
        ChocoError: a tool or a library is missing, or the build fails; names the log.
    """
    built = program(settings)
    if built.exists():
        return built
    directory = built.parent
    log = directory.with_suffix(".log")
    print(f"building local_inference in {directory} ...", file=sys.stderr)
    headers = _copy_headers(settings.include, directory / "include")
    for name, file in _LIBRARIES.items():
        (directory / f"{name}.s").write_text(assembly(settings.libraries / file), encoding="utf-8")
    definitions = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": _TOOLCHAIN,
        "LIBRARIES": directory,
        "HEADERS": headers,
    }
    defined = [f"-D{name}={value}" for name, value in definitions.items()]
    run_logged(["cmake", "-S", str(_HERE), "-B", str(directory), *defined], log, "w")
    jobs = str(os.cpu_count() or 1)
    run_logged(["cmake", "--build", str(directory), "--parallel", jobs], log, "a")
    return built


def _copy_headers(include: Path, destination: Path) -> Path:
    """Copy the libraries' headers: beside them lie this machine's, which are not for Arm."""
    destination.mkdir(parents=True, exist_ok=True)
    for name in ("xnnpack.h", "cpuinfo.h", "pthreadpool.h"):
        (destination / name).write_bytes((include / name).read_bytes())
    return destination


def stage(job: Job[Settings]) -> None:
    """Build the program and say where it is; output: program (JSON: path and settings)."""
    record = {"path": str(build(job.settings)), **json.loads(job.settings.model_dump_json())}
    with replacing(job.outputs["program"]) as temporary:
        temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_stage(stage, Settings)
