"""An encrypted inference beside the same network on the client itself (CHOCO, Sections 5.5, 5.7).

Client compute is encryption, decryption and what the client does in the clear; a network on the
client sends nothing. Where the client's plain operations have no cost, no ratio is given.
"""

import pandas as pd

from models.config.base import Section
from models.offload import INFERENCE
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

LOCAL_SYSTEMS = ("local_tflite", "local_int8")

_RATIO = Column(float, Check.gt(0), nullable=True)

LOCAL_COMPARISON = table_schema(
    network=str,
    local_system=Column(str, Check.isin(LOCAL_SYSTEMS)),
    software_over_local=_RATIO,
    local_over_accelerator=_RATIO,
    software_over_accelerator=_RATIO,
    communication_over_local=_RATIO,
    energy_saving=Column(float, nullable=True),
)
"""Ratios of times: client compute in software, or with the accelerator, communication, and the
network on the client. ``energy_saving`` is what offloading with the accelerator saves of the
client's energy, radio included; negative where it costs more. The rows ``mean`` and ``largest``
are over all networks, arithmetic mean and maximum."""

_NUMBERS = [
    "software_over_local",
    "local_over_accelerator",
    "software_over_accelerator",
    "communication_over_local",
    "energy_saving",
]
_COMPUTING = ("encrypt", "decrypt", "client_plain")


class Settings(Section):
    """The stage needs nothing but its table."""


def local_comparison(inference: pd.DataFrame) -> pd.DataFrame:
    """Return schema ``LOCAL_COMPARISON`` from schema ``INFERENCE``."""
    rows = []
    for local_system in LOCAL_SYSTEMS:
        compared = [
            row
            for network in dict.fromkeys(inference.network)
            if (row := _row(inference[inference.network == network], local_system)) is not None
        ]
        if compared:
            table = pd.DataFrame(compared)
            numbers = table[_NUMBERS].astype(float)
            shared = {
                "local_system": local_system,
                "provenance": combine(*table.provenance),
            }
            rows += compared
            rows += [
                {"network": name, **totals, **shared}
                for name, totals in (("mean", numbers.mean()), ("largest", numbers.max()))
            ]
    return pd.DataFrame(rows, columns=[*LOCAL_COMPARISON.columns])


def _row(inference: pd.DataFrame, local_system: str) -> dict[str, object] | None:
    local = inference[inference.system == local_system]
    if local.empty:
        return None
    local_s = local.time_s.sum()
    software_s = _compute_s(inference, "choco_software")
    accelerator_s = _compute_s(inference, "choco_taco")
    offloaded = inference[inference.system == "choco_taco"]
    sent = offloaded[offloaded.component == "communication"]
    complete = accelerator_s is not None
    return {
        "network": local.network.iloc[0],
        "local_system": local_system,
        "software_over_local": software_s / local_s if software_s else None,
        "local_over_accelerator": local_s / accelerator_s if accelerator_s else None,
        "software_over_accelerator": (
            software_s / accelerator_s if software_s and accelerator_s else None
        ),
        "communication_over_local": sent.time_s.sum() / local_s if len(sent) else None,
        "energy_saving": (
            1 - offloaded.energy_j.sum() / local.energy_j.sum() if complete else None
        ),
        "provenance": combine(*inference.provenance),
    }


def _compute_s(inference: pd.DataFrame, system: str) -> float | None:
    """Return the seconds of a system's client compute; None where a component has no cost."""
    parts = inference[(inference.system == system) & inference.component.isin(_COMPUTING)]
    return float(parts.time_s.sum()) if set(parts.component) == set(_COMPUTING) else None


def stage(job: Job[Settings]) -> None:
    """Compare; input: inference; output: comparison."""
    inference = read_table(job.inputs["inference"], INFERENCE)
    write_table(local_comparison(inference), job.outputs["comparison"], LOCAL_COMPARISON)


if __name__ == "__main__":
    run_stage(stage, Settings)
