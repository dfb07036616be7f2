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

from models.config import Inference, Section
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.provenance import combine, library
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads import he
from workloads.dnn import digits
from workloads.dnn.encrypted import PlainWork, check_logits, make_client, make_server
from workloads.dnn.network import Network, load_network
from workloads.dnn.plain import OPERATIONS
from workloads.dnn.quantized import QuantizedNetwork
from workloads.dnn.weights_file import load_weights
from workloads.protocol.client import Client
from workloads.protocol.serve import TransportName, connection
from workloads.protocol.server import Server
from workloads.protocol.trace import LayerRecord, TraceMetadata, describe_columns, write_trace

SUMMARY = table_schema(
    network=str,
    parameter_set=str,
    weight_bits=int,
    activation_bits=int,
    images=Column(int, Check.gt(0)),
    images_exact=int,
    images_correct=int,
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
    test_images=int,
    accuracy=Column(float, Check.in_range(0, 1)),
    accuracy_float=Column(float, Check.in_range(0, 1)),
    accuracy_w8a8=Column(float, Check.in_range(0, 1)),
    accuracy_w4a4=Column(float, Check.in_range(0, 1)),
)
"""One row a network. Operations and bytes are those of one image; ``accuracy`` is that of the
integer network on all test images, the other three were measured when it was trained."""

_MEANINGS = {
    "relu": "elements through the activation",
    "max_pool": "elements into the pooling",
    "requantize": "elements scaled back to activations",
}


class Settings(Section):
    """One inference run."""

    seed: int = Field(ge=0, lt=2**32, description="seed of keys and encryption noise")
    parameters: ParameterSet = Field(description="the HE parameters named by inference")
    inference: Inference
    transport: TransportName = Field(
        "in process", description="in process, or TCP to a server process on loopback"
    )


def server(job: Job[Settings]) -> Server:
    """Return the server of a run: what a server process starts with."""
    network = load_network(job.inputs["network"])
    quantized = load_weights(job.inputs["weights"], network)
    parameters, switch = job.settings.parameters, job.settings.inference.switch_downloads
    return make_server(quantized, parameters, switch_downloads=switch)


def stage(job: Job[Settings]) -> None:
    """Run encrypted inference.

    Inputs: ``network`` (YAML), ``weights`` (.npz).
    Outputs: ``trace``, ``timings``, ``summary`` (CSV), ``metadata`` (JSON).
    """
    settings, inference = job.settings, job.settings.inference
    network = load_network(job.inputs["network"])
    quantized = load_weights(job.inputs["weights"], network)
    bits = (quantized.weight_bits, quantized.activation_bits)
    if bits != (inference.weight_bits, inference.activation_bits):
        raise ChocoError(
            f"{job.inputs['weights']}: weight_bits, activation_bits = {bits}; the configuration "
            f"asks for {(inference.weight_bits, inference.activation_bits)}; train them first"
        )
    data = digits.load(inference.activation_bits)
    images = data.test_images[: inference.images]

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
        input_data="scikit-learn digits, 8x8 scaled to 28x28, test split",
        key_bytes=client.key_bytes,
        rotation_steps=client.rotation_steps,
        layers=client.layout(),
        details={"inference": inference.model_dump(mode="json"), "weights": quantized.metadata},
        columns=describe_columns(_MEANINGS),
    )
    write_trace(records, setup, metadata, OPERATIONS, job.outputs)
    correct = int(np.sum(np.equal(guesses, data.test_labels[: len(images)])))
    accuracy = quantized.accuracy(data.test_images, data.test_labels)
    row = summarize(records, quantized) | {
        "parameter_set": inference.parameter_set,
        "images": len(images),
        "images_exact": len(images),  # anything else has raised
        "images_correct": correct,
        "key_bytes": client.key_bytes,
        "test_images": len(data.test_labels),
        "accuracy": accuracy,
        "provenance": combine(he.seal_provenance(), library("scikit-learn", "scikit-learn")),
    }
    write_table(pd.DataFrame([row]), job.outputs["summary"], SUMMARY)


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
    measured = quantized.metadata["test_accuracy"]
    return {
        "network": network.name,
        "weight_bits": quantized.weight_bits,
        "activation_bits": quantized.activation_bits,
        "convolutions": kinds["convolution"],
        "fully_connected": kinds["fully_connected"],
        "activations": kinds["relu"],
        "poolings": kinds["max_pool"],
        "macs": network.macs,
        "parameters": network.parameters,
        "float_model_bytes": network.model_bytes(),
        "quantized_model_bytes": network.model_bytes(quantized.weight_bits),
        "min_budget_bits": min(
            e.min_budget_bits for e in exchanges if e.min_budget_bits is not None
        ),
        **{f"accuracy_{name}": measured[name] for name in ("float", "w8a8", "w4a4")},
        **per_image,
    }


if __name__ == "__main__":
    run_stage(stage, Settings)
