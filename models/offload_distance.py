"""The client's cost of encrypted distances: operations of a real run times their cost (Figure 11).

As for whole inferences (``models.offload``), encryptions and decryptions are charged at the cost of
the client's processor, or of the accelerator where it has one at these parameters (CHOCO,
Section 5.2, DOI 10.1145/3503222.3507737). What the client does in the clear, a minimum over the
distances, is left out.
"""

import pandas as pd

from models import offload
from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.client.operations import CLIENT_OPERATIONS
from models.distance_schema import DISTANCE_CLIENT, DISTANCE_SUMMARY, KERNELS
from models.errors import ChocoError
from models.offload import Settings
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import read_table, write_table

_CASE = ["dimensions", "points"]


def client_costs(
    kernels: pd.DataFrame,
    software: pd.DataFrame,
    accelerator: pd.DataFrame,
    settings: Settings,
) -> pd.DataFrame:
    """Return table ``DISTANCE_CLIENT`` for the rows of ``KERNELS``.

    Raises:
        ChocoError: a parameter set is not in the configuration.
    """
    tables = []
    for _, kernel in kernels.iterrows():
        name = kernel["parameter_set"]
        if name not in settings.parameter_sets:
            raise ChocoError(
                f"distance kernels ran with parameter set {name!r}, which is not in the "
                f"configuration; parameter_sets has {', '.join(settings.parameter_sets)}"
            )
        parameters = settings.parameter_sets[name]
        costs = offload.client_costs(kernel, parameters, software, accelerator, settings.radio)
        tables.append(costs.assign(**kernel[["packing", *_CASE]].to_dict()))
    table = pd.concat(tables, ignore_index=True)
    return table if len(table) else table.reindex(columns=list(DISTANCE_CLIENT.columns))


def summarize(kernels: pd.DataFrame, client: pd.DataFrame) -> pd.DataFrame:
    """Return table ``DISTANCE_SUMMARY``: in how many cases each packing is the best."""
    software = client[(client.system == "choco_software") & (client.component != "communication")]
    client_time_s = software.groupby(["packing", *_CASE]).time_s.sum().unstack("packing")
    sent_bytes = kernels.pivot(index=_CASE, columns="packing", values="communication_bytes")
    counts = {"cases": sent_bytes.notna().sum()}
    for name, costs in (("communication", sent_bytes), ("client", client_time_s)):
        least = costs.eq(costs.min(axis=1), axis=0)
        counts[f"least_{name}"] = least.sum()
        counts[f"least_{name}_alone"] = least[least.sum(axis=1) == 1].sum()
    table = pd.DataFrame(counts).loc[list(dict.fromkeys(kernels.packing))].astype("Int64")
    sources = combine(*kernels.provenance, *software.provenance)
    return table.rename_axis("packing").reset_index().assign(provenance=sources)


def stage(job: Job[Settings]) -> None:
    """Write the client's cost of every kernel.

    Inputs: ``kernels``, ``client``, ``accelerator``. Outputs: ``client``, ``summary``.
    """
    kernels = read_table(job.inputs["kernels"], KERNELS)
    software = read_table(job.inputs["client"], CLIENT_OPERATIONS)
    software = software[software.seal_version == job.settings.client.seal_version]
    accelerator = read_table(job.inputs["accelerator"], ACCELERATOR_OPERATIONS)
    client = client_costs(kernels, software, accelerator, job.settings)
    write_table(client, job.outputs["client"], DISTANCE_CLIENT)
    write_table(summarize(kernels, client), job.outputs["summary"], DISTANCE_SUMMARY)


if __name__ == "__main__":
    run_stage(stage, Settings)
