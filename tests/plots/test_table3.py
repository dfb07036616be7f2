"""The figure of Table 3: its cells, the marked contradiction, and that its files repeat."""

import itertools
from pathlib import Path

import pandas as pd
import pytest

from models.parameters import ParameterSet
from models.sizes_schema import TABLE3
from models.stage import Job
from models.tables import read_table
from plots import style, table3
from workloads import serialized_sizes

PAPER = Path(__file__).parents[2] / "results" / "paper"
LARGEST = ParameterSet(
    scheme="bfv",
    poly_modulus_degree=32768,
    coeff_modulus_bits=(55,) * 15 + (56,),
    plain_modulus_bits=20,
)


def sizes(path, **settings):
    job = Job(serialized_sizes.Settings(**settings), {"paper": PAPER}, {"table3": path})
    serialized_sizes.stage(job)
    return read_table(path, TABLE3)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return sizes(tmp_path_factory.mktemp("table3") / "table3.csv")


def texts(drawn):
    return [text.get_text() for text in drawn.axes[0].texts]


def test_numbers_of_every_set_are_printed(table):
    printed = texts(table3.figure(table))
    for column in ("ciphertext_bytes", "serialized_bytes", "public_key_bytes", "galois_key_bytes"):
        for value in table[column]:
            assert f"{value:,}" in printed
    assert printed.count("C") == 2


def test_only_the_papers_contradiction_is_marked(table):
    marked = [t for t in table3.figure(table).axes[0].texts if t.get_color() == style.VERMILION]
    assert [text.get_text() for text in marked] == ["\N{NOT EQUAL TO} 140"]


def test_a_set_that_the_paper_lacks_has_dashes(tmp_path):
    one = ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, coeff_modulus_bits=(54,), plain_modulus_bits=16
    )
    own = sizes(tmp_path / "t.csv", parameter_sets={"one prime": one})
    assert texts(table3.figure(own)).count("\N{EN DASH}") == 3  # log2 q, ciphertext, Galois key


def test_no_two_cells_overlap(table, tmp_path):
    wide = sizes(tmp_path / "t.csv", parameter_sets={"largest": LARGEST})
    drawn = table3.figure(pd.concat([table, wide]))
    drawn.set_dpi(400)  # glyph widths are rounded to pixels
    drawn.draw_without_rendering()
    boxes = [text.get_window_extent() for text in drawn.axes[0].texts]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_files_repeat_byte_for_byte(table, tmp_path, suffix):
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        style.save(table3.figure(table), file)
    assert files[0].read_bytes() == files[1].read_bytes()
