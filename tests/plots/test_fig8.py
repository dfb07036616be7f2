from pathlib import Path

import pandas as pd
import pytest

from models import paper
from models.config.platform import Client
from plots import fig8, style

CLAIMS = paper.load(Path(__file__).parents[2] / "results/paper")


@pytest.fixture
def scaling():
    def row(n, bits, platform, time_s, source):
        return {
            "poly_modulus_degree": n,
            "key_residues": len(bits.split(",")),
            "coeff_modulus_bits": bits,
            "platform": platform,
            "operation": "encrypt",
            "time_s": time_s,
            "energy_j": time_s / 10,
            "provenance": source,
        }

    model = "model accelerator + recorded DESTINY"
    return pd.DataFrame(
        [
            row(1024, "27", "accelerator", 1e-4, model),
            row(8192, "58,58,59", "software", 0.2, "recorded gem5 24 2026-11-21"),
            row(8192, "58,58,59", "accelerator", 1e-3, model),
            row(8192, "43,43,44,44,44", "accelerator", 1e-3, model),
        ]
    )


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_bars_are_the_table_in_print_units(scaling):
    drawn = fig8.figure(scaling, CLAIMS, Client())
    time, energy = drawn.axes
    assert sorted(bar.get_height() for bar in time.patches) == pytest.approx([0.1, 1, 1, 200])
    assert sorted(bar.get_height() for bar in energy.patches) == pytest.approx([0.01, 0.1, 0.1, 20])
    assert [t.get_text() for t in time.get_xticklabels()] == ["1024\n1", "8192\n3", "8192\n5"]


def test_predicted_software_is_hatched_and_nothing_else(scaling):
    predicted = scaling.replace("recorded gem5 24 2026-11-21", "model core")
    for table, expected in ((scaling, False), (predicted, True)):
        drawn = fig8.figure(table, CLAIMS, Client())
        hatched = {bar.get_height(): bool(bar.get_hatch()) for bar in drawn.axes[0].patches}
        assert hatched == {height: expected and height > 100 for height in hatched}
        labels = [text.get_text() for text in drawn.legends[0].get_texts()]
        assert ("predicted" in labels) == expected


def test_missing_software_is_marked_and_the_gain_is_printed(scaling):
    time = fig8.figure(scaling, CLAIMS, Client()).axes[0]
    assert texts(time).count("not yet") == 2
    assert "200\N{MULTIPLICATION SIGN}" in texts(time)


def test_the_papers_values_are_hollow_markers_at_its_point(scaling):
    time, energy = fig8.figure(scaling, CLAIMS, Client()).axes
    for axes, values in ((time, (275.22, 0.66)), (energy, (74.05, 0.1228))):
        drawn = [float(c.get_offsets()[0][1]) for c in axes.collections]
        assert drawn == pytest.approx(values, rel=1e-3)
        assert all(len(c.get_facecolor()) == 0 for c in axes.collections)
    assert not fig8.figure(scaling[:1], CLAIMS, Client()).axes[0].collections


def test_files_are_byte_identical(scaling, tmp_path):
    for run in ("first", "second"):
        paths = [tmp_path / run / f"fig8.{suffix}" for suffix in ("pdf", "png", "svg")]
        style.save(fig8.figure(scaling, CLAIMS, Client()), *paths)
    for path in paths:
        assert path.read_bytes() == (tmp_path / "first" / path.name).read_bytes()
