"""The trace of a workload: what was encrypted, sent and computed, in one versioned schema.

Three files, written together:

- ``trace.csv``: one row for each item (an image, a query) and offloaded step. Deterministic.
- ``timings.csv``: wall-clock seconds by item, layer and phase; measured on this machine.
- ``trace.json``: what the run was (``TraceMetadata``), with the meaning of every column.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa
from pydantic import Field, ValidationError

from models.config.base import Section, one_line
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.tables import Check, Column, read_table, replacing, table_schema, write_table
from workloads.he import seal_provenance
from workloads.packing.evaluator import OPERATIONS
from workloads.protocol.client import Exchange

VERSIONS = {
    1: "BFV networks",
    2: "every workload and both schemes: min_budget_bits may be empty; products of ciphertexts, "
    "relinearizations and rescalings are counted",
}
"""What each version of the schema holds; a reader takes the last one only."""

TRACE_VERSION = max(VERSIONS)

SETUP_ITEM = -1
"""``item`` of timings that belong to the whole run."""

PHASES = {
    "key_generation": "client makes its keys; once a run",
    "weight_encoding": "server encodes what it holds; once a run",
    "encrypt": "client packs, encodes, encrypts and serializes",
    "server": "server deserializes, computes and serializes",
    "decrypt": "client deserializes, decrypts, decodes and unpacks",
    "plain": "client computes in the clear before the next step",
}
"""What is timed, by name in column ``phase``."""

COLUMNS = {
    "item": "which image, query or other unit of work of the workload",
    "step": "offloaded steps of this item before this one",
    "layer": "name of the offloaded step: a layer, a kernel, an iteration",
    "kind": "kind of the offloaded step",
    "encryptions": "ciphertexts that the client encrypted",
    "decryptions": "ciphertexts that the client decrypted",
    "upload_bytes": "ciphertexts to the server, 8 N bytes for each residue polynomial",
    "download_bytes": "ciphertexts to the client, counted alike",
    "wire_upload_bytes": "whole messages to the server, as serialized",
    "wire_download_bytes": "whole messages to the client, as serialized",
    "download_residues": "primes left in a result ciphertext; 0 where none came back",
    "min_budget_bits": "smallest noise budget of the decrypted ciphertexts, in bits; empty where "
    "none was decrypted, and in CKKS",
    "server_rotations": "rotations, each with a key switch",
    "server_plain_multiplications": "products of a ciphertext and a plaintext",
    "server_multiplications": "products of two ciphertexts, squares among them",
    "server_relinearizations": "products brought back to two polynomials, each with a key switch",
    "server_additions": "ciphertext additions",
    "server_plain_additions": "additions of a plaintext",
    "server_ntts": "ciphertexts transformed to NTT form",
    "server_intts": "ciphertexts transformed back",
    "server_rescales": "CKKS rescalings, a prime each",
    "server_modulus_switches": "primes dropped without rescaling",
    "provenance": "where the row comes from",
}
"""Columns of every trace. A workload adds ``client_NAME_elements`` for its plain operations."""

_COUNT = Check.ge(0)
_TEXT = ("layer", "kind")

TIMINGS = table_schema(
    item=Column(int, Check.ge(SETUP_ITEM)),
    step=Column(int, Check.ge(SETUP_ITEM)),
    layer=str,
    phase=Column(str, Check.isin(list(PHASES))),
    time_s=Column(float, Check.ge(0)),
)


class TraceMetadata(Section):
    """What a traced run was; deterministic."""

    trace_version: int = Field(TRACE_VERSION, description="version of this schema")
    workload: str = Field(description="name of the workload")
    parameter_set: str = Field(description="name of the HE parameter set in the configuration")
    parameters: ParameterSet = Field(description="the HE parameters themselves")
    seed: int = Field(description="seed of keys and encryption noise")
    transport: str = Field(description="how the two parties were connected")
    items: int = Field(description="items run: images, queries, kernels, sets of iterations")
    input_data: str = Field(description="what the items are; says so if they are synthetic")
    key_bytes: int = Field(description="evaluation keys, sent once, in bytes")
    rotation_steps: list[int] = Field(
        description="left rotations with a Galois key; 0 is the exchange of the rows (BFV)"
    )
    layers: list[dict[str, Any]] = Field(description="layout of every offloaded layer")
    details: dict[str, Any] = Field(description="more about the workload")
    columns: dict[str, str] = Field(description="meaning of the columns of trace.csv")


@dataclass(frozen=True)
class LayerRecord:
    """One offloaded layer of one item, from both sides."""

    item: int
    step: int
    layer: str
    kind: str
    exchange: Exchange
    server_operations: Mapping[str, int]
    client_elements: Mapping[str, int]
    server_time_s: float
    plain_time_s: float


def trace_schema(client_operations: Iterable[str]) -> pa.DataFrameSchema:
    """Return the schema of ``trace.csv`` for a workload with these plain client operations."""
    names = [name for name in COLUMNS if name != "provenance"]
    columns: dict[str, Any] = {
        name: str if name in _TEXT else Column(int, _COUNT) for name in names
    }
    columns["min_budget_bits"] = Column("Int64", Check.gt(0), nullable=True)
    columns |= {_elements(name): Column(int, _COUNT) for name in client_operations}
    return table_schema(**columns)


def _elements(operation: str) -> str:
    return f"client_{operation}_elements"


def trace_table(records: Iterable[LayerRecord], client_operations: Iterable[str]) -> pd.DataFrame:
    """Return one row a record, wall-clock times left out."""
    operations = tuple(client_operations)
    rows = []
    for record in records:
        row = {
            "item": record.item,
            "step": record.step,
            "layer": record.layer,
            "kind": record.kind,
            "provenance": seal_provenance(),
        }
        row |= {name: getattr(record.exchange, name) for name in COLUMNS if _counted(name)}
        row |= {f"server_{name}": record.server_operations[name] for name in OPERATIONS}
        row |= {_elements(name): record.client_elements.get(name, 0) for name in operations}
        rows.append(row)
    return pd.DataFrame(rows)


def _counted(column: str) -> bool:
    return column in Exchange.__dataclass_fields__ and column != "layer"


def timings_table(records: Iterable[LayerRecord], setup: Mapping[str, float]) -> pd.DataFrame:
    """Return seconds by item, layer and phase; ``setup`` holds what happens once, by phase."""
    rows: list[tuple[int, int, str, str, float]] = [
        (SETUP_ITEM, SETUP_ITEM, "setup", phase, time_s) for phase, time_s in setup.items()
    ]
    for record in records:
        measured = {
            "encrypt": record.exchange.encrypt_time_s,
            "server": record.server_time_s,
            "decrypt": record.exchange.decrypt_time_s,
            "plain": record.plain_time_s,
        }
        rows += [
            (record.item, record.step, record.layer, phase, time_s)
            for phase, time_s in measured.items()
        ]
    table = pd.DataFrame(rows, columns=["item", "step", "layer", "phase", "time_s"])
    return table.assign(provenance=seal_provenance())


def write_trace(
    records: list[LayerRecord],
    setup: Mapping[str, float],
    metadata: TraceMetadata,
    client_operations: Iterable[str],
    paths: Mapping[str, Path],
) -> None:
    """Check and write ``paths``: "trace", "timings" and "metadata".

    Raises:
        ChocoError: a table does not fit its schema, or the metadata describes another one.
    """
    operations = tuple(client_operations)
    table = trace_table(records, operations)
    check_trace(table, metadata, paths["trace"])
    write_table(table, paths["trace"], trace_schema(operations))
    write_table(timings_table(records, setup), paths["timings"], TIMINGS)
    with replacing(paths["metadata"]) as temporary:
        text = json.dumps(metadata.model_dump(mode="json"), indent=2)
        temporary.write_text(text + "\n", encoding="utf-8")


def read_trace(directory: Path) -> tuple[pd.DataFrame, TraceMetadata]:
    """Read and check ``trace.csv`` and ``trace.json``.

    Raises:
        ChocoError: a file is missing, of another version, or does not fit the schema.
    """
    path = directory / "trace.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        version = data["trace_version"]
        if version != TRACE_VERSION:
            raise ChocoError(
                f"{path}: trace version {version}; this release reads {TRACE_VERSION}: run it again"
            )
        metadata = TraceMetadata.model_validate(data)
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None
    except (ValueError, KeyError, TypeError):
        raise ChocoError(f"{path}: not the metadata of a trace") from None
    schema = trace_schema(
        name.removeprefix("client_").removesuffix("_elements")
        for name in metadata.columns
        if name not in COLUMNS
    )
    table = read_table(directory / "trace.csv", schema)
    check_trace(table, metadata, directory / "trace.csv")
    return table, metadata


def check_trace(table: pd.DataFrame, metadata: TraceMetadata, path: Path) -> None:
    """Check what concerns several columns, or the metadata beside them.

    Raises:
        ChocoError: names the file and the first fault.
    """
    where = table[["item", "step", "layer"]]
    for fault, bad in {
        "is there twice": where.duplicated(),
        "uploads more ciphertexts than bytes": table.upload_bytes > table.wire_upload_bytes,
        "downloads more ciphertexts than bytes": table.download_bytes > table.wire_download_bytes,
    }.items():
        if bad.any():
            item, step, layer = where[bad].iloc[0]
            raise ChocoError(f"{path}: item {item}, step {step}, layer {layer!r}: {fault}")
    if set(metadata.columns) != set(table.columns):
        odd = sorted(set(metadata.columns) ^ set(table.columns))
        raise ChocoError(f"{path}: its metadata describes other columns: {', '.join(odd)}")


def describe_columns(client_operations: Mapping[str, str]) -> dict[str, str]:
    """Return the meaning of all columns; ``client_operations`` maps names to meanings."""
    return COLUMNS | {_elements(name): text for name, text in client_operations.items()}
