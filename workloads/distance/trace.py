"""The trace of encrypted distances: one row for each call of a kernel."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from models.parameters import ParameterSet
from workloads.distance.encrypted import EncryptedDistances
from workloads.protocol.trace import LayerRecord, TraceMetadata, describe_columns, write_trace

CLIENT_OPERATIONS = {"compare": "distances that the client compares"}


class Recorder:
    """Collects what the sessions of a stage did, each with keys and points of its own."""

    def __init__(self) -> None:
        self._records: list[LayerRecord] = []
        self._layouts: list[dict[str, Any]] = []
        self._steps: set[int] = set()
        self._key_bytes = 0
        self._setup = {"key_generation": 0.0, "weight_encoding": 0.0}

    def take(
        self, run: EncryptedDistances, name: str, *, iterations: bool = False
    ) -> list[LayerRecord]:
        """Add a session that has ended; return its records, one for each call.

        Args:
            run: the session.
            name: of the session, in column ``layer``.
            iterations: the calls are steps of one item (K-means) rather than items.
        """
        plan = run.plan
        records = [
            LayerRecord(
                item=0 if iterations else index,
                step=index if iterations else 0,
                layer=name,
                kind=plan.KIND,
                exchange=exchange,
                server_operations=served["operations"],
                client_elements={"compare": plan.queries * plan.points},
                server_time_s=served["time_s"],
                plain_time_s=0.0,
            )
            for index, (exchange, served) in enumerate(run.take_records())
        ]
        self._records += records
        self._layouts.append(run.client.layout()[0] | {"name": name})
        self._steps |= set(run.client.rotation_steps)
        self._key_bytes += run.client.key_bytes
        self._setup["key_generation"] += run.client.key_time_s
        self._setup["weight_encoding"] += run.encoding_time_s
        return records

    def write(
        self,
        paths: Mapping[str, Path],
        *,
        workload: str,
        parameter_set: str,
        parameters: ParameterSet,
        seed: int,
        input_data: Iterable[str],
        details: dict[str, Any],
    ) -> None:
        """Write ``paths``: "trace", "timings" and "metadata"."""
        metadata = TraceMetadata(
            workload=workload,
            parameter_set=parameter_set,
            parameters=parameters,
            seed=seed,
            transport="in process",
            items=len({(record.layer, record.item) for record in self._records}),
            input_data="; ".join(input_data),
            key_bytes=self._key_bytes,
            rotation_steps=sorted(self._steps),
            layers=self._layouts,
            details=details
            | {"sessions": "one for each layer; key_bytes and rotation_steps of all"},
            columns=describe_columns(CLIENT_OPERATIONS),
        )
        write_trace(self._records, self._setup, metadata, CLIENT_OPERATIONS, paths)
