"""Stage: the networks with SEAL's default parameters and without rotational redundancy.

The baseline that CHOCO's software is compared with (CHOCO, Section 5.5): fresh and returned
ciphertexts carry all data primes, and what rotational redundancy does with plain rotations is done
with masks. What it costs the client is measured on one network's real ciphertexts, whose logits
must be right, and counted from the same layouts for the others. Both systems stack channels alike:
the layouts would be the same at the same N, so the comparison is one of parameters.
"""

from dataclasses import asdict
from pathlib import Path

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import Datasets, Inference
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.provenance import model
from models.software_schema import BASELINE
from models.stage import Job, run_stage
from models.tables import write_table
from workloads import he
from workloads.dnn.encrypted import InferenceClient, check_logits
from workloads.dnn.network import Network, load_network
from workloads.dnn.source import load_images, load_quantized
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.layout import LinearPlan
from workloads.packing.masked_convolution import MaskedConvolutionPlan
from workloads.protocol.client import Client
from workloads.protocol.server import ServedLayer, Server
from workloads.protocol.transport import InProcessTransport

_COUNTS = ("encryptions", "decryptions", "upload_bytes", "download_bytes")


class Settings(Section):
    """The baseline's parameters, and the run that confirms its counts."""

    seed: int = Field(ge=0, lt=2**32, description="seed of keys and encryption noise")
    parameter_set: str = Field("SEAL", description="name of the baseline's parameters")
    parameters: ParameterSet = Field(description="the parameters themselves (bfv)")
    measured: str = Field("lenet_sm", description="network that runs on real ciphertexts")
    inference: Inference = Field(description="its quantization and images")
    datasets: Datasets = Field(Datasets(), description="where image files are")


def stage(job: Job[Settings]) -> None:
    """Count the baseline.

    Inputs: ``weights`` (.npz) of the measured network, if it has any; all others are network
    descriptions (YAML). Output: ``baseline`` (CSV), in the order of the inputs.
    """
    settings = job.settings
    paths = dict(job.inputs)
    weights = paths.pop("weights", None)
    rows = []
    for name, path in paths.items():
        network = load_network(path)
        counted = count(network, settings.parameters)
        row: dict[str, object] = {"source": "layouts", "provenance": model("ciphertext layouts")}
        row |= counted
        if name == settings.measured:
            row |= measure(network, settings, weights)
            if any(row[key] != counted[key] for key in counted):
                raise ChocoError(f"{name}: measured {row}; its layouts say {counted}")
        rows.append(row | {"network": network.name, "parameter_set": settings.parameter_set})
    table = pd.DataFrame(rows, columns=[*BASELINE.columns])
    write_table(table, job.outputs["baseline"], BASELINE)


def baseline_plans(network: Network, parameters: ParameterSet) -> list[LinearPlan]:
    """Return the layouts of the baseline: those of the network, taps rotated by masking."""
    plans = network.plans(parameters.poly_modulus_degree // 2)
    return [
        MaskedConvolutionPlan(**asdict(plan)) if isinstance(plan, ConvolutionPlan) else plan
        for plan in plans
    ]


def count(network: Network, parameters: ParameterSet) -> dict[str, int]:
    """Return what one image takes, from the layouts: operations of the client, bytes each way."""
    plans = baseline_plans(network, parameters)
    encryptions = sum(plan.input_ciphertexts for plan in plans)
    decryptions = sum(plan.output_ciphertexts for plan in plans)
    size_bytes = parameters.ciphertext_bytes()
    return {
        "encryptions": encryptions,
        "decryptions": decryptions,
        "upload_bytes": encryptions * size_bytes,
        "download_bytes": decryptions * size_bytes,
    }


def measure(network: Network, settings: Settings, weights: Path | None) -> dict[str, object]:
    """Run one image on real ciphertexts and return what it took.

    Raises:
        ChocoError: the logits are wrong, or the parameters do not allow the run.
    """
    inference = settings.inference
    quantized = load_quantized(network, inference, settings.seed, weights)
    quantized.check_plain_modulus(settings.parameters.batching_modulus)
    image = load_images(network, inference, settings.datasets, settings.seed).images[0]
    he.seed(settings.seed)
    plans = baseline_plans(network, settings.parameters)
    layers = [
        ServedLayer(plan, layer.weights, layer.bias)
        for plan, layer in zip(plans, quantized.layers, strict=True)
    ]
    with tqdm(total=len(plans), desc=f"{network.name} with masks", unit="layer") as progress:
        server = Server(settings.parameters, layers)
        client = Client(settings.parameters, plans, InProcessTransport(server.handle))
        client.connect()
        scales = tuple(layer.scale for layer in quantized.layers)
        classifier = InferenceClient(client, network, scales, quantized.activation_bits)
        logits, _ = classifier.logits(image, progress.update)
    check_logits(logits, quantized.logits(image), f"{network.name}: baseline")
    taken: dict[str, object] = {
        name: sum(getattr(exchange, name) for exchange in client.exchanges) for name in _COUNTS
    }
    budgets = [exchange.min_budget_bits for exchange in client.exchanges]
    return taken | {
        "source": "ciphertexts",
        "min_budget_bits": min(bits for bits in budgets if bits is not None),
        "provenance": he.seal_provenance(),
    }


if __name__ == "__main__":
    run_stage(stage, Settings)
