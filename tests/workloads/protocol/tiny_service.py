"""A workload that a server process starts with quickly: one fully connected layer."""

import numpy as np

from models.config.base import Section
from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.packing.matvec import FullyConnectedPlan
from workloads.protocol.server import ServedLayer, Server

PLAN = FullyConnectedPlan("fc", 2048, 20, 4)
WEIGHTS = np.arange(80).reshape(4, 20) - 40
BIAS = np.arange(4)


class Settings(Section):
    parameters: ParameterSet


def server(job):
    if "broken" in job.inputs:
        raise ChocoError(f"{job.inputs['broken']}: not what it should be")
    layer = ServedLayer(PLAN, WEIGHTS, BIAS)
    return Server(job.settings.parameters, [layer], switch_downloads=True)
