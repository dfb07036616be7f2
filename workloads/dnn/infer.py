"""Stage: client-aided encrypted inference of a network on real SEAL ciphertexts.

Linear layers run on encrypted data at the server; activation, pooling and requantization run in
the clear at the client, which encrypts again (CHOCO, DOI 10.1145/3503222.3507737, Section 3).
The logits of every image must equal those of the integer network exactly, or the stage fails.
"""

from collections import Counter

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import Datasets, Inference, TransportName
from models.parameters import ParameterSet
from models.provenance import combine
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads import he
from workloads.dnn.encrypted import PlainWork, check_logits, make_client, make_server
from workloads.dnn.network import Network, load_network
from workloads.dnn.plain import OPERATIONS
from workloads.dnn.quantized import QuantizedNetwork
from workloads.dnn.source import load_images, load_quantized
from workloads.protocol.client import Client
from workloads.protocol.serve import connection
from workloads.protocol.server import Server
from workloads.protocol.trace import LayerRecord, TraceMetadata, describe_columns, write_trace

_MISSING_COUNT = Column("Int64", Check.ge(0), nullable=True)
_SHARE = Column(float, Check.in_range(0, 1), nullable=True)

SUMMARY = table_schema(
    network=str,
    parameter_set=str,
    plain_modulus_bits=int,
    data=str,
    weights=str,
    weight_bits=int,
    activation_bits=int,
    images=Column(int, Check.gt(0)),
    images_exact=int,
    images_correct=_MISSING_COUNT,
    encryptions=int,
    decryptions=int,
    upload_bytes=int,
    download_bytes=int,
    wire_upload_bytes=int,
    wire_download_bytes=int,
    key_bytes=int,
    convolutions=int,
    fully_connected=int,
    activations=int,
    poolings=int,
    macs=int,
    parameters=int,
    float_model_bytes=int,
    quantized_model_bytes=int,
    min_budget_bits=Column(int, Check.gt(0)),
    test_images=_MISSING_COUNT,
    accuracy=_SHARE,
    accuracy_float=_SHARE,
    accuracy_w8a8=_SHARE,
    accuracy_w4a4=_SHARE,
)
"""One row a network. Operations and bytes are those of one image; ``accuracy`` is that of the
integer network on all test images, the other three were measured when it was trained. They are
empty where weights or images are synthetic."""

_MEANINGS = {
    "relu": "elements through the activation",
    "max_pool": "elements into the maximum pooling",
    "average_pool": "elements into the average pooling",
    "requantize": "elements scaled back to activations",
}


class Settings(Section):
    """One inference run."""

    seed: int = Field(ge=0, lt=2**32, description="seed of keys and encryption noise")
    parameters: ParameterSet = Field(description="the HE parameters named by inference")
    inference: Inference
    datasets: Datasets = Field(Datasets(), description="where image files are")
    transport: TransportName = Field(
        "in process", description="in process, or TCP to a server process on loopback"
    )


def load(job: Job[Settings]) -> QuantizedNetwork:
    """Return the integer network of a run; both parties make it from the same files or seed."""
    network = load_network(job.inputs["network"])
    settings = job.settings
    return load_quantized(network, settings.inference, settings.seed, job.inputs.get("weights"))


def server(job: Job[Settings]) -> Server:
    """Return the server of a run: what a server process starts with."""
    inference = job.settings.inference
    return make_server(
        load(job),
        job.settings.parameters,
        switch_downloads=inference.switch_downloads,
        weight_memory_bytes=inference.weight_memory_bytes,
    )


