"""The external tools: where they are, and where their numbers come from.

A provider is ``live`` (run the tool now), ``recorded`` (outputs of a real run, committed) or
``auto`` (live if the tool is there and this toolkit can drive it, else recorded). Whatever is
chosen comes with a sentence that says so; nothing falls back silently.

Two modules of ``models`` start other programs: this one, only to ask a tool for its version
(``probe_version``), and ``models.memory.runner``, which runs DESTINY.
"""

import hashlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from models import provenance
from models.config import Config
from models.config.platform import Provider
from models.errors import ChocoError
from models.recorded import open_recorded

RECORDED = Path("results/recorded")
_PROBE_TIMEOUT_S = 20


@dataclass(frozen=True)
class Tool:
    """An external tool and how this toolkit meets it."""

    key: str
    """Key under ``tools`` and ``providers`` in the configuration; its directory of recordings."""
    name: str
    binaries: tuple[str, ...]
    """Names looked up on PATH, in this order."""
    unlocks: str
    package: str | None = None
    """The Python package that is the tool, in place of a binary."""
    version_arguments: tuple[str, ...] | None = None
    """Arguments that make it print its version; None: it cannot, its checksum stands in."""
    version_pattern: str = r"(\S+)"
    live_route: bool = False
    """Whether a live run is built into the workflow."""


GEM5 = Tool(
    key="gem5",
    name="gem5",
    binaries=("gem5.opt", "gem5"),
    unlocks="cycles of client operations on other processors and parameters",
    version_arguments=("--build-info",),  # --version prints the version of its option parser
    version_pattern=r"gem5 version (\S+)",
)
DESTINY = Tool(
    key="destiny",
    name="DESTINY",
    binaries=("destiny",),
    unlocks="SRAM arrays of other sizes and technologies",
    live_route=True,
)
OPENROAD = Tool(
    key="openroad",
    name="OpenROAD",
    binaries=("openroad",),
    unlocks="placed and routed area, timing and power",
    version_arguments=("-version",),
    live_route=True,
)
YOSYS = Tool(
    key="yosys",
    name="Yosys",
    binaries=(),
    unlocks="synthesis of the accelerator's blocks, formal proofs",
    package="pyosys",
)
OPENSTA = Tool(
    key="opensta",
    name="OpenSTA",
    binaries=("sta",),
    unlocks="timing and power of synthesized blocks",
    version_arguments=("-version",),
)
TOOLS = (GEM5, DESTINY, OPENROAD)
"""Tools that have a provider."""
FLOW_TOOLS = (YOSYS, OPENSTA)
"""Tools of `snakemake synthesis`, which runs live or not at all."""


@dataclass(frozen=True)
class Resolution:
    """Which provider a tool's numbers come from, and the sentence that tells the user why."""

    tool: Tool
    provider: Literal["live", "recorded"]
    sentence: str
    path: Path | None = None
    """The binary (live)."""
    recorded: Path | None = None
    """The directory of recorded outputs (recorded)."""


@dataclass(frozen=True)
class DoctorRow:
    """What ``choco doctor`` says about a tool."""

    tool: str
    path: str
    version: str
    provider: str
    unlocks: str


def find(tool: Tool, configured: Path | None = None) -> Path | None:
    """Return the tool's binary: the configured one, else the first on PATH, else None.

    Raises:
        ChocoError: the configured path is not an executable file.
    """
    if configured is not None:
        found = shutil.which(configured)
        if found is None:
            raise ChocoError(
                f"tools.{tool.key}: {str(configured)!r} is not an executable file; "
                f"give the path of the {tool.name} binary, or leave it empty to search PATH"
            )
        return Path(found)
    for binary in tool.binaries:
        if found := shutil.which(binary):
            return Path(found)
    return None


