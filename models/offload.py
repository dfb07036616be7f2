"""End-to-end time and energy of the client for one encrypted, client-aided inference.

Counts of a real run times the cost of each operation, and the radio on the bytes that moved
(CHOCO, Sections 5.2 and 5.7, Figure 14; DOI 10.1145/3503222.3507737). Every decryption is charged
at all data residues, also where the server dropped some before it sent the result. The client's
plain operations (activation, pooling, requantization, and between slots and values) are charged at
their cost on its processor, whatever encrypts. Beside stands the network without encryption on the
same processor, in float32 as the paper has it (``local_tflite``), and in int8.
"""

import pandas as pd
from pydantic import Field

from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.client.inference import LOCAL_INFERENCE, slots_layer
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.base import Section
from models.config.platform import Client, Radio
from models.errors import ChocoError
from models.link import transfer_energy_j, transfer_time_s
from models.parameters import ParameterSet
from models.provenance import combine, model
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table

INFERENCE = table_schema(
    network=str,
    weights=str,
    system=Column(str, Check.isin(["choco_software", "choco_taco", "local_tflite", "local_int8"])),
    component=Column(
        str, Check.isin(["encrypt", "decrypt", "communication", "client_plain", "local_compute"])
    ),
    time_s=Column(float, Check.ge(0)),
    energy_j=Column(float, Check.ge(0)),
)

_CODED = {"encrypt": ["encode", "encrypt"], "decrypt": ["decrypt", "decode"]}
_SYSTEMS = {
    "bfv": {
        "choco_software": _CODED,
        "choco_taco": {"encrypt": ["encrypt"], "decrypt": ["decrypt"]},  # it encodes as well
    },
    "ckks": {"choco_software": _CODED, "choco_taco": _CODED},
}
"""Operations behind each component, by scheme and system."""
_COUNTS = {"encrypt": "encryptions", "decrypt": "decryptions"}
_SLOTS = {"pack": "encryptions", "unpack": "decryptions"}
_LOCAL = {"local_tflite": "float32", "local_int8": "int8"}
"""Type that each system without encryption computes in."""


class Settings(Section):
    """What the stage needs."""

    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named HE parameter sets"
    )
    client: Client = Field(Client(), description="gives the SEAL version of the software")
    radio: Radio = Field(Radio(), description="the link to the server")


def inference_costs(
    workload: pd.Series,
    parameters: ParameterSet,
    software: pd.DataFrame,
    accelerator: pd.DataFrame,
    radio: Radio,
    local: pd.DataFrame,
) -> pd.DataFrame:
    """Return ``client_costs`` of one inference and of the same network without encryption.

    Args:
        workload: as of ``client_costs``, with the ``network`` and its ``weights``.
        parameters: the parameter set that the workload ran with.
        software: client operations of one SEAL version.
        accelerator: accelerator operations.
        radio: the link.
        local: schema ``LOCAL_INFERENCE``; what it lacks gets no rows.
    """
    costs = client_costs(workload, parameters, software, accelerator, radio)
    plain = plain_cost(workload, parameters, local)
    rows = [{**plain, "system": system} for system in costs.system.unique()] if plain else []
    of_network = local[local.network == workload["network"]]
    for system, dtype in _LOCAL.items():
        layers = of_network[of_network.dtype == dtype]
        if len(layers):
            rows.append({**_total(layers), "system": system, "component": "local_compute"})
    table = pd.concat([costs, pd.DataFrame(rows)], ignore_index=True)
    return table.assign(network=workload["network"], weights=workload["weights"])


def plain_cost(
    workload: pd.Series, parameters: ParameterSet, local: pd.DataFrame
) -> dict[str, object] | None:
    """Return what the client computes in the clear for one inference: one row of a table.

    None where an operation has no cost: the network, or the number of slots, was not measured.
    """
    operations = local[(local.dtype == "int32") & (local.network == workload["network"])]
    slots = local[local.layer == slots_layer(parameters.poly_modulus_degree)]
    slots = slots.set_index("operation")
    if operations.empty or not set(_SLOTS) <= set(slots.index):
        return None
    counts = pd.Series({name: int(workload[count]) for name, count in _SLOTS.items()})
    both = slots.loc[counts.index]
    carried = both.assign(time_s=both.time_s * counts, energy_j=both.energy_j * counts)
    total = _total(pd.concat([operations, carried]))
    source = combine(str(total["provenance"]), workload["provenance"])
    return {**total, "component": "client_plain", "provenance": source}


