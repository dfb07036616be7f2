"""Stage: the five distance kernels on real ciphertexts, for the shapes of Figure 11.

Each kernel answers new points of K-nearest neighbours, one encrypted query at a time, against
points that the server holds in the clear. Queries and points are random and uniform; what a
kernel costs does not depend on them.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import Distance, KernelShape, Packing
from models.distance_schema import KERNELS
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.stage import Job, run_stage
from models.tables import write_table
from workloads import he
from workloads.distance.algorithms import squared_distances
from workloads.distance.encrypted import EncryptedDistances, Range, make_plan
from workloads.distance.packing import PACKINGS
from workloads.distance.trace import Recorder
from workloads.protocol.trace import LayerRecord

MAX_ERROR = 1e-4
"""Largest error of a squared distance between coordinates from 0 to 1; far more would be a bug."""

_FEW_CIPHERTEXTS = 64
_UNIT = Range(0.0, 1.0)


class Settings(Section):
    """What the stage needs."""

    profile: Literal["full", "quick"] = Field("full", description="quick: small shapes only")
    seed: int = Field(2022, ge=0, lt=2**32, description="seed of keys, noise, queries and points")
    parameters: ParameterSet = Field(description="the HE parameters that distance names")
    distance: Distance = Field(Distance(), description="shapes and repetitions")

    @property
    def shapes(self) -> list[KernelShape]:
        """The shapes to run.

        Raises:
            ChocoError: none is left.
        """
        limit = self.distance.quick_points
        shapes = [
            shape
            for shape in self.distance.shapes
            if self.profile == "full" or shape.points <= limit
        ]
        if not shapes:
            raise ChocoError(
                f"distance.shapes: none has at most quick_points = {limit} points, which is all "
                "that the quick profile runs"
            )
        return shapes


def stage(job: Job[Settings]) -> None:
    """Run the kernels.

    Outputs: ``trace``, ``timings``, ``kernels`` (CSV), ``metadata`` (JSON).
    """
    settings, recorder = job.settings, Recorder()
    cases = [(shape, packing) for shape in settings.shapes for packing in PACKINGS]
    for shape, packing in cases:  # all of them must fit before the first one runs
        make_plan(packing, settings.parameters, 1, shape.points, shape.dimensions)
    he.seed(settings.seed)
    rows = list(_rows(cases, settings, recorder))
    recorder.write(
        job.outputs,
        workload="distance kernels",
        parameter_set=settings.distance.parameter_set,
        parameters=settings.parameters,
        seed=settings.seed,
        input_data=["synthetic: uniform in 0..1"],
        details={"profile": settings.profile, "points": "in the clear at the server"},
    )
    write_table(pd.DataFrame(rows), job.outputs["kernels"], KERNELS)


def _rows(
    cases: list[tuple[KernelShape, Packing]], settings: Settings, recorder: Recorder
) -> Iterator[dict[str, object]]:
    for shape, packing in tqdm(cases, desc="distance kernels", unit="kernel"):
        random = np.random.default_rng((settings.seed, shape.dimensions, shape.points))
        points = random.random((shape.points, shape.dimensions))
        run = EncryptedDistances(settings.parameters, packing, points, 1, _UNIT)
        ciphertexts = run.plan.input_ciphertexts + run.plan.output_ciphertexts
        few = ciphertexts <= _FEW_CIPHERTEXTS
        error = 0.0
        for _ in range(settings.distance.repetitions if few else 1):
            query = random.random((1, shape.dimensions))
            error = max(error, check(run, query, points))
        yield {
            "packing": packing,
            "parameter_set": settings.distance.parameter_set,
            "profile": settings.profile,
            "max_abs_error": float(f"{error:.0e}"),  # the rest may differ between machines
            **shape.model_dump(),
            **_costs(recorder.take(run, run.plan.name), run),
            "provenance": he.seal_provenance(),
        }


def check(run: EncryptedDistances, queries: np.ndarray, points: np.ndarray) -> float:
    """Return the largest error of the encrypted distances, for coordinates from 0 to 1.

    Raises:
        ChocoError: it is above ``MAX_ERROR``.
    """
    error = float(np.abs(run(queries) - squared_distances(queries, points)).max())
    if not error <= MAX_ERROR:
        raise ChocoError(
            f"{run.plan.name}: encrypted distances are off by {error:.2g}; at most {MAX_ERROR} is "
            "expected of CKKS; use a larger scale_bits"
        )
    return error


def _costs(records: list[LayerRecord], run: EncryptedDistances) -> dict[str, object]:
    """Return what one query takes; all queries take the same."""
    exchange, operations = records[0].exchange, records[0].server_operations
    costs: dict[str, object] = {
        name: getattr(exchange, name)
        for name in (
            "encryptions",
            "decryptions",
            "upload_bytes",
            "download_bytes",
            "download_residues",
        )
    }
    costs |= {f"server_{name}": count for name, count in operations.items()}
    return costs | {
        "communication_bytes": exchange.upload_bytes + exchange.download_bytes,
        "galois_keys": len(run.client.rotation_steps),
        "key_bytes": run.client.key_bytes,
        "repetitions": len(records),
    }


if __name__ == "__main__":
    run_stage(stage, Settings)
