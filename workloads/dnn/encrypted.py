"""A network as an encrypted, client-aided application: the halves of client and server.

The server gets weights and computes linear layers on ciphertexts; the client gets shapes, scales
and bits, and does everything between two linear layers in the clear.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.dnn.network import Network
from workloads.dnn.plain import Integers, apply_nonlinear, requantize
from workloads.dnn.quantized import QuantizedNetwork, Scale
from workloads.protocol.client import Client
from workloads.protocol.server import ServedLayer, Server
from workloads.protocol.transport import Transport


@dataclass(frozen=True)
class PlainWork:
    """What the client did in the clear after one linear layer."""

    elements: Counter[str]
    time_s: float


class InferenceClient:
    """The client's half of a network: all that happens between two encrypted layers."""

    def __init__(
        self,
        client: Client,
        network: Network,
        scales: tuple[Scale | None, ...],
        activation_bits: int,
    ) -> None:
        self._client = client
        self._network = network
        self._scales = scales
        self._activation_bits = activation_bits

    def logits(
        self, image: Integers, on_layer: Callable[[], object] = lambda: None
    ) -> tuple[Integers, list[PlainWork]]:
        """Classify one (channels, height, width) image; ``on_layer`` is called after each layer."""
        values, work = image, []
        steps = self._network.steps
        for index, (step, scale) in enumerate(zip(steps, self._scales, strict=True)):
            flat = len(step.weight_shape) == 2
            values = self._client.evaluate(index, values.reshape(-1) if flat else values)
            start, elements = perf_counter(), Counter[str]()
            values = apply_nonlinear(values, step.nonlinear, elements)
            if scale is not None:
                elements["requantize"] += values.size
                values = requantize(values, scale.multiplier, scale.shift, self._activation_bits)
            work.append(PlainWork(elements, perf_counter() - start))
            on_layer()
        return values.reshape(-1), work


def make_server(
    quantized: QuantizedNetwork,
    parameters: ParameterSet,
    *,
    switch_downloads: bool,
    weight_memory_bytes: int = 1 << 30,
) -> Server:
    """Return a server for the linear layers of a network.

    Args:
        quantized: the integer network.
        parameters: a BFV set.
        switch_downloads: drop data primes from results.
        weight_memory_bytes: for weights that are encoded once, first layers first; layers that
            exceed it are encoded at each use.

    Raises:
        ChocoError: the plaintext modulus cannot hold the accumulators of some layer.
    """
    context = he.context(parameters)
    quantized.check_plain_modulus(context.first_context_data().parms().plain_modulus().value())
    plans = quantized.network.plans(parameters.poly_modulus_degree // 2)
    layers, left = [], weight_memory_bytes
    for plan, layer in zip(plans, quantized.layers, strict=True):
        size = plan.products * parameters.data_residues * parameters.polynomial_bytes
        keep = size <= left
        left -= size if keep else 0
        layers.append(ServedLayer(plan, layer.weights, layer.bias, keep))
    return Server(parameters, layers, switch_downloads=switch_downloads)


def make_client(
    quantized: QuantizedNetwork,
    parameters: ParameterSet,
    transport: Transport,
    *,
    switch_downloads: bool,
) -> tuple[Client, InferenceClient]:
    """Return a connected client; of ``quantized`` it uses the public parts only.

    These are the shapes, the requantization scales and the bits of the activations.
    """
    plans = quantized.network.plans(parameters.poly_modulus_degree // 2)
    client = Client(parameters, plans, transport, switch_downloads=switch_downloads)
    client.connect()
    scales = tuple(layer.scale for layer in quantized.layers)
    return client, InferenceClient(client, quantized.network, scales, quantized.activation_bits)


def check_logits(found: Integers, expected: Integers, where: str) -> None:
    """Compare decrypted logits with the integer network's.

    Raises:
        ChocoError: they differ; names the first logit that does.
    """
    if not np.array_equal(found, expected):
        first = int(np.flatnonzero(found != expected)[0])
        raise ChocoError(
            f"{where}: decrypted logit {first} is {found[first]}, but the integer network "
            f"computes {expected[first]}"
        )
