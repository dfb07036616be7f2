"""Encrypted distances as the applications use them: data in their own units, in and out.

Client and server know the range of the data; both scale with it, so that the kernels see values
from 0 to 1 and neither learns more than that.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.config.workloads import Packing
from models.distance_schema import kernel_name
from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.distance.kernels import service
from workloads.distance.packing import PACKINGS, DistancePlan, Reals
from workloads.protocol.client import Client, Exchange
from workloads.protocol.server import Server
from workloads.protocol.transport import InProcessTransport

_ROUNDING = 1e-9
"""How far outside 0..1 a scaled value may be by rounding alone."""


@dataclass(frozen=True)
class Range:
    """The public range of all coordinates, the same for every dimension.

    One factor for all dimensions keeps the order of distances.
    """

    low: float
    span: float

    @classmethod
    def of(cls, values: Reals) -> "Range":
        """Return the range of the data; of width 1 where all are equal."""
        low, high = float(np.min(values)), float(np.max(values))
        return cls(low, high - low or 1.0)

    def scale(self, values: Reals) -> Reals:
        """Map the range to 0..1.

        Raises:
            ChocoError: a value outside the range.
        """
        scaled: Reals = (values - self.low) / self.span
        if not (np.min(scaled) >= -_ROUNDING and np.max(scaled) <= 1 + _ROUNDING):
            raise ChocoError(
                f"coordinates from {np.min(values):.6g} to {np.max(values):.6g} are outside the "
                f"agreed range {self.low:.6g} to {self.low + self.span:.6g}"
            )
        return np.clip(scaled, 0, 1)


def make_plan(
    packing: Packing, parameters: ParameterSet, queries: int, points: int, dimensions: int
) -> DistancePlan:
    """Return the plan of a packing, named after it and its shape.

    Raises:
        ChocoError: the shape does not fit.
    """
    row_size = parameters.poly_modulus_degree // 2
    name = kernel_name(packing, dimensions, points)
    return PACKINGS[packing](name, row_size, queries, points, dimensions)


class EncryptedDistances:
    """A client that has a server compute distances to its points.

    Both live in this process and share nothing but messages.

    Attributes:
        plan: the packing.
        client: its ``exchanges`` and ``server_report`` say what the calls took.
        encoding_time_s: seconds that the server spent on encoding its points, once.
    """

    def __init__(
        self,
        parameters: ParameterSet,
        packing: Packing,
        points: Reals,
        queries: int,
        data_range: Range,
    ) -> None:
        self.plan = make_plan(packing, parameters, queries, *points.shape)
        self._range = data_range
        served = service(parameters, self.plan, data_range.scale(points))
        server = Server(parameters, [served], relinearization=True)
        self.encoding_time_s = server.encoding_time_s
        transport = InProcessTransport(server.handle)
        self.client = Client(parameters, [self.plan], transport, relinearization=True)
        self.client.connect()

    def __call__(self, queries: Reals) -> Reals:
        """Return squared distances (queries, points) of (queries, dimensions)."""
        found = self.client.evaluate(0, self._range.scale(queries))
        return found * self._range.span**2

    def take_records(self) -> list[tuple[Exchange, dict[str, Any]]]:
        """Return what client and server noted about each call since the last time."""
        exchanges, self.client.exchanges = self.client.exchanges, []
        return list(zip(exchanges, self.client.server_report(), strict=True))
