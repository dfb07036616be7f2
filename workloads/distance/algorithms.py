"""K-nearest neighbours and K-means at the client: all that is not a distance, in the clear.

Both take a function that returns squared distances, encrypted or not. The square root is left out,
as it does not change an order (CHOCO, DOI 10.1145/3503222.3507737, Section 5.1).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import ChocoError
from workloads.distance.packing import Reals

Labels = NDArray[np.int64]
Distances = Callable[[Reals], Reals]
"""From (queries, dimensions) to squared distances (queries, points)."""


def squared_distances(queries: Reals, points: Reals) -> Reals:
    """Return squared Euclidean distances (queries, points), in the clear."""
    differences = queries[:, None, :] - points[None, :, :]
    result: Reals = np.einsum("qpd,qpd->qp", differences, differences)
    return result


def classify(distances: Distances, queries: Reals, labels: Labels, neighbors: int) -> Labels:
    """Return the label that most of the nearest points have; of several, the smallest.

    Args:
        distances: to the points that ``labels`` (points,) belong to.
        queries: (queries, dimensions), as many as ``distances`` takes.
        labels: not negative.
        neighbors: how many points vote, each with the same weight.

    Raises:
        ChocoError: more neighbours than points, or none.
    """
    if not 1 <= neighbors <= len(labels):
        raise ChocoError(f"neighbors = {neighbors} is out of range; there are {len(labels)} points")
    nearest = np.argsort(distances(queries), axis=1, kind="stable")[:, :neighbors]
    votes = [np.bincount(labels[row]).argmax() for row in nearest]
    return np.array(votes, dtype=np.int64)


@dataclass(frozen=True)
class Clusters:
    """What K-means found."""

    labels: Labels
    centroids: Reals
    iterations: int


def cluster(distances: Distances, points: Reals, centroids: Reals, max_iterations: int) -> Clusters:
    """Assign points to the nearest centroid and move centroids to the mean, until labels stay.

    The client needs the points for the means; they are its own, and the server keeps and compares
    them.

    Args:
        distances: of (clusters, dimensions) centroids to the points.
        points: (points, dimensions).
        centroids: to start from, (clusters, dimensions).
        max_iterations: rounds of client and server.

    Raises:
        ChocoError: a cluster has lost all its points, or labels still change at the end.
    """
    labels = np.full(len(points), -1, dtype=np.int64)
    for iteration in range(1, max_iterations + 1):
        before, labels = labels, distances(centroids).argmin(axis=0)
        if np.array_equal(before, labels):
            return Clusters(labels, centroids, iteration)
        sizes = np.bincount(labels, minlength=len(centroids))
        if not sizes.all():
            raise ChocoError(
                f"K-means: cluster {int(sizes.argmin())} is empty in iteration {iteration}; "
                "start from other centroids or use fewer"
            )
        centroids = np.stack([points[labels == c].mean(axis=0) for c in range(len(centroids))])
    raise ChocoError(f"K-means: labels still change after {max_iterations} iterations")
