from pathlib import Path

import pandas as pd
import pytest

from models import paper
from models.stage import Job
from models.tables import write_table
from plots import table5
from workloads.dnn.infer import SUMMARY

PAPER = Path(__file__).parents[2] / "results/paper"
CLAIMS = paper.load(PAPER)


@pytest.fixture
def summary():
    row = dict.fromkeys(SUMMARY.columns, 1)
    row |= {
        "network": "LeNetSm",
        "parameter_set": "B",
        "data": "digits, test images",
        "weights": "digits",
        "convolutions": 2,
        "activations": 2,
        "poolings": 3,
        "macs": 242_560,
        "quantized_model_bytes": 2571,
        "upload_bytes": 393_216,
        "download_bytes": 196_608,
        "accuracy_float": 0.981,
        "weight_bits": 4,
        "activation_bits": 4,
        "provenance": "SEAL",
    }
    missing = dict.fromkeys(("accuracy", "accuracy_float", "accuracy_w8a8", "accuracy_w4a4"))
    synthetic = {"network": "VGG16", "weights": "synthetic", "data": "synthetic"} | missing
    return pd.DataFrame([row, row | synthetic]).assign(id=["lenet_sm", "vgg16"])


def texts(summary):
    return [text.get_text() for text in table5.figure(summary, CLAIMS).axes[0].texts]


def test_ours_and_the_papers_numbers_are_beside_each_other(summary):
    found = texts(summary)
    assert "2, 1, 2, 3" in found  # ours
    assert "2, 1, 2, 2" in found  # the paper's
    assert "0.59" in found
    assert f"{CLAIMS.value('table5_lenet_sm_communication'):.2f}" in found
    assert f"{CLAIMS.value('table5_vgg16_macs'):.2f}" in found
    assert "0.003" in found  # a small model is not zero
    assert "98.1" in found


def test_missing_accuracies_are_not_yet_and_synthetic_runs_are_named(summary):
    assert texts(summary).count("not yet") == 3
    footnote = table5.figure(summary, CLAIMS).get_supxlabel()
    assert "LeNetSm: trained on digits" in footnote
    assert "VGG16: synthetic weights and images" in footnote


def test_a_network_of_ones_own_has_no_values_of_the_paper(summary):
    assert "13.80" not in texts(summary.iloc[:1].assign(id="own"))


def test_files_are_byte_identical(summary, tmp_path):
    for index, name in enumerate(("lenet_sm", "vgg16")):
        write_table(summary.iloc[[index]], tmp_path / f"{name}.csv", SUMMARY)
    inputs = {name: tmp_path / f"{name}.csv" for name in ("lenet_sm", "vgg16")}
    for run in ("first", "second"):
        outputs = {suffix: tmp_path / run / f"table5.{suffix}" for suffix in ("pdf", "png", "svg")}
        table5.stage(Job(table5.Settings(), inputs | {"paper": PAPER}, outputs))
    for suffix, path in outputs.items():
        assert path.read_bytes() == (tmp_path / "first" / f"table5.{suffix}").read_bytes()
