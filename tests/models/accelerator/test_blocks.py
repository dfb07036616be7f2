import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.accelerator.blocks import BLOCKS, BlockTable, load_blocks
from models.config import platform
from models.errors import ChocoError
from models.recorded import open_recorded

from .conftest import RECORDED


def row(block, parameters, scale, **changes):
    costs = {
        "cells": 10,
        "area_m2": 1e-9 * scale,
        "min_period_s": 4e-9,
        "leakage_w": 1e-6 * scale,
        "active_energy_j": 1e-12 * scale,
        "idle_energy_j": 1e-13 * scale,
    }
    names = {"library": "A", "stage": "synthesis", "activity": "bench", "provenance": "recorded A"}
    return {"block": block, "parameters": parameters, **names, **costs, **changes}


TABLE = pd.DataFrame(
    [
        *(row("adder", f"Lanes={lanes}", 3 + 2 * lanes) for lanes in (1, 2, 4)),
        *(
            row("switch", f"DataLayers={layers};Lanes={lanes}", (1 + layers) * lanes)
            for layers in (1, 2)
            for lanes in (1, 2, 4)
        ),
        row("one", "Lanes=2", 6),
        row("sampler", "ClippedNormal=0", 3),
        row("host", None, 5),
        row("host", None, 9, stage="post_route"),
        row("host", None, 7, library="B"),
    ]
)


@settings(deadline=None)
@given(st.lists(st.integers(1, 64), min_size=1, max_size=20))
def test_repeated_parts_cost_linearly(lanes):
    costs = BlockTable(TABLE, "A").costs("adder", Lanes=np.array(lanes))
    assert costs.area_m2 == pytest.approx(1e-9 * (3 + 2 * np.array(lanes)))
    assert (costs.min_period_s == 4e-9).all()


def test_with_one_recorded_size_cost_is_proportional():
    costs = BlockTable(TABLE, "A").costs("one", Lanes=np.array([1, 2, 8]))
    assert costs.leakage_w == pytest.approx([3e-6, 6e-6, 24e-6])
    assert costs.min_period_s == pytest.approx(4e-9)


def test_two_repeated_parameters_and_shapes():
    lanes, layers = np.array([1, 3, 8])[:, None], np.array([1, 2, 15])
    costs = BlockTable(TABLE, "A").costs("switch", Lanes=lanes, DataLayers=layers)
    assert costs.leakage_w == pytest.approx(1e-6 * (1 + layers) * lanes)
    assert costs.active_energy_j.shape == (3, 3)


def test_library_and_stage_choose_the_rows():
    for library, stage, scale in (
        ("A", "synthesis", 5),
        ("A", "post_route", 9),
        ("B", "synthesis", 7),
    ):
        costs = BlockTable(TABLE, library, stage).costs("host")
        assert costs.area_m2 == pytest.approx(1e-9 * scale)


@pytest.mark.parametrize(
    ("block", "sizes", "message"),
    [
        ("adder", {}, "give Lanes, recorded at several values"),
        ("adder", {"Butterflies": 1}, "has no parameter 'Butterflies'"),
        ("sampler", {"ClippedNormal": 1}, "not recorded at ClippedNormal = 1: 0"),
        (
            "dyadic",
            {"Lanes": 2},
            "no block 'dyadic' .*recorded are: adder, host, one, sampler, switch",
        ),
    ],
)
def test_what_was_not_recorded_is_refused(block, sizes, message):
    with pytest.raises(ChocoError, match=message):
        BlockTable(TABLE, "A").costs(block, **sizes)


def test_an_unknown_library_is_refused():
    with pytest.raises(
        ChocoError, match="no block of library 'C' at synthesis; recorded are: A at"
    ):
        BlockTable(TABLE, "C")


def test_the_recorded_table_fits_its_schema_and_has_what_machines_are_made_of():
    store = open_recorded(RECORDED / "synthesis")
    table = load_blocks(store, platform.Technology().library)
    assert table.costs("taco_ntt", Butterflies=np.array([1, 4])).area_m2.shape == (2,)
    BLOCKS.validate(pd.read_csv(RECORDED / "synthesis/blocks.csv"))
