"""Layer plans against a real encrypted run, and what the stage makes of them."""

from pathlib import Path

import numpy as np
import pytest

import workloads.dnn
from models.communication_schema import LAYERS, MICROBENCHMARK
from models.config import Config
from models.config.workloads import Microbenchmark
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table
from workloads.dnn.layers import Convolution, FullyConnected
from workloads.dnn.microbenchmark import (
    PlannedNetwork,
    Settings,
    check_plain_modulus,
    plan_layer,
    stage,
)
from workloads.dnn.network import load_network
from workloads.protocol.client import Client
from workloads.protocol.server import ServedLayer, Server
from workloads.protocol.transport import InProcessTransport

CONFIG = Config()
PARAMETERS = CONFIG.microbenchmark_parameters()
NETWORKS = Path(workloads.dnn.__file__).parent / "networks"


def convolution(channels, kernel, **more):
    return Convolution(
        kind="convolution", name="c", out_channels=channels, kernel=kernel, padding="same", **more
    )


@pytest.mark.parametrize(
    ("linear", "inputs"),
    [
        (convolution(8, 3), (12, 16, 16)),  # several ciphertexts each way, three channels a block
        (convolution(40, 1), (3, 16, 16)),
        (FullyConnected(kind="fully_connected", name="f", out_features=10), (4, 5, 5)),
    ],
)
@pytest.mark.parametrize("switch", [True, False])
def test_a_plan_counts_what_an_encrypted_run_sends(linear, inputs, switch):
    planned = plan_layer(linear, inputs, PARAMETERS, switch_downloads=switch)
    plan = linear.plan(inputs, PARAMETERS.poly_modulus_degree // 2)
    generator = np.random.default_rng(1)
    weights = generator.integers(-7, 8, linear.weight_shape(inputs))
    bias = generator.integers(-7, 8, weights.shape[0])
    server = Server(PARAMETERS, [ServedLayer(plan, weights, bias)], switch_downloads=switch)
    client = Client(PARAMETERS, [plan], InProcessTransport(server.handle), switch_downloads=switch)
    client.connect()
    image = generator.integers(0, 16, inputs)
    client.evaluate(0, image.reshape(-1) if planned["kernel"] is None else image)
    (exchange,) = client.exchanges
    for name in (
        "encryptions",
        "decryptions",
        "upload_bytes",
        "download_bytes",
        "download_residues",
    ):
        assert planned[name] == getattr(exchange, name), name
    assert exchange.min_budget_bits > 0


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    settings = Settings(
        microbenchmark=Microbenchmark(image_sizes=(2, 8, 32), channels=(32, 64)),
        parameters=PARAMETERS,
        networks={
            name: PlannedNetwork(
                inference=getattr(CONFIG.networks, name),
                parameters=CONFIG.network_parameters(name),
            )
            for name in ("sqznet", "vgg16")
        },
    )
    inputs = {name: NETWORKS / f"{name}.yaml" for name in settings.networks}
    made = []
    for run in ("a", "b"):
        path = tmp_path_factory.mktemp(run) / "layers.csv"
        stage(Job(settings, inputs, {"layers": path}))
        made.append(path.read_bytes())
    assert made[0] == made[1]
    return read_table(path, LAYERS)


def test_the_grid_is_complete_and_every_layer_of_the_networks_is_there(layers):
    grid = layers[layers["workload"] == MICROBENCHMARK]
    assert len(grid) == 3 * 2 * 2
    for name in ("sqznet", "vgg16"):
        network = load_network(NETWORKS / f"{name}.yaml")
        here = layers[layers["workload"] == network.name]
        assert list(here["layer"]) == [step.linear.name for step in network.steps]
        assert here["macs"].sum() == network.macs


def test_columns_follow_from_each_other(layers):
    grid = layers[layers["workload"] == MICROBENCHMARK].astype({"kernel": int})
    macs = grid.height * grid.width * grid.channels * grid.out_channels * grid.kernel**2
    assert (grid["macs"] == macs).all()
    sent = layers["upload_bytes"] + layers["download_bytes"]
    assert (layers["communication_bytes"] == sent).all()
    assert layers["macs_per_byte"].to_numpy() == pytest.approx(layers["macs"] / sent)
    polynomial = 2 * PARAMETERS.poly_modulus_degree * 8
    residues = layers["download_residues"]
    assert (layers["download_bytes"] == layers["decryptions"] * residues * polynomial).all()


def test_at_equal_communication_larger_filters_compute_more(layers):
    grid = layers[layers["workload"] == MICROBENCHMARK]
    small, large = (grid[grid["kernel"] == k].set_index(["channels", "height"]) for k in (1, 3))
    assert (large["macs"] == 9 * small["macs"]).all()
    assert (large["communication_bytes"] == small["communication_bytes"]).all()


def test_a_layer_that_could_not_run_is_refused():
    wide = convolution(512, 3)
    small = CONFIG.parameter_sets["B"]  # 18 bits of t
    with pytest.raises(ChocoError, match=r"c: accumulators reach 483840 .* at least 20 plain"):
        check_plain_modulus(wide, (512, 2, 2), small, weight_bits=4, activation_bits=4)
    check_plain_modulus(wide, (512, 2, 2), PARAMETERS, weight_bits=4, activation_bits=4)
    noisy = PARAMETERS.model_copy(update={"plain_modulus_bits": 35})
    with pytest.raises(ChocoError, match="c: predicted noise budget"):
        plan_layer(wide, (512, 2, 2), noisy, switch_downloads=True)
