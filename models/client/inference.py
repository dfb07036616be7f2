"""Cost of neural networks on the client itself, and of its plain operations in encrypted ones.

Cycles come from runs of single layers (``workloads.local_inference``); time is cycles at the
configured clock, energy is time at the configured average active power, as in CHOCO, Section 5.2
(DOI 10.1145/3503222.3507737).
"""

import sys
from pathlib import Path

import pandas as pd
from pydantic import Field

from models.baselines.inference import load, published_range
from models.config.base import Section
from models.config.platform import Client
from models.errors import ChocoError
from models.provenance import combine
from models.recorded import open_recorded
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

_DTYPE = Column(str, Check.isin(["float32", "int8", "int32"]))

LAYER_CYCLES = table_schema(
    network=str,
    layer=str,
    operation=str,
    dtype=_DTYPE,
    arguments=str,
    macs=Column(int, Check.ge(0)),
    instructions=Column(int, Check.gt(0)),
    cycles=Column(int, Check.gt(0)),
)
"""One row for each layer of a network and type, in the network's order, and for each of the
client's plain operations (int32). Packing and unpacking the slots of one ciphertext belong to no
network: ``network`` is ``any``, the layer is ``slots_layer``. ``arguments`` are the program's."""

LOCAL_INFERENCE = table_schema(
    network=str,
    layer=str,
    operation=str,
    dtype=_DTYPE,
    macs=Column(int, Check.ge(0)),
    cycles=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
    macs_per_cycle=Column(float, Check.gt(0), nullable=True),
)

LOCAL_NETWORKS = table_schema(
    network=str,
    dtype=Column(str, Check.isin(["float32", "int8"])),
    macs=int,
    cycles=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    energy_j=Column(float, Check.gt(0)),
    macs_per_second=Column(float, Check.gt(0)),
    macs_per_cycle=Column(float, Check.gt(0)),
    published_macs_per_cycle_low=Column(float, Check.gt(0)),
    published_macs_per_cycle_high=Column(float, Check.gt(0)),
)
"""Whole networks without encryption, beside the rates published for Cortex-A7 cores."""


def slots_layer(poly_modulus_degree: int) -> str:
    """Return how tables call the slots of one ciphertext."""
    return f"{poly_modulus_degree} slots"


class Settings(Section):
    """What the stage needs."""

    client: Client = Field(Client(), description="clock and power of the client's processor")
    run: str = Field("cortex_a7_ddr3_1600", description="recorded run: the core it ran on")


def local_inference(cycles: pd.DataFrame, client: Client) -> pd.DataFrame:
    """Return schema ``LOCAL_INFERENCE``: the cost of every layer of schema ``LAYER_CYCLES``."""
    time_s = cycles.cycles / client.clock_hz
    return cycles.assign(
        time_s=time_s,
        energy_j=time_s * client.active_power_w,
        macs_per_cycle=(cycles.macs / cycles.cycles).where(cycles.macs > 0),
    )[[*LOCAL_INFERENCE.columns]]


def networks(layers: pd.DataFrame, client: Client) -> pd.DataFrame:
    """Return schema ``LOCAL_NETWORKS``: the sums over the layers of local inference."""
    published = load()
    rows = []
    local = layers[layers.dtype.isin(["float32", "int8"])]
    for (network, dtype), here in local.groupby(["network", "dtype"], sort=False):
        low, high = published_range(published, "int8" if dtype == "int8" else "float32")
        macs, cycles = int(here.macs.sum()), int(here.cycles.sum())
        rows.append(
            {
                "network": network,
                "dtype": dtype,
                "macs": macs,
                "cycles": cycles,
                "time_s": here.time_s.sum(),
                "energy_j": here.energy_j.sum(),
                "macs_per_second": macs / cycles * client.clock_hz,
                "macs_per_cycle": macs / cycles,
                "published_macs_per_cycle_low": low,
                "published_macs_per_cycle_high": high,
                "provenance": combine(*here.provenance),
            }
        )
    return pd.DataFrame(rows, columns=[*LOCAL_NETWORKS.columns])


def recorded_cycles(directory: Path, run_id: str) -> pd.DataFrame:
    """Return schema ``LAYER_CYCLES`` of a recorded run.

    Raises:
        ChocoError: no such run, or its file is missing, has changed, or does not fit the schema.
    """
    store = open_recorded(directory)
    cores = [run.id for run in store.runs]
    if run_id not in cores:
        raise ChocoError(
            f"client_program.core: local inference is recorded on {', '.join(cores)}, not on "
            f"{run_id!r}; providers.a7: fast runs it now"
        )
    table = read_table(store.file(run_id), LAYER_CYCLES)
    return table.assign(provenance=store.provenance(run_id))


def stage(job: Job[Settings]) -> None:
    """Write the cost of layers and networks.

    Input: ``cycles`` of a live run, or ``recorded``, the manifest of recorded ones. Outputs:
    ``layers``, ``networks``.
    """
    client = job.settings.client
    if "cycles" in job.inputs:
        cycles = read_table(job.inputs["cycles"], LAYER_CYCLES)
    else:
        cycles = recorded_cycles(job.inputs["recorded"].parent, job.settings.run)
    print(f"local inference: {', '.join(cycles.provenance.unique())}", file=sys.stderr)
    layers = local_inference(cycles, client)
    write_table(layers, job.outputs["layers"], LOCAL_INFERENCE)
    write_table(networks(layers, client), job.outputs["networks"], LOCAL_NETWORKS)


if __name__ == "__main__":
    run_stage(stage, Settings)
