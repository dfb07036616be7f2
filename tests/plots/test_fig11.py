import numpy as np
import pandas as pd
import pytest

from models.distance_schema import kernel_name
from plots import fig11, style

PACKINGS = list(fig11._PACKINGS)
SHAPES = [(16, 256), (2, 64)]


@pytest.fixture
def tables():
    cases = [(packing, *shape) for shape in SHAPES for packing in PACKINGS]
    kernels = pd.DataFrame(cases, columns=["packing", "dimensions", "points"]).assign(
        profile="full", provenance="SEAL 4.4.0"
    )
    kernels["communication_bytes"] = 1e6 * (1 + np.arange(len(kernels)))
    timings = pd.DataFrame(
        [
            {"layer": kernel_name(*case), "phase": phase, "time_s": time_s}
            for index, case in enumerate(cases)
            for phase, time_s in (
                ("server", index + 1.0),
                ("server", index + 1.5),
                ("server", 99.0),
                ("encrypt", 0.001),
            )
        ]
    )
    client = pd.DataFrame(
        [
            (*case, system, component, time_s, "recorded gem5")
            for case in cases
            for system, time_s in (("choco_software", 2.0), ("choco_taco", 0.02))
            for component in ("encrypt", "decrypt", "communication")
        ],
        columns=[*kernels.columns[:3], "system", "component", "time_s", "provenance"],
    )
    return kernels, timings, client


def drawn_values(axes):
    return [line.get_ydata() for line in axes.lines if line.get_marker() != "None"]


def test_panels_show_medians_computing_time_and_megabytes(tables):
    server, client, communication = fig11.figure(*tables).axes
    # shapes are sorted, so the second one given comes first
    np.testing.assert_allclose(drawn_values(server)[0], [6.5, 1.5])
    np.testing.assert_allclose(drawn_values(communication)[4], [10, 5])
    assert len(drawn_values(client)) == 2 * len(PACKINGS)
    np.testing.assert_allclose(drawn_values(client)[0], 4)
    np.testing.assert_allclose(drawn_values(client)[-1], 0.04)
    labels = [label.get_text() for label in communication.get_xticklabels()]
    assert labels == ["2 x 64", "16 x 256"]
    assert all(axes.get_yscale() == "log" for axes in (server, client, communication))


def footnote(figure):
    return figure._supxlabel.get_text()


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_system_without_costs_is_not_yet(tables):
    kernels, timings, client = tables
    everything = fig11.figure(kernels, timings, client)
    assert "not yet" not in footnote(everything)
    assert "hollow: CHOCO-TACO" in legend(everything)
    software = fig11.figure(kernels, timings, client[client.system == "choco_software"])
    assert "Client time with CHOCO-TACO: not yet" in footnote(software)
    assert "hollow: CHOCO-TACO" not in legend(software)
    nothing = fig11.figure(kernels, timings, client[:0])
    assert "Client time with software and CHOCO-TACO: not yet" in footnote(nothing)


def test_the_quick_profile_is_shown(tables):
    kernels, timings, client = tables
    assert "Quick profile" not in footnote(fig11.figure(kernels, timings, client))
    quick = fig11.figure(kernels.assign(profile="quick"), timings, client)
    assert "Quick profile: at most 256 points." in footnote(quick)


def test_every_file_can_be_written(tables, tmp_path):
    paths = [tmp_path / f"fig11.{suffix}" for suffix in ("pdf", "png", "svg")]
    style.save(fig11.figure(*tables), *paths)
    assert all(path.stat().st_size > 1000 for path in paths)
