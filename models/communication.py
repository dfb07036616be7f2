"""CHOCO's communication beside that of published protocols (CHOCO, Section 5.3, Figure 10).

Whole inferences of one image, offline and online together. The comparison mixes networks and ways
to count, as the paper's does: every row says how well its number is known. CHOCO's evaluation keys,
which serve any number of inferences, are a column of their own and not in the ratios.
"""

from dataclasses import dataclass
from math import floor, log10

import pandas as pd

from models import paper
from models.baselines import protocols
from models.baselines.protocols import CONFIDENCE, Protocol
from models.communication_schema import NOT_FOUND, PROTOCOLS, REDUCTIONS
from models.config.base import Section
from models.config.platform import Client, Radio
from models.errors import ChocoError
from models.link import transfer_energy_j
from models.provenance import PAPER, combine
from models.stage import Job, run_stage
from models.tables import read_table, write_table

_PUBLISHED = "published"
_NETWORKS = {
    "MNIST": ("lenet_lg", "table5_lenet_lg_communication"),
    "CIFAR-10": ("sqznet", "table5_sqznet_communication"),
}
"""CHOCO's network for each data set: name of its workload, and the paper's claim in MB."""


class Settings(Section):
    """The stage needs nothing but its inputs."""


@dataclass(frozen=True)
class Ours:
    """CHOCO's communication on a data set, as measured here and as the paper states it."""

    network: str
    size_bytes: int
    key_bytes: int
    data: str
    paper_bytes: int
    provenance: str


def compare(published: tuple[Protocol, ...], ours: dict[str, Ours]) -> pd.DataFrame:
    """Return schema ``PROTOCOLS``, in the order of ``published``.

    Args:
        published: the protocols.
        ours: CHOCO's communication by data set.
    """
    rows: list[dict[str, object]] = []
    for protocol in published:
        common = {
            "protocol": protocol.protocol,
            "cited_as": protocol.cited_as,
            "citation": protocol.citation,
        }
        if protocol.not_found:
            missing = {"confidence": NOT_FOUND, "compared": False, "note": protocol.not_found}
            rows.append(common | missing | {"provenance": NOT_FOUND})
        for result in protocol.results:
            choco = ours[result.data_set]
            size_bytes = round(result.megabytes * 1e6)
            confidence = CONFIDENCE[result.confidence]
            own = {
                "data_set": result.data_set,
                "network": result.network,
                "communication_bytes": size_bytes,
                "confidence": confidence,
                "compared": result.compared,
                "ratio_to_ours": size_bytes / choco.size_bytes,
                "ratio_to_paper": size_bytes / choco.paper_bytes,
                "our_network": choco.network,
                "our_bytes": choco.size_bytes,
                "our_key_bytes": choco.key_bytes,
                "our_data": choco.data,
                "paper_bytes": choco.paper_bytes,
                "note": result.note or None,
                "provenance": combine(f"{_PUBLISHED} ({confidence})", choco.provenance),
            }
            rows.append(common | own)
    return pd.DataFrame(rows, columns=[*PROTOCOLS.columns])


def reductions(table: pd.DataFrame) -> pd.DataFrame:
    """Return schema ``REDUCTIONS`` of a table of schema ``PROTOCOLS``."""
    compared = table[table["compared"]]
    cited = compared.loc[compared["cited_as"].notna(), "protocol"].nunique()
    rows = []
    for basis in ("ours", "paper"):
        ratios = compared[f"ratio_to_{basis}"].astype(float)
        values = {
            "maximum": ratios.max(),
            "minimum": ratios.min(),
            "order_of_magnitude": 10.0 ** floor(log10(ratios.max())),
            "protocols": float(cited),
        }
        source = combine(*compared["provenance"]) if basis == "ours" else f"{_PUBLISHED} + {PAPER}"
        rows += [
            {"quantity": quantity, "basis": basis, "value": value, "provenance": source}
            for quantity, value in values.items()
        ]
    return pd.DataFrame(rows)


def break_even_macs_per_byte(client: Client, radio: Radio, local_macs_per_s: float) -> float:
    """Return the MACs per byte at which the radio takes as much energy as computing locally.

    Below it, offloading costs the client more energy even if its own computing cost nothing.

    Args:
        client: its active power is that of local inference.
        radio: the link.
        local_macs_per_s: rate of local inference on the client.
    """
    return transfer_energy_j(1, radio) * local_macs_per_s / client.active_power_w


def stage(job: Job[Settings]) -> None:
    """Compare.

    Inputs: ``lenet_lg``, ``sqznet`` (summaries of workloads), ``published`` (YAML), ``paper``.
    Outputs: ``protocols``, ``reductions``.

    Raises:
        ChocoError: a summary does not hold exactly one network.
    """
    claims = paper.load(job.inputs["paper"])
    ours = {}
    for data_set, (workload, claim) in _NETWORKS.items():
        summary = read_table(job.inputs[workload])
        if len(summary) != 1:
            raise ChocoError(f"{job.inputs[workload]}: {len(summary)} rows, not 1")
        row = summary.iloc[0]
        ours[data_set] = Ours(
            network=row["network"],
            size_bytes=int(row["upload_bytes"] + row["download_bytes"]),
            key_bytes=int(row["key_bytes"]),
            data=row["data"],
            paper_bytes=round(claims.value(claim) * 1e6),
            provenance=row["provenance"],
        )
    table = compare(protocols.load(job.inputs["published"]), ours)
    write_table(table, job.outputs["protocols"], PROTOCOLS)
    write_table(reductions(table), job.outputs["reductions"], REDUCTIONS)


if __name__ == "__main__":
    run_stage(stage, Settings)