def probe_version(tool: Tool, path: Path | None) -> str:
    """Ask a tool for its version by running it, in a directory of its own.

    A tool that cannot say its version is named by the checksum of its binary; of a Python package
    the installed version counts, and ``path`` is None.

    Raises:
        ChocoError: it does not start, does not end in time, or prints no version.
    """
    if tool.package is not None:
        return metadata.version(tool.package)
    assert path is not None
    if tool.version_arguments is None:
        return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    command = [str(path.absolute()), *tool.version_arguments]
    with tempfile.TemporaryDirectory() as scratch:  # gem5 makes an output directory where it runs
        try:
            run = subprocess.run(
                command,
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PROBE_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ChocoError(f"{path}: cannot be asked for its version: {error}") from None
    match = re.search(tool.version_pattern, run.stdout + run.stderr)
    if run.returncode or match is None:
        raise ChocoError(
            f"{path}: `{' '.join(command)}` exited with {run.returncode} "
            f"and printed no {tool.name} version"
        )
    return match[1]


def resolve(
    tool: Tool, provider: Provider, configured: Path | None = None, recorded: Path = RECORDED
) -> Resolution:
    """Choose where a tool's numbers come from.

    Args:
        tool: the tool.
        provider: what the configuration asks for (``providers.<tool>``).
        configured: path of its binary (``tools.<tool>``), or None to look on PATH.
        recorded: directory that holds the recorded outputs of all tools.

    Raises:
        ChocoError: what is asked for is not there; says how to get it.
    """
    if provider == "recorded":
        return _recorded(tool, recorded, "as configured")
    path = find(tool, configured)
    if provider == "live":
        if path is None:
            raise ChocoError(
                f"providers.{tool.key}: live needs {tool.name}, and {' or '.join(tool.binaries)} "
                f"is not on PATH; put it there, or point at it: "
                f"tools: {{{tool.key}: /path/to/{tool.binaries[0]}}}"
            )
        if not tool.live_route:
            raise ChocoError(
                f"providers.{tool.key}: live runs of {tool.name} are not built into this version; "
                "use auto or recorded"
            )
        return _live(tool, path, "as configured")
    if path is not None and tool.live_route:
        return _live(tool, path, "found")
    if path is None:
        return _recorded(tool, recorded, f"no {' or '.join(tool.binaries)} on PATH")
    return _recorded(tool, recorded, f"{path} found, but live runs are not built into this version")


def doctor(config: Config, recorded: Path = RECORDED) -> list[DoctorRow]:
    """Report every external tool: path, version, provider in use, and what it unlocks."""
    rows = []
    for tool in TOOLS:
        path, version = "not found", "-"
        try:
            found = find(tool, getattr(config.tools, tool.key))
            if found is not None:
                path = str(found)
                version = probe_version(tool, found)
        except ChocoError as error:
            version = f"unknown: {error}"
        try:
            wanted: Provider = getattr(config.providers, tool.key)
            provider = resolve(tool, wanted, getattr(config.tools, tool.key), recorded).sentence
        except ChocoError as error:
            provider = f"none: {error}"
        rows.append(DoctorRow(tool.name, path, version, provider, tool.unlocks))
    return rows + [_flow_row(tool, config) for tool in FLOW_TOOLS]


def _flow_row(tool: Tool, config: Config) -> DoctorRow:
    without = "none: the committed results of synthesis remain in use"
    try:
        path = None
        if tool.package is None:
            path = find(tool, getattr(config.tools, tool.key))
            if path is None:
                return DoctorRow(tool.name, "not found", "-", without, tool.unlocks)
        version = probe_version(tool, path)
    except (ChocoError, metadata.PackageNotFoundError) as error:
        return DoctorRow(tool.name, "not found", f"unknown: {error}", without, tool.unlocks)
    where = str(path) if path else f"Python package {tool.package}"
    source = provenance.live(tool.name, version)
    return DoctorRow(tool.name, where, version, f"{source} (snakemake synthesis)", tool.unlocks)


def _live(tool: Tool, path: Path, why: str) -> Resolution:
    source = provenance.live(tool.name, probe_version(tool, path))
    return Resolution(tool, "live", f"{source} at {path} ({why})", path=path)


def _recorded(tool: Tool, root: Path, why: str) -> Resolution:
    store = open_recorded(root / tool.key)
    sources = dict.fromkeys(store.provenance(run.id) for run in store.runs)
    return Resolution(tool, "recorded", f"{', '.join(sources)} ({why})", recorded=root / tool.key)
