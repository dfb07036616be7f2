"""What CHOCO's software gains over SEAL's defaults (CHOCO, Sections 3.3 and 5.5).

Ciphertexts, bytes and operations of both systems are counts of workloads; the client's time is
those counts times the recorded cost of an operation at the parameters of each system.
"""

import pandas as pd
from pydantic import Field

from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.base import Section
from models.config.platform import Client
from models.errors import ChocoError
from models.offload import at_parameters
from models.parameters import ParameterSet
from models.provenance import combine
from models.software_schema import BASELINE, SOFTWARE_GAIN
from models.stage import Job, run_stage
from models.tables import read_table, write_table

_RATIOS = (
    "ciphertext_reduction",
    "communication_reduction",
    "encryption_ratio",
    "decryption_ratio",
    "client_speedup",
)


class Settings(Section):
    """What the stage needs."""

    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named HE parameter sets"
    )
    client: Client = Field(Client(), description="gives the SEAL version of the software")


def gains(
    ours: pd.DataFrame,
    baseline: pd.DataFrame,
    sets: dict[str, ParameterSet],
    software: pd.DataFrame,
) -> pd.DataFrame:
    """Return schema ``SOFTWARE_GAIN``.

    Args:
        ours: summaries of the networks: ``network``, ``parameter_set``, per image
            ``encryptions``, ``decryptions``, ``upload_bytes``, ``download_bytes``; ``provenance``.
        baseline: schema ``BASELINE``.
        sets: the parameter sets that both name.
        software: client operations of one SEAL version.

    Raises:
        ChocoError: a network is not in the baseline.
    """
    rows = []
    for _, own in ours.iterrows():
        found = baseline[baseline.network == own["network"]]
        if len(found) != 1:
            raise ChocoError(f"{own['network']}: {len(found)} rows in the baseline, not 1")
        other = found.iloc[0]
        small, large = sets[own["parameter_set"]], sets[other["parameter_set"]]
        time_s = client_software_time_s(own, small, software)
        baseline_s = client_software_time_s(other, large, software)
        sources = [own["provenance"], other["provenance"]]
        speedup = None
        if time_s is not None and baseline_s is not None:
            speedup = baseline_s / time_s
            sources += software.provenance.unique().tolist()
        rows.append(
            {
                "network": own["network"],
                "ciphertext_reduction": 1 - small.ciphertext_bytes() / large.ciphertext_bytes(),
                "communication_reduction": 1 - _bytes(own) / _bytes(other),
                "encryption_ratio": other["encryptions"] / own["encryptions"],
                "decryption_ratio": other["decryptions"] / own["decryptions"],
                "client_time_s": time_s,
                "baseline_client_time_s": baseline_s,
                "client_speedup": speedup,
                "provenance": combine(*sources),
            }
        )
    table = pd.DataFrame(rows, columns=[*SOFTWARE_GAIN.columns])
    numbers = table[list(_RATIOS)].astype(float)
    source = combine(*table.provenance)
    totals = [
        {"network": name, "provenance": source, **column}
        for name, column in (("mean", numbers.mean()), ("largest", numbers.max()))
    ]
    return pd.concat([table, pd.DataFrame(totals)], ignore_index=True)


def client_software_time_s(
    workload: pd.Series, parameters: ParameterSet, software: pd.DataFrame
) -> float | None:
    """Return the client's seconds of encryption and decryption, encoding included.

    None where an operation has no cost at these parameters.
    """
    costs = at_parameters(software, parameters)
    if not {"encode", "encrypt", "decrypt", "decode"} <= set(costs.index):
        return None
    up = costs.time_s[["encode", "encrypt"]].sum() * workload["encryptions"]
    down = costs.time_s[["decrypt", "decode"]].sum() * workload["decryptions"]
    return float(up + down)


def _bytes(row: pd.Series) -> float:
    return float(row["upload_bytes"] + row["download_bytes"])


def stage(job: Job[Settings]) -> None:
    """Compare; inputs ``client``, ``baseline``, and a summary of each network."""
    settings = job.settings
    paths = dict(job.inputs)
    software = read_table(paths.pop("client"), CLIENT_OPERATIONS)
    software = software[software.seal_version == settings.client.seal_version]
    baseline = read_table(paths.pop("baseline"), BASELINE)
    ours = pd.concat([read_table(path) for path in paths.values()], ignore_index=True)
    table = gains(ours, baseline, settings.parameter_sets, software)
    write_table(table, job.outputs["gain"], SOFTWARE_GAIN)


if __name__ == "__main__":
    run_stage(stage, Settings)
