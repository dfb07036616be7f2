"""Points with labels for K-nearest neighbours and K-means."""

from dataclasses import dataclass

import numpy as np
from sklearn import datasets

from models.errors import ChocoError
from workloads.distance.algorithms import Labels
from workloads.distance.packing import Reals

DESCRIPTIONS = {
    "iris": "scikit-learn iris",
    "digits": "scikit-learn digits, 8x8 pixels",
    "blobs": "synthetic: 512 points around 4 centres in 16 dimensions (scikit-learn make_blobs)",
}
_BLOBS = {"n_samples": 512, "n_features": 16, "centers": 4, "cluster_std": 4.0}


@dataclass(frozen=True)
class DataSet:
    """Points (points, dimensions) in their own units, labels from 0."""

    points: Reals
    labels: Labels

    @property
    def classes(self) -> int:
        """Number of labels."""
        return int(self.labels.max()) + 1

    def shuffled(self, seed: int) -> "DataSet":
        """Return the points in another order."""
        order = np.random.default_rng(seed).permutation(len(self.points))
        return self[order]

    def __getitem__(self, rows: slice | Labels) -> "DataSet":
        return DataSet(self.points[rows], self.labels[rows])


def load(name: str, seed: int) -> DataSet:
    """Return a data set; ``seed`` draws the synthetic one.

    Raises:
        ChocoError: no such data set.
    """
    match name:
        case "iris":
            points, labels = datasets.load_iris(return_X_y=True)
        case "digits":
            points, labels = datasets.load_digits(return_X_y=True)
        case "blobs":
            points, labels = datasets.make_blobs(**_BLOBS, random_state=seed)
        case _:
            raise ChocoError(f"data set {name!r} is unknown; use {', '.join(DESCRIPTIONS)}")
    return DataSet(points.astype(np.float64), labels.astype(np.int64))
