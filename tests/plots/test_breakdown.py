import pandas as pd
import pytest

from models.accelerator.machine import MODULES
from models.config import Config
from plots import breakdown, style

SET_A = Config().parameter_sets["A"]
KEY = {
    "scheme": "bfv",
    "poly_modulus_degree": 8192,
    "coeff_modulus_bits": "58,58,59",
    "key_residues": 3,
    "provenance": "model",
}


@pytest.fixture
def shares():
    phases = {
        "encrypt": {"ntt": 60, "intt": 120, "addition": 20},
        "decrypt": {"ntt": 50, "decode": 50},
    }
    return pd.DataFrame(
        [
            KEY
            | {"operation": operation, "module": module, "phase": phase, "cycles": cycles}
            | {
                "energy_j": 10e-6,
                "logic_j": 4e-6,
                "clock_j": 3e-6,
                "memory_j": 2e-6,
                "leakage_j": 1e-6,
            }
            for operation, by_phase in phases.items()
            for phase, cycles in by_phase.items()
            for module in MODULES[:3]
        ]
    )


@pytest.fixture
def area():
    return pd.DataFrame(
        [
            KEY | {"module": module, "kind": kind, "part": kind, "count": 1, "area_m2": 1e-6}
            for module in MODULES
            for kind in ("logic", "memory")
        ]
    )


def test_phases_fill_the_whole_time(shares, area):
    time, *_ = breakdown.figure(shares, area, SET_A).axes
    heights = {}
    for bar in time.patches:
        place = round(bar.get_x() + bar.get_width() / 2)
        heights[place] = heights.get(place, 0) + bar.get_height()
    assert heights == {0: pytest.approx(100), 1: pytest.approx(100)}
    assert [t.get_text() for t in time.get_xticklabels()] == ["encrypt", "decrypt"]
    assert "INTT" in [t.get_text() for t in time.texts]


def test_bars_are_the_tables_in_print_units(shares, area):
    _, areas, energies = breakdown.figure(shares, area, SET_A).axes
    assert sum(bar.get_width() for bar in areas.patches) == pytest.approx(2 * len(MODULES))
    # Three modules of 10 uJ in each of the three phases of an encryption.
    assert sum(bar.get_width() for bar in energies.patches) == pytest.approx(90)
    assert [t.get_text().strip() for t in energies.texts][:4] == ["33%", "33%", "33%", "0%"]


def test_other_parameters_are_left_out(shares, area):
    other = pd.concat([shares, shares.assign(poly_modulus_degree=4096, cycles=1)])
    first, second = (
        [bar.get_height() for bar in breakdown.figure(table, area, SET_A).axes[0].patches]
        for table in (shares, other)
    )
    assert first == pytest.approx(second)


def test_files_are_byte_identical(shares, area, tmp_path):
    for run in ("first", "second"):
        paths = [tmp_path / run / f"breakdown.{suffix}" for suffix in ("pdf", "png", "svg")]
        style.save(breakdown.figure(shares, area, SET_A), *paths)
    for path in paths:
        assert path.read_bytes() == (tmp_path / "first" / path.name).read_bytes()
