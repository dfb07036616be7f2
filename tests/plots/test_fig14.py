from pathlib import Path

import pandas as pd
import pytest

from models import paper
from models.offload import INFERENCE
from models.stage import Job
from models.tables import write_table
from plots import fig14

PAPER = Path(__file__).parents[2] / "results/paper"
CLAIMS = paper.load(PAPER)


@pytest.fixture
def inference():
    def row(system, component, time_s, source="recorded gem5 24 2026-11-21"):
        return {
            "network": "LeNetSm",
            "weights": "scikit-learn digits",
            "system": system,
            "component": component,
            "time_s": time_s,
            "energy_j": time_s / 10,
            "provenance": source,
        }

    model = "model accelerator (preliminary)"
    return pd.DataFrame(
        [
            row("choco_software", "encrypt", 0.3),
            row("choco_software", "decrypt", 0.1),
            row("choco_software", "communication", 0.2),
            row("choco_taco", "encrypt", 0.003, model),
            row("choco_taco", "decrypt", 0.001, model),
            row("choco_taco", "communication", 0.2),
        ]
    )


def test_bars_are_stacked_to_the_total(inference):
    time, energy = fig14.figure(inference, CLAIMS).axes
    assert max(bar.get_x() + bar.get_width() for bar in time.patches) == pytest.approx(600)
    assert max(bar.get_x() + bar.get_width() for bar in energy.patches) == pytest.approx(60)
    assert "600 ms (400 ms computing)" in [text.get_text() for text in time.texts]
    assert "204 ms (4 ms computing)" in [text.get_text() for text in time.texts]


def test_local_inference_is_not_yet_until_it_has_rows(inference):
    time = fig14.figure(inference, CLAIMS).axes[0]
    assert [text.get_text() for text in time.texts].count("not yet") == 2
    local = inference.iloc[[2]].assign(system="local_tflite", component="local_compute")
    time = fig14.figure(pd.concat([inference, local]), CLAIMS).axes[0]
    texts = [text.get_text() for text in time.texts]
    assert texts.count("not yet") == 1
    assert "200 ms" in texts


def test_plain_operations_that_are_not_counted_are_told(inference):
    def footnote(table):
        return " ".join(text.get_text() for text in fig14.figure(table, CLAIMS).texts)

    assert "Not counted everywhere" in footnote(inference)
    plain = inference[inference.component == "encrypt"].assign(component="client_plain")
    assert "Not counted everywhere" not in footnote(pd.concat([inference, plain]))


def test_only_preliminary_parts_are_hatched(inference):
    time = fig14.figure(inference, CLAIMS).axes[0]
    assert sorted(bar.get_width() for bar in time.patches if bar.get_hatch()) == pytest.approx(
        [1, 3]
    )


def test_the_papers_communication_is_a_hollow_marker(inference):
    time, energy = fig14.figure(inference, CLAIMS).axes
    assert time.collections[0].get_offsets()[0][0] == pytest.approx(240)
    assert energy.collections[0].get_offsets()[0][0] == pytest.approx(2.4)
    unknown = fig14.figure(inference.assign(network="own"), CLAIMS).axes[0]
    assert not unknown.collections


def test_every_network_has_a_scale_of_its_own(inference):
    large = inference.assign(network="own", time_s=inference.time_s * 100)
    axes = fig14.figure(pd.concat([inference, large]), CLAIMS).axes
    assert [panel.get_title(loc="left") for panel in axes[::2]] == ["LeNetSm", "own"]
    assert axes[2].get_xlim()[1] == pytest.approx(100 * axes[0].get_xlim()[1])
    assert "60,000 ms (40,000 ms computing)" in [text.get_text() for text in axes[2].texts]


def test_synthetic_weights_are_named(inference):
    assert "synthetic" not in fig14.figure(inference, CLAIMS).get_supxlabel()
    other = inference.assign(network="VGG16", weights="seeded synthetic")
    drawn = fig14.figure(pd.concat([inference, other]), CLAIMS)
    assert "VGG16: with synthetic weights" in drawn.get_supxlabel()


def test_files_are_byte_identical(inference, tmp_path):
    write_table(inference, tmp_path / "inference.csv", INFERENCE)
    inputs = {"inference": tmp_path / "inference.csv", "paper": PAPER}
    suffixes = ("pdf", "png", "svg")
    for run in ("first", "second"):
        outputs = {suffix: tmp_path / run / f"fig14.{suffix}" for suffix in suffixes}
        fig14.stage(Job(fig14.Settings(), inputs, outputs))
    for suffix, path in outputs.items():
        assert path.read_bytes() == (tmp_path / "first" / f"fig14.{suffix}").read_bytes()
