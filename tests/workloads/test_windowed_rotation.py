"""Windowed rotations in sequence on real ciphertexts."""

import pytest

from models.config import Config
from models.config.workloads import Permutation
from models.errors import ChocoError
from models.permutation_schema import WINDOWED_ROTATION, WINDOWED_ROTATION_TIMINGS
from models.stage import Job
from models.tables import read_table
from workloads import he, windowed_rotation


@pytest.fixture(autouse=True)
def fresh_entropy():
    yield
    he.unseed()


def run(directory, **study):
    sets = {"B": Config().parameter_sets["B"]}
    study = Permutation(parameter_sets=("B",), **({"windows": (12, 16), "rotations": 9} | study))
    settings = windowed_rotation.Settings(seed=1, parameter_sets=sets, permutation=study)
    outputs = {name: directory / f"{name}.csv" for name in ("rotations", "timings")}
    windowed_rotation.stage(Job(settings, {}, outputs))
    return outputs


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    return run(tmp_path_factory.mktemp("rotations"))


def test_the_table_repeats_and_windows_are_independent(outputs, tmp_path):
    assert run(tmp_path)["rotations"].read_bytes() == outputs["rotations"].read_bytes()
    alone = read_table(run(tmp_path, windows=(16,))["rotations"], WINDOWED_ROTATION)
    both = read_table(outputs["rotations"], WINDOWED_ROTATION)
    assert both[both["window_slots"] == 16].reset_index(drop=True).equals(alone)


def test_masking_uses_the_budget_up_and_redundancy_does_not(outputs):
    table = read_table(outputs["rotations"], WINDOWED_ROTATION).set_index("method")
    masking, redundancy = table.loc["masking"], table.loc["redundancy"]
    assert masking.groupby("window_slots")["budget_bits"].min().eq(0).all()
    assert masking["consecutive"].max() < 5
    assert redundancy["consecutive"].max() == 9
    first = redundancy.query("consecutive == 1")["budget_bits"].min()
    assert redundancy.query("consecutive == 9")["budget_bits"].min() > first - 5
    assert (redundancy["rotations"] == (redundancy["consecutive"] > 0)).all()


def test_prediction_is_within_two_bits(outputs):
    table = read_table(outputs["rotations"], WINDOWED_ROTATION)
    assert (table["predicted_bits"] - table["budget_bits"]).between(-1, 3).all()


def test_times_are_in_their_own_table(outputs):
    timings = read_table(outputs["timings"], WINDOWED_ROTATION_TIMINGS)
    assert len(timings) == 4
    assert (timings["time_min_s"] <= timings["time_s"]).all()


def test_a_wrong_result_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(windowed_rotation, "roll", lambda values, step: values)
    with pytest.raises(ChocoError, match="decrypts wrongly"):
        run(tmp_path)
