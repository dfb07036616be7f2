"""The two stages end to end on small shapes."""

import json

import numpy as np
import pytest

from models.config import Config
from models.config.workloads import Distance, DistanceApplication, KernelShape
from models.distance_schema import APPLICATIONS, KERNELS
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table
from workloads import he
from workloads.distance import algorithms, applications, measure
from workloads.distance.packing import PACKINGS
from workloads.protocol.trace import TIMINGS, trace_schema

SET_C = Config().parameter_sets["C"]
SMALL = Distance(
    shapes=(KernelShape(dimensions=3, points=20), KernelShape(dimensions=1000, points=9)),
    repetitions=2,
    classified=3,
    applications=(
        DistanceApplication(algorithm="knn", data="digits", points=200, quick=True),
        DistanceApplication(algorithm="kmeans", data="iris", packings=("stacked_point_major",)),
    ),
)


@pytest.fixture(autouse=True)
def fresh_entropy():
    yield
    he.unseed()


def run(stage, directory, distance=SMALL, profile="full", parameters=SET_C):
    settings = stage.Settings(profile=profile, parameters=parameters, distance=distance)
    table = "kernels" if stage is measure else "applications"
    names = {"trace": "csv", "timings": "csv", "metadata": "json", table: "csv"}
    outputs = {name: directory / f"{name}.{suffix}" for name, suffix in names.items()}
    stage.stage(Job(settings, {}, outputs))
    return outputs


@pytest.fixture(scope="module")
def few_dimensions():
    return SMALL.model_copy(update={"shapes": (KernelShape(dimensions=3, points=20),)})


def test_kernels_agree_with_their_trace(tmp_path, few_dimensions):
    files = run(measure, tmp_path, few_dimensions)
    kernels = read_table(files["kernels"], KERNELS).set_index("packing")
    trace = read_table(files["trace"], trace_schema(["compare"]))
    timings = read_table(files["timings"], TIMINGS)
    assert list(kernels.index) == list(PACKINGS)
    assert set(timings.layer) > set(trace.layer)
    for packing, kernel in kernels.iterrows():
        calls = trace[trace.kind == packing]
        assert len(calls) == kernel.repetitions == 2
        assert list(calls.item) == [0, 1]
        for column in ("encryptions", "decryptions", "upload_bytes", "server_rotations"):
            assert (calls[column] == kernel[column]).all()
        assert kernel.communication_bytes == kernel.upload_bytes + kernel.download_bytes
        assert 0 < kernel.max_abs_error < measure.MAX_ERROR
    metadata = json.loads(files["metadata"].read_text())
    assert metadata["details"]["points"] == "in the clear at the server"
    assert metadata["key_bytes"] == kernels.key_bytes.sum()
    assert [layer["kind"] for layer in metadata["layers"]] == list(PACKINGS)


def test_applications_equal_scikit_learn_and_repeat_to_the_byte(tmp_path):
    first, second = (run(applications, tmp_path / name) for name in ("first", "second"))
    for name in ("trace", "metadata", "applications"):
        assert first[name].read_bytes() == second[name].read_bytes()
    table = read_table(first["applications"], APPLICATIONS)
    assert list(table.algorithm) == ["knn", "kmeans"]
    assert (table.labels_equal == table.labels).all()
    nearest, means = table.iloc[0], table.iloc[1]
    assert (nearest.points, nearest.queries, nearest.rounds, nearest.labels) == (200, 1, 3, 3)
    assert (means.points, means.queries, means.labels) == (150, 3, 150)
    trace = read_table(first["trace"])
    assert list(trace[trace.kind == "stacked_point_major"].step) == list(range(means.rounds))
    assert trace.client_compare_elements.tolist()[-1] == 3 * 150


def test_the_quick_profile_is_part_of_the_full_one(tmp_path):
    table = read_table(run(applications, tmp_path, profile="quick")["applications"])
    assert list(table.algorithm) == ["knn"]
    quick = SMALL.model_copy(update={"quick_points": 10})
    settings = measure.Settings(profile="quick", parameters=SET_C, distance=quick)
    assert [shape.points for shape in settings.shapes] == [9]


@pytest.mark.parametrize(
    ("stage", "attribute", "change", "message"),
    [
        (measure, "shapes", {"quick_points": 8}, "none has at most quick_points = 8 points"),
        (applications, "runs", {"applications": ()}, "none to run in the quick profile"),
    ],
)
def test_an_empty_profile_is_an_error(stage, attribute, change, message):
    distance = SMALL.model_copy(update=change)
    settings = stage.Settings(profile="quick", parameters=SET_C, distance=distance)
    with pytest.raises(ChocoError, match=message):
        getattr(settings, attribute)


def test_a_shape_that_does_not_fit_stops_before_anything_runs(tmp_path):
    wide = SMALL.model_copy(
        update={"shapes": (*SMALL.shapes, KernelShape(dimensions=5000, points=1))}
    )
    with pytest.raises(ChocoError, match="5000 dimensions need 8192 slots"):
        run(measure, tmp_path, wide)
    assert not list(tmp_path.iterdir())


def test_more_points_than_the_data_set_has_are_refused(tmp_path):
    many = DistanceApplication(algorithm="kmeans", data="iris", points=151)
    with pytest.raises(ChocoError, match="iris has 150 points for the server, not 151"):
        run(applications, tmp_path, SMALL.model_copy(update={"applications": (many,)}))


def test_a_label_that_differs_fails_the_stage(tmp_path, monkeypatch):
    monkeypatch.setattr(applications, "classify", lambda *args: 9 - algorithms.classify(*args) % 2)
    with pytest.raises(ChocoError, match="of 3 labels differ from scikit-learn's"):
        run(applications, tmp_path)


def test_distances_that_are_off_fail_the_stage(tmp_path, monkeypatch, few_dimensions):
    monkeypatch.setattr(measure, "squared_distances", lambda q, p: np.zeros((len(q), len(p))))
    with pytest.raises(ChocoError, match="point_major 3x20: encrypted distances are off by"):
        run(measure, tmp_path, few_dimensions)
