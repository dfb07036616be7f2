"""The recorded cycles against the machine itself."""

import numpy as np
import pandas as pd
import pytest

from models.recorded import open_recorded
from rtl.tb.measure import DEGREES, KEY_RESIDUES, OPERATIONS, Point, machine_build, measure
from rtl.tb.runner import RTL

DIRECTORY = RTL.parent / "results" / "recorded" / "rtl"
NAMES = ("cycles", "counters")
KEYS = list(Point.__dataclass_fields__)


@pytest.fixture(scope="module")
def recorded():
    store = open_recorded(DIRECTORY)
    return {name: pd.read_csv(store.file("machines", f"{name}.csv")) for name in NAMES}


@pytest.mark.parametrize("size", [(1024, 1), (2048, 3)])
def test_simulation_equals_record(recorded, size):
    cycles = recorded["cycles"].set_index(KEYS)["cycles"]
    counters = recorded["counters"].set_index([*KEYS, "counter"])["count"].sort_index()
    for point, counts in measure(machine_build("4x2"), *size, level="-O2"):
        key = tuple(vars(point).values())
        assert cycles[key] == counts["running"], point
        assert counters[key].to_dict() == counts, point


def test_every_machine_has_every_size_and_operation(recorded):
    cycles = recorded["cycles"]
    assert not cycles.duplicated(KEYS).any()
    sizes = cycles.groupby(["butterflies", "lanes"]).size()
    assert (sizes == len(DEGREES) * len(KEY_RESIDUES) * len(OPERATIONS)).all()


def test_more_butterflies_are_never_slower(recorded):
    two_lanes = recorded["cycles"].query("lanes == 2")
    table = two_lanes.pivot_table(index=KEYS[2:], columns="butterflies", values="cycles")
    assert (np.diff(table.to_numpy(), axis=1) <= 0).all()


def test_counters_do_not_exceed_the_cycles_of_the_operation(recorded):
    counters = recorded["counters"].query("counter.str.endswith('_busy')")
    merged = counters.merge(recorded["cycles"], on=KEYS)
    # The message unit may begin or end a few cycles off the command.
    assert (merged["count"] <= merged["cycles"] + 8).all()
