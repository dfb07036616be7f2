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
    inference = getattr(CONFIG.networks, network)
    parameters = CONFIG.parameter_sets[inference.parameter_set]
    return settings(seed=CONFIG.seed, parameters=parameters, inference=inference)


# Jobs use this environment's Python, whether or not it is activated. `pipefail` is on, so that
# `| tee {log}` shows progress on the terminal and keeps the exit status of the command.
shell.prefix(f'set -euo pipefail; export PATH="{Path(sys.executable).parent}:$PATH"; ')
