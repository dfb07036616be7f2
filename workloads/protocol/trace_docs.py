"""Makes ``docs/trace.md`` from the schema: ``python -m workloads.protocol.trace_docs``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.tables import replacing
from workloads.protocol.trace import (
    COLUMNS,
    PHASES,
    SETUP_ITEM,
    TIMINGS,
    TRACE_VERSION,
    VERSIONS,
    TraceMetadata,
    trace_schema,
)

PATH = Path(__file__).parents[2] / "docs" / "trace.md"

_TIMINGS = {
    "item": f"as in trace.csv; {SETUP_ITEM} for what belongs to the whole run",
    "step": "as in trace.csv",
    "layer": 'as in trace.csv; "setup" for the whole run',
    "phase": "what was timed, see below",
    "time_s": "wall-clock seconds on the machine that ran it",
    "provenance": "where the row comes from",
}


def render() -> str:
    """Return the page as Markdown."""
    metadata = {
        name: (_type_name(field.annotation), field.description)
        for name, field in TraceMetadata.model_fields.items()
    }
    return f"""# Traces

<!-- Made by `python -m workloads.protocol.trace_docs`; a test keeps it in step. -->

A trace says what a client-aided workload encrypted, sent and had computed. Every workload writes
the same three files (`workloads/protocol/trace.py`), checked when they are written and when they
are read (`read_trace`). This is version {TRACE_VERSION}.

| file | holds | repeats byte for byte |
|---|---|---|
| `trace.csv` | counts and bytes, one row for each item and offloaded step | yes, with a seed |
| `timings.csv` | wall-clock seconds | no |
| `trace.json` | what the run was, and what every column of `trace.csv` means | yes, with a seed |

The transport does not show in `trace.csv`: two processes over TCP give the same file as one.

## trace.csv

(item, step, layer) is unique. Whole messages are never smaller than the ciphertexts in them.

{_table("column", _columns(trace_schema(()), COLUMNS))}
| `client_NAME_elements` | integer | elements through a plain operation; see `trace.json` |

Ciphertext bytes are 8 N for each residue of each polynomial, as the paper counts; whole messages
add SEAL's headers and the protocol's. One operation is one whole ciphertext.

## timings.csv

{_table("column", _columns(TIMINGS, _TIMINGS))}

{_two_columns("phase", PHASES)}

## trace.json

{_table("key", metadata)}

## Versions

{_two_columns("version", VERSIONS)}
"""


def _columns(schema: Any, meanings: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {
        name: (_type_name(column.dtype) + " or empty" * column.nullable, meanings[name])
        for name, column in schema.columns.items()
    }


def _type_name(kind: object) -> str:
    text = getattr(kind, "__name__", str(kind)).lower()
    names = {"int": "integer", "float": "number", "str": "text", "list": "list", "dict": "object"}
    return next((name for key, name in names.items() if text.startswith(key)), "object")


def _table(first: str, rows: Mapping[str, tuple[str, str | None]]) -> str:
    lines = [f"| {first} | type | meaning |", "|---|---|---|"]
    return "\n".join(
        lines + [f"| `{name}` | {kind} | {text} |" for name, (kind, text) in rows.items()]
    )


def _two_columns(first: str, rows: Mapping[Any, str]) -> str:
    lines = [f"| {first} | meaning |", "|---|---|"]
    return "\n".join(lines + [f"| `{name}` | {text} |" for name, text in rows.items()])


if __name__ == "__main__":
    with replacing(PATH) as temporary:
        temporary.write_text(render(), encoding="utf-8")