def stage(job: Job[Settings]) -> None:
    """Run encrypted inference.

    Inputs: ``network`` (YAML); ``weights`` (.npz), without which they are synthetic.
    Outputs: ``trace``, ``timings``, ``summary`` (CSV), ``metadata`` (JSON).
    """
    settings, inference = job.settings, job.settings.inference
    quantized = load(job)
    network = quantized.network
    data = load_images(network, inference, settings.datasets, settings.seed)
    images = data.images[: inference.images]

    he.seed(settings.seed)
    records: list[LayerRecord] = []
    guesses = []
    total = len(images) * len(network.steps)
    with (
        connection(server, job, settings.transport) as transport,
        tqdm(total=total, desc=f"{network.name} encrypted", unit="layer") as progress,
    ):
        client, classifier = make_client(
            quantized,
            settings.parameters,
            transport,
            switch_downloads=inference.switch_downloads,
        )
        for item, image in enumerate(images):
            logits, work = classifier.logits(image, progress.update)
            check_logits(logits, quantized.logits(image), f"{network.name}: image {item}")
            guesses.append(int(np.argmax(logits)))
            records += layer_records(item, network, client, work)

    setup = {
        "key_generation": client.key_time_s,
        "weight_encoding": client.server_encoding_time_s,
    }
    metadata = TraceMetadata(
        workload=network.name,
        parameter_set=inference.parameter_set,
        parameters=settings.parameters,
        seed=settings.seed,
        transport=settings.transport,
        items=len(images),
        input_data=data.description,
        key_bytes=client.key_bytes,
        rotation_steps=client.rotation_steps,
        layers=client.layout(),
        details={"inference": inference.model_dump(mode="json"), "weights": quantized.metadata},
        columns=describe_columns(_MEANINGS),
    )
    write_trace(records, setup, metadata, OPERATIONS, job.outputs)
    row = summarize(records, quantized) | {
        "parameter_set": inference.parameter_set,
        "plain_modulus_bits": round(settings.parameters.log2_t),
        "data": data.description,
        "images": len(images),
        "images_exact": len(images),  # anything else has raised
        "key_bytes": client.key_bytes,
        "provenance": combine(he.seal_provenance(), *filter(None, [data.provenance])),
    }
    if data.labels is not None and "test_accuracy" in quantized.metadata:
        row |= {
            "images_correct": int(np.sum(np.equal(guesses, data.labels[: len(images)]))),
            "test_images": len(data.labels),
            "accuracy": quantized.accuracy(data.images, data.labels),
        }
    table = pd.DataFrame([row], columns=[*SUMMARY.columns])
    write_table(table, job.outputs["summary"], SUMMARY)


def layer_records(
    item: int, network: Network, client: Client, work: list[PlainWork]
) -> list[LayerRecord]:
    """Join what client and server noted about the last image; empties both notebooks."""
    report = client.server_report()
    exchanges, client.exchanges = client.exchanges, []
    return [
        LayerRecord(
            item=item,
            step=index,
            layer=step.linear.name,
            kind=step.linear.kind,
            exchange=exchange,
            server_operations=served["operations"],
            client_elements=plain.elements,
            server_time_s=served["time_s"],
            plain_time_s=plain.time_s,
        )
        for index, (step, exchange, served, plain) in enumerate(
            zip(network.steps, exchanges, report, work, strict=True)
        )
    ]


def summarize(records: list[LayerRecord], quantized: QuantizedNetwork) -> dict[str, object]:
    """Return what one image takes, and the size of the network."""
    network = quantized.network
    exchanges = [record.exchange for record in records]
    per_image = {
        name: sum(getattr(e, name) for e in exchanges) // len({r.item for r in records})
        for name in (
            "encryptions",
            "decryptions",
            "upload_bytes",
            "download_bytes",
            "wire_upload_bytes",
            "wire_download_bytes",
        )
    }
    kinds = Counter(layer.kind for layer in network.layers)
    measured = quantized.metadata.get("test_accuracy", {})
    return {
        "network": network.name,
        "weight_bits": quantized.weight_bits,
        "activation_bits": quantized.activation_bits,
        "weights": quantized.metadata["data"],
        "convolutions": kinds["convolution"] + kinds["parallel"],
        "fully_connected": kinds["fully_connected"],
        "activations": kinds["relu"],
        "poolings": kinds["max_pool"] + kinds["average_pool"],
        "macs": network.macs,
        "parameters": network.parameters,
        "float_model_bytes": network.model_bytes(),
        "quantized_model_bytes": network.model_bytes(quantized.weight_bits),
        "min_budget_bits": min(
            e.min_budget_bits for e in exchanges if e.min_budget_bits is not None
        ),
        **{f"accuracy_{name}": measured.get(name) for name in ("float", "w8a8", "w4a4")},
        **per_image,
    }


if __name__ == "__main__":
    run_stage(stage, Settings)
