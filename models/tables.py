"""Tables that cross stage borders: CSV files with a checked schema.

A table is written to a temporary file beside its destination and moved into place, so a killed
run never leaves half a table. Column names carry their SI unit (``time_s``, ``energy_j``);
every row says where it came from in ``provenance``.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from models.errors import ChocoError

Column = pa.Column
Check = pa.Check


def table_schema(**columns: Any) -> pa.DataFrameSchema:
    """Build the schema of a result table: exactly these columns, plus ``provenance``.

    Args:
        columns: name to dtype, or to a ``Column`` where a check or missing values are wanted.
    """
    full = {
        name: spec if isinstance(spec, pa.Column) else pa.Column(spec)
        for name, spec in columns.items()
    }
    full["provenance"] = pa.Column(str, pa.Check.str_length(min_value=1))
    return pa.DataFrameSchema(full, strict=True, coerce=True)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it into place if the block succeeds.

    The temporary name keeps the suffix of ``path``, as writers choose their format by it. It also
    names this process, so that what a killed one left behind is known and cleared away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.stem}-*{path.suffix}"):
        if not _runs(left.stem.rpartition("-")[2]):
            left.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:  # it runs, as another user
        return True
    return True


def write_table(table: pd.DataFrame, path: Path, schema: pa.DataFrameSchema) -> None:
    """Check ``table`` against ``schema`` and write it to ``path`` as CSV, in schema column order.

    Raises:
        ChocoError: the table does not fit its schema; names column and first offending value.
    """
    checked = _validate(table[[c for c in schema.columns if c in table]], path, schema)
    with replacing(path) as temporary:
        checked.to_csv(temporary, index=False, lineterminator="\n")


def read_table(path: Path, schema: pa.DataFrameSchema | None = None) -> pd.DataFrame:
    """Read a CSV table and, where a schema is given, check it.

    Raises:
        ChocoError: the file is missing or does not fit the schema.
    """
    if not path.is_file():
        raise ChocoError(f"{path}: no such table; run the Snakemake target that makes it")
    table = pd.read_csv(path, keep_default_na=True)
    return table if schema is None else _validate(table, path, schema)


def _validate(table: pd.DataFrame, path: Path, schema: pa.DataFrameSchema) -> pd.DataFrame:
    try:
        return schema.validate(table, lazy=True)
    except SchemaErrors as error:
        first = error.failure_cases.iloc[0]
        raise ChocoError(
            f"{path}: column {first['column']!r} fails {first['check']}: {first['failure_case']!r}"
        ) from None
