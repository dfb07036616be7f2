"""The one way in which a workflow rule starts a piece of Python.

A stage is a function of typed settings, input files and output files. Its module is run as

    python -m PACKAGE.MODULE --settings JSON --input NAME=PATH ... --output NAME=PATH ...

which is what every Snakemake rule does and what a user can type to debug a single step.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from models.config.base import one_line
from models.errors import ChocoError

Settings = TypeVar("Settings", bound=BaseModel)


@dataclass(frozen=True)
class Job(Generic[Settings]):
    """What a stage works on: its settings and its named input and output files."""

    settings: Settings
    inputs: dict[str, Path]
    outputs: dict[str, Path]


def run_stage(
    stage: Callable[[Job[Settings]], None],
    settings_type: type[Settings],
    arguments: Sequence[str] | None = None,
) -> None:
    """Parse the command line, run ``stage``, and turn a ``ChocoError`` into one line and exit 1."""
    parser = argparse.ArgumentParser(description=(stage.__doc__ or "").strip().split("\n")[0])
    parser.add_argument("--settings", default="{}", help="settings as JSON")
    parser.add_argument("--input", nargs="*", default=[], metavar="NAME=PATH", type=_named_path)
    parser.add_argument("--output", nargs="*", default=[], metavar="NAME=PATH", type=_named_path)
    given = parser.parse_args(arguments)
    try:
        settings = settings_type.model_validate_json(given.settings)
        stage(Job(settings, dict(given.input), dict(given.output)))
    except ValidationError as error:
        sys.exit(f"error: {one_line(error)}")
    except ChocoError as error:
        sys.exit(f"error: {error}")


def _named_path(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=PATH")
    return name, Path(path)
