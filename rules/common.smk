"""Shared by all stages: the checked configuration, rerun triggers, one shell."""

import sys
from pathlib import Path

from models import config as configuration
from models.errors import ChocoError
from models.provenance import code_hash

try:
    CONFIG = configuration.validate(config)
except ChocoError as error:
    sys.exit(f"error: {error}")

# What the paper states. Rules list the files, so that a new or changed one is noticed; stages
# read the directory.
PAPER = sorted(map(str, Path("results/paper").glob("*.yaml")))


def settings(**values):
    """Return what a stage needs of the configuration as JSON, for its --settings."""
    return configuration.as_json(values)


def inference_settings(network):
    """Return the settings of one network's run, with the HE parameters that it names."""
    return settings(
        seed=CONFIG.seed,
        parameters=CONFIG.network_parameters(network),
        inference=getattr(CONFIG.networks, network),
        datasets=CONFIG.datasets,
        transport=CONFIG.transport,
    )


def layer_settings(*networks):
    """Return the settings of the layer microbenchmark, with networks as their inference runs."""
    return settings(
        microbenchmark=CONFIG.microbenchmark,
        parameters=CONFIG.microbenchmark_parameters(),
        networks={
            network: {
                "inference": getattr(CONFIG.networks, network),
                "parameters": CONFIG.network_parameters(network),
            }
            for network in networks
        },
    )


def training_settings(network):
    """Return the settings of one network's training."""
    inference = getattr(CONFIG.networks, network)
    return settings(
        seed=CONFIG.seed,
        data=inference.data,
        datasets=CONFIG.datasets,
        weight_bits=inference.weight_bits,
        activation_bits=inference.activation_bits,
        float_epochs=inference.training_epochs,
        quantized_epochs=max(1, inference.training_epochs // 2),
    )


def weight_file(network):
    """Return the weight file of a network, or nothing where its weights are synthetic."""
    weights = getattr(CONFIG.networks, network).weights
    return [] if weights is None else [str(weights)]


def distance_settings():
    """Return the settings of encrypted distances, with the HE parameters that they name."""
    return settings(
        profile=CONFIG.profile,
        seed=CONFIG.seed,
        parameters=CONFIG.parameter_sets[CONFIG.distance.parameter_set],
        distance=CONFIG.distance,
    )


def pagerank_study():
    """Return the PageRank section, reduced in the quick profile."""
    study = CONFIG.pagerank
    if CONFIG.profile == "full":
        return study
    reduced = {
        "max_iterations": min(study.max_iterations, 6),
        "max_poly_modulus_degree": min(study.max_poly_modulus_degree, 16384),
    }
    return study.model_copy(update=reduced)


# Jobs use this environment's Python, whether or not it is activated. `pipefail` is on, so that
# `| tee {log}` shows progress on the terminal and keeps the exit status of the command. Jobs run
# side by side, so each keeps to one thread: NumPy's would wait for each other on a busy machine.
shell.prefix(
    f'set -euo pipefail; export PATH="{Path(sys.executable).parent}:$PATH"'
    " OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1; "
)
