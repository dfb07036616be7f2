"""Stage: K-nearest neighbours and K-means on encrypted distances, compared with scikit-learn.

The server holds the points in the clear and computes distances to encrypted queries: a new point
(K-nearest neighbours), or all centroids at once (K-means). The client takes minima, votes, and
moves centroids. Labels must equal scikit-learn's, or the stage fails.
"""

from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import Distance, DistanceApplication, Packing
from models.distance_schema import APPLICATIONS
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.provenance import combine, library
from models.stage import Job, run_stage
from models.tables import write_table
from workloads import he
from workloads.distance.algorithms import Labels, classify, cluster, squared_distances
from workloads.distance.datasets import DESCRIPTIONS, DataSet, load
from workloads.distance.encrypted import EncryptedDistances, Range
from workloads.distance.packing import Reals
from workloads.distance.trace import Recorder

MAX_ITERATIONS = 300
"""Of K-means; scikit-learn's default."""

_EXCHANGED = ("encryptions", "decryptions", "upload_bytes", "download_bytes")


class Settings(Section):
    """What the stage needs."""

    profile: Literal["full", "quick"] = Field("full", description="quick: those marked so")
    seed: int = Field(2022, ge=0, lt=2**32, description="seed of keys, noise and choice of data")
    parameters: ParameterSet = Field(description="the HE parameters that distance names")
    distance: Distance = Field(Distance(), description="applications and their settings")

    @property
    def runs(self) -> list[tuple[DistanceApplication, Packing]]:
        """The runs, packing by packing.

        Raises:
            ChocoError: none is left.
        """
        runs = [
            (application, packing)
            for application in self.distance.applications
            for packing in application.packings
            if self.profile == "full" or application.quick
        ]
        if not runs:
            raise ChocoError(
                f"distance.applications: none to run in the {self.profile} profile"
                + (" (quick: true)" if self.profile == "quick" else "")
            )
        return runs


class _Watched:
    """Encrypted distances, and how far they were off."""

    def __init__(self, run: EncryptedDistances, points: Reals) -> None:
        self.run = run
        self.max_relative_error = 0.0
        self._points = points

    def __call__(self, queries: Reals) -> Reals:
        found = self.run(queries)
        expected = squared_distances(queries, self._points)
        error = float(np.abs(found - expected).max() / expected.max())
        self.max_relative_error = max(self.max_relative_error, error)
        return found


def stage(job: Job[Settings]) -> None:
    """Run the applications.

    Outputs: ``trace``, ``timings``, ``applications`` (CSV), ``metadata`` (JSON).
    """
    settings, recorder = job.settings, Recorder()
    he.seed(settings.seed)
    runs = tqdm(settings.runs, desc="encrypted KNN and K-means", unit="run")
    rows = [_row(settings, application, packing, recorder) for application, packing in runs]
    recorder.write(
        job.outputs,
        workload="K-nearest neighbours and K-means",
        parameter_set=settings.distance.parameter_set,
        parameters=settings.parameters,
        seed=settings.seed,
        input_data=dict.fromkeys(DESCRIPTIONS[a.data] for a, _ in settings.runs),
        details={
            "profile": settings.profile,
            "points": "in the clear at the server; of K-means also at the client, for the means",
            "distance": settings.distance.model_dump(mode="json"),
        },
    )
    write_table(pd.DataFrame(rows), job.outputs["applications"], APPLICATIONS)


def _row(
    settings: Settings, application: DistanceApplication, packing: Packing, recorder: Recorder
) -> dict[str, object]:
    name = f"{application.algorithm} {application.data} {packing}"
    data = load(application.data, settings.seed).shuffled(settings.seed)
    if application.algorithm == "knn":
        distances, found, expected = _nearest(settings, application, packing, data)
    else:
        distances, found, expected = _clusters(settings, application, packing, data)
    equal = int(np.sum(found == expected))
    if equal < len(expected):
        raise ChocoError(
            f"{name}: {len(expected) - equal} of {len(expected)} labels differ from scikit-learn's"
        )
    plan = distances.run.plan
    iterations = application.algorithm == "kmeans"
    exchanges = [r.exchange for r in recorder.take(distances.run, name, iterations=iterations)]
    return {
        "algorithm": application.algorithm,
        "data": application.data,
        "packing": packing,
        "parameter_set": settings.distance.parameter_set,
        "profile": settings.profile,
        "dimensions": plan.dimensions,
        "points": plan.points,
        "queries": plan.queries,
        "rounds": len(exchanges),
        **{column: sum(getattr(e, column) for e in exchanges) for column in _EXCHANGED},
        "labels": len(expected),
        "labels_equal": equal,
        "max_relative_error": float(f"{distances.max_relative_error:.0e}"),
        "provenance": combine(he.seal_provenance(), library("scikit-learn", "scikit-learn")),
    }


def _nearest(
    settings: Settings, application: DistanceApplication, packing: Packing, data: DataSet
) -> tuple[_Watched, Labels, Labels]:
    """Classify the first points by the others; return also scikit-learn's labels."""
    count, neighbors = settings.distance.classified, settings.distance.neighbors
    new, known = data[:count], _first(data[count:], application)
    run = EncryptedDistances(settings.parameters, packing, known.points, 1, Range.of(data.points))
    distances = _Watched(run, known.points)
    found = [classify(distances, row[None], known.labels, neighbors)[0] for row in new.points]
    reference = KNeighborsClassifier(neighbors, algorithm="brute")
    expected = reference.fit(known.points, known.labels).predict(new.points)
    return distances, np.array(found), expected


def _clusters(
    settings: Settings, application: DistanceApplication, packing: Packing, data: DataSet
) -> tuple[_Watched, Labels, Labels]:
    """Cluster the points, starting from the first ones; return also scikit-learn's labels."""
    points, clusters = _first(data, application).points, data.classes
    run = EncryptedDistances(settings.parameters, packing, points, clusters, Range.of(points))
    distances = _Watched(run, points)
    found = cluster(distances, points, points[:clusters], MAX_ITERATIONS)
    reference = KMeans(clusters, init=points[:clusters], n_init=1, max_iter=MAX_ITERATIONS, tol=0)
    expected = reference.fit(points).labels_
    return distances, found.labels, expected


def _first(data: DataSet, application: DistanceApplication) -> DataSet:
    wanted = application.points
    if wanted is not None and wanted > len(data.points):
        raise ChocoError(
            f"distance.applications: {application.data} has {len(data.points)} points for the "
            f"server, not {wanted}"
        )
    return data[:wanted]


if __name__ == "__main__":
    run_stage(stage, Settings)
