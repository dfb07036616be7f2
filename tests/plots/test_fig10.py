import re

import pytest

from models.baselines import protocols
from models.baselines.protocols import CONFIDENCE
from models.communication import Ours, compare
from plots import fig10, style

OURS = {
    "MNIST": Ours("LeNetLg", 1_000_000, 7_000_000, "digits", 2_600_000, "SEAL 4.4.0"),
    "CIFAR-10": Ours("SqzNet", 5_000_000, 8_000_000, "seeded synthetic", 13_800_000, "SEAL 4.4.0"),
}


@pytest.fixture(scope="module")
def table():
    return compare(protocols.load(), OURS)


@pytest.fixture(scope="module")
def drawn(table):
    return fig10.figure(table)


def test_bars_are_the_compared_results_from_large_to_small_then_ours(table, drawn):
    for axes, (name, ours) in zip(drawn.axes, (("CIFAR-10", 5), ("MNIST", 1)), strict=True):
        compared = table[table["compared"] & (table["data_set"] == name)]
        sizes = sorted(compared["communication_bytes"].astype(float) / 1e6, reverse=True)
        assert [bar.get_width() for bar in axes.patches] == pytest.approx([*sizes, ours])
        assert axes.get_yticklabels()[-1].get_text() == "CHOCO"


def test_the_paper_is_a_hollow_marker_beside_ours(drawn):
    for axes, stated in zip(drawn.axes, (13.8, 2.6), strict=True):
        marker = axes.collections[-1]
        assert list(marker.get_offsets()[0]) == pytest.approx([stated, len(axes.patches) - 1])
        assert not marker.get_facecolor().size


def test_every_confidence_looks_different(table, drawn):
    looks = {}
    for axes, name in zip(drawn.axes, ("CIFAR-10", "MNIST"), strict=True):
        here = table[table["compared"] & (table["data_set"] == name)].set_index("protocol")
        for bar, label in zip(axes.patches[:-1], axes.get_yticklabels(), strict=False):
            look = (bar.get_facecolor(), bar.get_hatch(), str(bar.get_linestyle()))
            looks.setdefault(here.loc[label.get_text(), "confidence"], set()).add(look)
    assert set(looks) <= set(CONFIDENCE.values())
    assert len(looks) >= 3
    assert all(len(found) == 1 for found in looks.values())
    assert len(set.union(*looks.values())) == len(looks)


def test_labels_give_both_ratios(drawn):
    text = drawn.axes[0].texts[0].get_text()
    assert [re.sub("[^0-9,]", "", word) for word in text.split()] == [
        "40,683",
        ",",  # MB,
        "8,137",
        "2,948",
    ]


def test_what_has_no_number_is_named(drawn):
    note = drawn._supxlabel.get_text()
    assert "No published number found: DELPHI, SOTERIA, Cheetah, nGraph-HE2, CHET" in note
    assert "SqzNet: seeded synthetic" in note
    assert "evaluation keys, sent once for any number of inferences" in note
    assert "LeNetLg 7 MB" in note


def test_files_are_the_same_each_time(table, tmp_path):
    made = []
    for run in ("a", "b"):
        paths = [tmp_path / run / f"fig10.{suffix}" for suffix in ("pdf", "svg")]
        style.save(fig10.figure(table), *paths)
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
