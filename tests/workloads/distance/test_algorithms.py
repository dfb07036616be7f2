"""K-nearest neighbours and K-means against scikit-learn, in the clear and encrypted."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import KNeighborsClassifier

from models.config import Config
from models.errors import ChocoError
from workloads import he
from workloads.distance.algorithms import classify, cluster, squared_distances
from workloads.distance.datasets import load
from workloads.distance.encrypted import EncryptedDistances, Range


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_squared_distances_equal_scikit_learns(queries, points, dimensions, seed):
    random = np.random.default_rng(seed)
    q, p = random.normal(size=(queries, dimensions)), random.normal(size=(points, dimensions))
    expected = euclidean_distances(q, p, squared=True)
    np.testing.assert_allclose(squared_distances(q, p), expected, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_classification_equals_scikit_learns(neighbors, seed):
    random = np.random.default_rng(seed)
    points, labels = random.normal(size=(60, 3)), random.integers(0, 4, 60)
    queries = random.normal(size=(8, 3))
    found = classify(
        partial(squared_distances, points=points), queries, labels, neighbors=neighbors
    )
    model = KNeighborsClassifier(neighbors, algorithm="brute").fit(points, labels)
    np.testing.assert_array_equal(found, model.predict(queries))


@pytest.mark.parametrize("neighbors", [0, 6])
def test_neighbors_out_of_range_are_refused(neighbors):
    with pytest.raises(ChocoError, match=f"neighbors = {neighbors} .* there are 5 points"):
        classify(lambda q: np.zeros((1, 5)), np.zeros((1, 2)), np.zeros(5, int), neighbors)


@pytest.mark.parametrize("name", ["iris", "digits", "blobs"])
def test_clusters_equal_scikit_learns(name):
    data = load(name, 1).shuffled(5)
    start = data.points[: data.classes]
    found = cluster(lambda c: squared_distances(c, data.points), data.points, start, 300)
    model = KMeans(data.classes, init=start, n_init=1, tol=0).fit(data.points)
    np.testing.assert_array_equal(found.labels, model.labels_)
    np.testing.assert_allclose(found.centroids, model.cluster_centers_, atol=1e-9)
    assert found.iterations == model.n_iter_


def test_an_empty_cluster_is_named():
    points = np.array([[0.0], [1.0]])
    start = np.array([[0.0], [1.0], [50.0]])
    with pytest.raises(ChocoError, match="cluster 2 is empty in iteration 1"):
        cluster(lambda c: squared_distances(c, points), points, start, 10)


def test_no_convergence_is_an_error():
    points = load("iris", 0).points
    with pytest.raises(ChocoError, match="labels still change after 2 iterations"):
        cluster(lambda c: squared_distances(c, points), points, points[:3], 2)


def test_encrypted_clusters_equal_scikit_learns():
    data = load("iris", 0).shuffled(3)
    points, start = data.points, data.points[:3]
    he.seed(4)
    run = EncryptedDistances(
        Config().parameter_sets["C"], "collapsed_point_major", points, 3, Range.of(points)
    )
    found = cluster(run, points, start, 300)
    he.unseed()
    model = KMeans(3, init=start, n_init=1, tol=0).fit(points)
    np.testing.assert_array_equal(found.labels, model.labels_)
    assert found.iterations == model.n_iter_ == len(run.client.exchanges)


def test_unknown_data_are_refused():
    with pytest.raises(ChocoError, match="'mnist' is unknown; use iris, digits, blobs"):
        load("mnist", 0)


def test_synthetic_data_follow_the_seed():
    np.testing.assert_array_equal(load("blobs", 1).points, load("blobs", 1).points)
    assert not np.array_equal(load("blobs", 1).points, load("blobs", 2).points)
