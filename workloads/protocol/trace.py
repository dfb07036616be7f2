"""The trace of a workload: what was encrypted, sent and computed, in one versioned schema.

Three files, written together:

- ``trace.csv``: one row for each item (an image, a query) and offloaded layer. Deterministic.
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
from pydantic import Field

from models.config import Section
from models.parameters import ParameterSet
from models.tables import Check, Column, replacing, table_schema, write_table
from workloads.he import seal_provenance
from workloads.packing.evaluator import OPERATIONS
from workloads.protocol.client import Exchange

TRACE_VERSION = 2

SETUP_ITEM = -1
"""``item`` of timings that belong to the whole run."""

PHASES = ("key_generation", "weight_encoding", "encrypt", "server", "decrypt", "plain")

COLUMNS = {
    "item": "index of the image or query in its data set",
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
    "server_plain_multiplications": "dyadic products of a ciphertext and encoded weights",
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
    phase=Column(str, Check.isin(PHASES)),
    time_s=Column(float, Check.ge(0)),
)


class TraceMetadata(Section):
    """What a traced run was; deterministic."""

    trace_version: int = TRACE_VERSION
    workload: str
    parameter_set: str
    parameters: ParameterSet
    seed: int
    transport: str = Field(description="how the two parties were connected")
    items: int
    input_data: str = Field(description="what the items are; says so if they are synthetic")
    key_bytes: int = Field(description="evaluation keys, sent once, in bytes")
    rotation_steps: list[int] = Field(description="left rotations that have a Galois key")
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
        ChocoError: a table does not fit its schema.
    """
    operations = tuple(client_operations)
    write_table(trace_table(records, operations), paths["trace"], trace_schema(operations))
    write_table(timings_table(records, setup), paths["timings"], TIMINGS)
    with replacing(paths["metadata"]) as temporary:
        text = json.dumps(metadata.model_dump(mode="json"), indent=2)
        temporary.write_text(text + "\n", encoding="utf-8")


def describe_columns(client_operations: Mapping[str, str]) -> dict[str, str]:
    """Return the meaning of all columns; ``client_operations`` maps names to meanings."""
    return COLUMNS | {_elements(name): text for name, text in client_operations.items()}
