"""The figure of Table 4: what it draws, where, and that its files repeat."""

import itertools

import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection

from models.noise_schema import STATES, TABLE4
from models.stage import Job
from models.tables import write_table
from plots import table4


def cell(state, measured, paper_bits=None, t=20, **changes):
    return {
        "poly_modulus_degree": 8192,
        "plain_modulus_bits": t,
        "coeff_modulus_bits": "58,58,59",
        "state": state,
        "budget_bits": measured,
        "budget_min_bits": int(measured),
        "budget_max_bits": int(measured),
        "predicted_bits": measured + 0.4,
        "before_3_4_3_bits": max(0.0, measured - t),
        "seal_3_4_2_bits": None if paper_bits is None else measured - t,
        "paper_bits": paper_bits,
        "provenance": "SEAL 4.4.0 + model noise",
        **changes,
    }


@pytest.fixture
def table():
    rows = [
        cell(state, budget, budget - t, t)
        for t, budgets in ((20, (88.0, 86.0, 61.0)), (23, (85.0, 83.0, 55.0)))
        for state, budget in zip(STATES, budgets, strict=True)
    ]
    return pd.DataFrame(rows)


def test_every_value_is_drawn_at_its_height(table):
    (axes,) = table4.figure(table).axes
    heights = [bar.get_height() for container in axes.containers for bar in container]
    for column in ("budget_bits", "before_3_4_3_bits"):
        assert set(table[column]) <= set(heights)
    markers = [d.get_offsets()[0, 1] for d in axes.collections if isinstance(d, PathCollection)]
    assert markers == list(table["paper_bits"])
    lines = [d.get_segments()[0][0, 1] for d in axes.collections if isinstance(d, LineCollection)]
    assert lines == list(table["predicted_bits"])
    printed = {text.get_text() for text in axes.texts}
    assert {f"{value:g}" for value in table["budget_bits"]} <= printed


def test_a_study_without_paper_values_shows_none():
    own = pd.DataFrame([cell("initial", 146.0, t=21)])
    drawn = table4.figure(own)
    assert not [d for d in drawn.axes[0].collections if isinstance(d, PathCollection)]
    assert "paper" not in [text.get_text() for text in drawn.legends[0].get_texts()]
    assert "3.4.2" not in drawn.get_supxlabel()


def test_no_two_texts_overlap(table):
    drawn = table4.figure(table)
    drawn.set_dpi(400)  # glyph widths are rounded to pixels
    drawn.draw_without_rendering()
    (axes,) = drawn.axes
    boxes = [t.get_window_extent() for t in (*axes.texts, *axes.get_xticklabels())]
    boxes += [drawn.legends[0].get_window_extent()]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_files_repeat_byte_for_byte(table, tmp_path, suffix):
    write_table(table, tmp_path / "table4.csv", TABLE4)
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        inputs = {"table4": tmp_path / "table4.csv"}
        table4.stage(Job(table4.Settings(), inputs, {suffix: file}))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size > 1000
