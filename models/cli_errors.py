"""How commands tell the user what went wrong."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from models.errors import ChocoError


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the program with one line where a ``ChocoError`` is raised."""
    try:
        yield
    except ChocoError as error:
        sys.exit(f"error: {error}")
