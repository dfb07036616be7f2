"""Stage: communication against computation of single layers, from their layouts alone.

The convolutions of a grid and every layer of whole networks (CHOCO, DOI 10.1145/3503222.3507737,
Section 5.8, Figure 15). Nothing is encrypted: a layout says how many ciphertexts it takes, and the
prediction of its noise how many primes its results keep. Layers of the grid have as many outputs
as inputs, stride 1 and same padding.
"""

from collections.abc import Iterator
from math import prod

import pandas as pd
from pydantic import Field

from models.communication_schema import LAYERS, MICROBENCHMARK
from models.config.base import Section
from models.config.workloads import Inference, Microbenchmark
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.provenance import model
from models.stage import Job, run_stage
from models.tables import write_table
from workloads.dnn.layers import Convolution, FullyConnected, Linear, Shape
from workloads.dnn.network import Network, load_network
from workloads.packing.layer_noise import MARGIN_BITS, download_residues


class PlannedNetwork(Section):
    """A network whose layers are planned as its inference runs them."""

    inference: Inference
    parameters: ParameterSet = Field(description="the HE parameters that it runs with")


class Settings(Section):
    """What the stage needs."""

    microbenchmark: Microbenchmark = Field(Microbenchmark(), description="the grid")
    parameters: ParameterSet = Field(description="the HE parameters of the grid")
    networks: dict[str, PlannedNetwork] = Field(description="networks, by the name of their input")


def grid(chosen: Microbenchmark) -> Iterator[tuple[Linear, Shape]]:
    """Yield the layers of the grid, each with its input shape."""
    for kernel in chosen.kernels:
        for channels in chosen.channels:
            for size in chosen.image_sizes:
                name = f"{size}x{size}x{channels}, {kernel}x{kernel}"
                layer = Convolution(
                    kind="convolution",
                    name=name,
                    out_channels=channels,
                    kernel=kernel,
                    padding="same",
                )
                yield layer, (channels, size, size)


def network_layers(network: Network) -> Iterator[tuple[Linear, Shape]]:
    """Yield the linear layers of a network, each with its input shape."""
    for step in network.steps:
        yield step.linear, step.input_shape


def plan_layer(
    linear: Linear, inputs: Shape, parameters: ParameterSet, *, switch_downloads: bool
) -> dict[str, object]:
    """Return what one layer computes and sends, as a row of schema ``LAYERS``.

    Raises:
        ChocoError: the layer does not fit, or could not be decrypted, at these parameters.
    """
    plan = linear.plan(inputs, parameters.poly_modulus_degree // 2)
    noise = plan.noise(parameters)
    if noise.budget_bits < MARGIN_BITS:
        raise ChocoError(
            f"{linear.name}: predicted noise budget of {noise.budget_bits:.1f} bits is below "
            f"{MARGIN_BITS:g}; use fewer plain_modulus_bits or another parameter_set"
        )
    residues = download_residues(noise) if switch_downloads else parameters.data_residues
    upload_bytes = plan.input_ciphertexts * parameters.ciphertext_bytes()
    download_bytes = plan.output_ciphertexts * parameters.ciphertext_bytes(residues)
    flat = isinstance(linear, FullyConnected)
    channels, height, width = (prod(inputs), 1, 1) if flat else inputs
    macs = linear.macs(inputs)
    return {
        "layer": linear.name,
        "kind": linear.kind,
        "channels": channels,
        "height": height,
        "width": width,
        "out_channels": linear.weight_shape(inputs)[0],
        "kernel": None if isinstance(linear, FullyConnected) else linear.kernel,
        "macs": macs,
        "plain_modulus_bits": round(parameters.log2_t),
        "encryptions": plan.input_ciphertexts,
        "decryptions": plan.output_ciphertexts,
        "download_residues": residues,
        "upload_bytes": upload_bytes,
        "download_bytes": download_bytes,
        "communication_bytes": upload_bytes + download_bytes,
        "macs_per_byte": macs / (upload_bytes + download_bytes),
        "predicted_budget_bits": round(noise.budget_bits, 2),
    }


def check_plain_modulus(
    linear: Linear,
    inputs: Shape,
    parameters: ParameterSet,
    *,
    weight_bits: int,
    activation_bits: int,
) -> None:
    """Check that t holds the accumulators of any weights and activations of these bits.

    Raises:
        ChocoError: it does not; names the layer, the bound and t.
    """
    largest = ((1 << (weight_bits - 1)) - 1) * ((1 << activation_bits) - 1)
    bound = prod(linear.weight_shape(inputs)[1:]) * largest
    if 2 * bound >= parameters.batching_modulus:
        raise ChocoError(
            f"{linear.name}: accumulators reach {bound} in magnitude, which "
            f"t = {parameters.batching_modulus} cannot hold; use at least "
            f"{(2 * bound).bit_length()} plain_modulus_bits"
        )


def stage(job: Job[Settings]) -> None:
    """Plan the grid and the networks.

    Inputs: a network description (YAML) by each name in the settings. Output: ``layers``.
    """
    settings, chosen = job.settings, job.settings.microbenchmark
    rows = []
    for linear, inputs in grid(chosen):
        check_plain_modulus(
            linear,
            inputs,
            settings.parameters,
            weight_bits=chosen.weight_bits,
            activation_bits=chosen.activation_bits,
        )
        row = plan_layer(linear, inputs, settings.parameters, switch_downloads=True)
        rows.append(row | {"workload": MICROBENCHMARK, "parameter_set": chosen.parameter_set})
    for name, planned in settings.networks.items():
        network, inference = load_network(job.inputs[name]), planned.inference
        for linear, inputs in network_layers(network):
            row = plan_layer(
                linear, inputs, planned.parameters, switch_downloads=inference.switch_downloads
            )
            named = {"workload": network.name, "parameter_set": inference.parameter_set}
            rows.append(row | named)
    table = pd.DataFrame(rows).assign(provenance=model("packing layouts"))
    write_table(table, job.outputs["layers"], LAYERS)


if __name__ == "__main__":
    run_stage(stage, Settings)
