"""What an inference run works on: the integer network and the images, real or synthetic."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from models.config.workloads import Datasets, Inference
from models.errors import ChocoError
from workloads.dnn import datasets
from workloads.dnn.network import Network
from workloads.dnn.quantized import QuantizedNetwork
from workloads.dnn.synthetic import DESCRIPTION, synthetic_images, synthetic_network
from workloads.dnn.weights_file import load_weights


@dataclass(frozen=True)
class Images:
    """Images to classify (count, channels, height, width); labels (count,) if they have any."""

    images: NDArray[Any]
    labels: NDArray[Any] | None
    description: str
    provenance: str | None


def load_images(network: Network, inference: Inference, paths: Datasets, seed: int) -> Images:
    """Return the test images of a run.

    Raises:
        ChocoError: their files are missing or damaged, or of another shape than the network takes.
    """
    if inference.data == "synthetic":
        images = synthetic_images(network, inference.images, inference.activation_bits, seed)
        return Images(images, None, DESCRIPTION, None)
    data = datasets.load(inference.data, paths, inference.activation_bits)
    if data.test_images.shape[1:] != network.input_shape:
        raise ChocoError(
            f"{network.name}: takes images of {network.input_shape}; {data.description} has "
            f"{data.test_images.shape[1:]}"
        )
    description = f"{data.description}, test images"
    return Images(data.test_images, data.test_labels, description, data.provenance)


def load_quantized(
    network: Network, inference: Inference, seed: int, weights: Path | None
) -> QuantizedNetwork:
    """Return the integer network of a run, trained or synthetic.

    Raises:
        ChocoError: the weight file does not fit, or has other bits than configured.
    """
    asked = (inference.weight_bits, inference.activation_bits)
    if weights is None:
        return synthetic_network(network, *asked, seed)
    quantized = load_weights(weights, network)
    bits = (quantized.weight_bits, quantized.activation_bits)
    if bits != asked:
        raise ChocoError(
            f"{weights}: weight_bits, activation_bits = {bits}; the configuration asks for "
            f"{asked}; train them first"
        )
    return quantized
