import numpy as np
import pandas as pd
import pytest

from models.communication_schema import MICROBENCHMARK
from plots import fig15, style


@pytest.fixture(scope="module")
def layers():
    rows = [
        (MICROBENCHMARK, "a", 1, 4096, 196_608),
        (MICROBENCHMARK, "b", 3, 36_864, 196_608),
        ("VGG16", "conv1", 3, 2_000_000, 1_000_000),
        ("VGG16", "conv2", 3, 40_000_000, 1_000_000),
        ("SqzNet", "squeeze1", 1, 500_000, 500_000),
    ]
    table = pd.DataFrame(
        rows, columns=["workload", "layer", "kernel", "macs", "communication_bytes"]
    )
    return table.assign(
        macs_per_byte=table["macs"] / table["communication_bytes"], provenance="model layouts"
    )


@pytest.fixture(scope="module")
def drawn(layers):
    return fig15.figure(layers, 5.0)


def test_every_layer_is_a_point_of_macs_and_megabytes(layers, drawn):
    plane = drawn.axes[0]
    points = np.concatenate([group.get_offsets() for group in plane.collections])
    expected = layers[["macs", "communication_bytes"]].to_numpy() / [1, 1e6]
    np.testing.assert_allclose(points[points[:, 0].argsort()], expected[expected[:, 0].argsort()])
    assert (plane.get_xscale(), plane.get_yscale()) == ("log", "log")


def test_break_even_is_the_diagonal_of_its_density(drawn):
    (line,) = [line for line in drawn.axes[0].lines if line.get_label() == "break-even"]
    macs, megabytes = line.get_data()
    assert macs / (megabytes * 1e6) == pytest.approx([5, 5])


def test_bars_are_filled_where_a_layer_reaches_the_break_even(drawn):
    bars = {bar.get_y() + bar.get_height() / 2: bar for bar in drawn.axes[1].patches}
    names = [label.get_text() for label in drawn.axes[1].get_yticklabels()]
    ticks = drawn.axes[1].get_yticks()
    found = {
        name: (bars[y].get_width(), bars[y].get_facecolor()[:3] == (1, 1, 1))
        for name, y in zip(names, ticks, strict=True)
    }
    assert found == {"conv1": (2, True), "conv2": (40, False), "squeeze1": (1, True)}


def test_whole_networks_are_in_the_footnote(drawn):
    assert "VGG16 21, SqzNet 1" in drawn._supxlabel.get_text()


def test_files_are_the_same_each_time(layers, tmp_path):
    made = []
    for run in ("a", "b"):
        paths = [tmp_path / run / f"fig15.{suffix}" for suffix in ("pdf", "svg")]
        style.save(fig15.figure(layers, 5.0), *paths)
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