def _total(costs: pd.DataFrame) -> dict[str, object]:
    return {
        "time_s": costs.time_s.sum(),
        "energy_j": costs.energy_j.sum(),
        "provenance": combine(*costs.provenance),
    }


def client_costs(
    workload: pd.Series,
    parameters: ParameterSet,
    software: pd.DataFrame,
    accelerator: pd.DataFrame,
    radio: Radio,
) -> pd.DataFrame:
    """Return what a run costs the client, by system and component.

    Args:
        workload: ``encryptions``, ``decryptions``, ``upload_bytes``, ``download_bytes`` and
            ``provenance`` of the run.
        parameters: the parameter set that the workload ran with.
        software: client operations of one SEAL version; a system whose operations have no cost at
            these parameters gets no rows.
        accelerator: accelerator operations.
        radio: the link.
    """
    size_bytes = float(workload["upload_bytes"] + workload["download_bytes"])
    rows: list[dict[str, object]] = []
    for system, table in (("choco_software", software), ("choco_taco", accelerator)):
        costs = at_parameters(table, parameters)
        components = _SYSTEMS[parameters.scheme][system]
        if not {op for needed in components.values() for op in needed} <= set(costs.index):
            continue
        for component, operations in components.items():
            cost, count = costs.loc[operations], int(workload[_COUNTS[component]])
            rows.append(
                {
                    "system": system,
                    "component": component,
                    "time_s": count * cost.time_s.sum(),
                    "energy_j": count * cost.energy_j.sum(),
                    "provenance": combine(*cost.provenance, workload["provenance"]),
                }
            )
        rows.append(
            {
                "system": system,
                "component": "communication",
                "time_s": transfer_time_s(size_bytes, radio),
                "energy_j": transfer_energy_j(size_bytes, radio),
                "provenance": combine(model("link"), workload["provenance"]),
            }
        )
    return pd.DataFrame(rows)


def at_parameters(table: pd.DataFrame, parameters: ParameterSet) -> pd.DataFrame:
    """Return the costs of operations at the N and primes of a parameter set, by operation."""
    bits = ",".join(map(str, parameters.coeff_modulus_bits))
    return table[
        (table.scheme == parameters.scheme)
        & (table.poly_modulus_degree == parameters.poly_modulus_degree)
        & (table.coeff_modulus_bits == bits)
    ].set_index("operation")


def stage(job: Job[Settings]) -> None:
    """Write the client's end-to-end cost of networks.

    Inputs: ``client``, ``accelerator`` (operation costs), ``local`` (costs of layers without
    encryption and of plain operations); every other one is a workload's summary.
    Output: ``inference`` (CSV), in the order of the inputs.
    """
    settings = job.settings
    workloads = dict(job.inputs)
    software = read_table(workloads.pop("client"), CLIENT_OPERATIONS)
    software = software[software.seal_version == settings.client.seal_version]
    accelerator = read_table(workloads.pop("accelerator"), ACCELERATOR_OPERATIONS)
    local = read_table(workloads.pop("local"), LOCAL_INFERENCE)
    tables = []
    for path in workloads.values():
        for _, row in read_table(path).iterrows():
            name = row["parameter_set"]
            if name not in settings.parameter_sets:
                raise ChocoError(
                    f"{path}: parameter set {name!r} is not in the configuration; "
                    f"parameter_sets has {', '.join(settings.parameter_sets)}"
                )
            parameters = settings.parameter_sets[name]
            tables.append(
                inference_costs(row, parameters, software, accelerator, settings.radio, local)
            )
    write_table(pd.concat(tables, ignore_index=True), job.outputs["inference"], INFERENCE)


if __name__ == "__main__":
    run_stage(stage, Settings)
