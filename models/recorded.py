"""Recorded outputs of external tools: real runs, committed with their provenance and checksums.

A tool's outputs live in ``results/recorded/<tool>/`` beside a ``manifest.yaml`` that says which
version ran when, how and where, and holds the SHA-256 of every file. A file is checked each time
it is opened; one that differs is an error, never a warning.
"""

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models import provenance
from models.config.base import one_line
from models.errors import ChocoError

MANIFEST = "manifest.yaml"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordedFile(_Entry):
    """A file that a run wrote, and the checksum that it must have."""

    path: str = Field(description="path relative to the manifest")
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] = Field(description="SHA-256, hex")


class Run(_Entry):
    """One run of the tool and what it left."""

    id: str = Field(description="name of the run, unique within the tool")
    version: str = Field(description="version of the tool")
    date: date
    command: str = Field(description="how the tool was started")
    machine: str = Field(description="what it ran on, or what it simulated")
    note: str = Field("", description="what else a reader must know")
    parameters: dict[str, str | int | float] = Field(
        {}, description="what was run, for selecting among runs"
    )
    files: tuple[RecordedFile, ...] = Field(min_length=1)


class Manifest(_Entry):
    """All recorded runs of one tool."""

    tool: str = Field(description="name of the tool as its authors write it")
    runs: tuple[Run, ...] = Field(min_length=1)


class RecordedStore:
    """The recorded runs of one tool; files are verified when they are asked for."""

    def __init__(self, directory: Path, manifest: Manifest):
        self.directory = directory
        self.tool = manifest.tool
        self.runs = manifest.runs

    def run(self, run_id: str) -> Run:
        """Return a run by its id.

        Raises:
            ChocoError: no such run; lists those there are.
        """
        for run in self.runs:
            if run.id == run_id:
                return run
        known = ", ".join(run.id for run in self.runs)
        raise ChocoError(f"{self.directory / MANIFEST}: no run {run_id!r}; recorded are: {known}")

    def file(self, run_id: str, path: str | None = None) -> Path:
        """Return the verified path of a run's file; ``path`` may be omitted where it has one.

        Raises:
            ChocoError: no such run or file, or the file is missing or differs from its checksum.
        """
        run = self.run(run_id)
        matching = [f for f in run.files if path in (None, f.path)]
        if len(matching) != 1:
            raise ChocoError(
                f"{self.directory / MANIFEST}: run {run_id!r} has "
                f"{', '.join(f.path for f in run.files)}; asked for {path or 'its only file'}"
            )
        return self._verified(matching[0])

    def verify(self) -> None:
        """Check every file of every run.

        Raises:
            ChocoError: names the first file that is missing or differs.
        """
        for run in self.runs:
            for recorded in run.files:
                self._verified(recorded)

    def provenance(self, run_id: str) -> str:
        """Return where the run's numbers come from: ``recorded gem5 24.0.0.1 2026-11-21``."""
        run = self.run(run_id)
        return provenance.recorded(self.tool, run.version, run.date.isoformat())

    def _verified(self, recorded: RecordedFile) -> Path:
        path = self.directory / recorded.path
        if not path.is_file():
            raise ChocoError(f"{path}: recorded file is missing; restore it from version control")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != recorded.sha256:
            raise ChocoError(
                f"{path}: recorded file has changed: SHA-256 is {found[:16]}..., "
                f"the manifest says {recorded.sha256[:16]}...; restore it from version control"
            )
        return path


def open_recorded(directory: Path) -> RecordedStore:
    """Open the recorded runs of one tool, ``directory/manifest.yaml``.

    Raises:
        ChocoError: there is no manifest, or it does not validate; one line that names the file.
    """
    path = directory / MANIFEST
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        manifest = Manifest.model_validate(data)
    except OSError as error:
        raise ChocoError(f"{path}: no recorded outputs here: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None
    ids = [run.id for run in manifest.runs]
    if repeated := {i for i in ids if ids.count(i) > 1}:
        raise ChocoError(f"{path}: run {min(repeated)!r} is listed more than once")
    return RecordedStore(directory, manifest)
