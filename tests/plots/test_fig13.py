import pandas as pd
import pytest

from plots import fig13, style


@pytest.fixture
def communication():
    def row(scheme, total, size, megabytes, supported, optimal):
        return {
            "scheme": scheme,
            "total_iterations": total,
            "iterations_per_set": size,
            "total_bytes": int(megabytes * 1e6),
            "hardware_compatible": supported,
            "optimal": optimal,
            "hardware_optimal": optimal and supported,
            "provenance": "SEAL 4.4.0",
        }

    return pd.DataFrame(
        [
            row("bfv", 2, 1, 0.4, True, True),
            row("bfv", 2, 2, 0.9, False, False),
            row("ckks", 2, 1, 0.3, True, False),
            row("ckks", 2, 2, 0.2, True, True),
        ]
    )


def test_dots_diamonds_and_hollow_dots_are_the_table(communication):
    (axes,) = fig13.figure(communication).axes
    drawn = {
        c.get_label(): [round(float(y), 6) for _, y in c.get_offsets()] for c in axes.collections
    }
    assert drawn["BFV, optimal client-aided"] == [0.4]
    assert drawn["BFV, larger N or k"] == [0.9]
    assert drawn["CKKS, optimal client-aided"] == [0.2]
    assert [v for k, v in drawn.items() if k.startswith("CKKS, N")] == [[0.3]]
    hollow = next(c for c in axes.collections if c.get_label() == "BFV, larger N or k")
    assert len(hollow.get_facecolor()) == 0
    assert axes.get_yscale() == "log"


def test_an_optimum_that_the_accelerator_does_not_support_has_a_small_one_beside_it(communication):
    communication.loc[1, ["total_bytes", "optimal"]] = [100_000, True]
    communication.loc[0, "optimal"] = False
    drawn = fig13.figure(communication)
    (small,) = [c for c in drawn.axes[0].collections if "BFV, optimal at" in c.get_label()]
    assert [float(y) for _, y in small.get_offsets()] == pytest.approx([0.4])
    footnote = drawn._supxlabel.get_text()
    assert "8192, k \N{LESS-THAN OR EQUAL TO} 3: 1 of 2." in footnote
    assert footnote.endswith("largest set: BFV 2, CKKS 2.")


def test_a_reduced_profile_is_named(communication):
    full = fig13.figure(communication)
    quick = fig13.figure(communication, "quick")
    assert "Profile quick" not in full._supxlabel.get_text()
    assert "Profile quick" in quick._supxlabel.get_text()


def test_files_are_byte_identical(communication, tmp_path):
    for run in ("first", "second"):
        paths = [tmp_path / run / f"fig13.{suffix}" for suffix in ("pdf", "png", "svg")]
        style.save(fig13.figure(communication), *paths)
    for path in paths:
        assert path.read_bytes() == (tmp_path / "first" / path.name).read_bytes()
