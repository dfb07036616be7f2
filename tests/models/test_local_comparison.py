"""Encrypted inference beside local inference."""

import pandas as pd
import pytest

from models import local_comparison
from models.local_comparison import LOCAL_COMPARISON
from models.offload import INFERENCE
from models.stage import Job
from models.tables import read_table, write_table


def table(network, times, power=2.0):
    return pd.DataFrame(
        [
            {
                "network": network,
                "weights": "w",
                "system": system,
                "component": component,
                "time_s": time_s,
                "energy_j": time_s * power,
                "provenance": "run",
            }
            for (system, component), time_s in times.items()
        ]
    )


FULL = {
    ("choco_software", "encrypt"): 60.0,
    ("choco_software", "decrypt"): 30.0,
    ("choco_software", "client_plain"): 10.0,
    ("choco_software", "communication"): 5.0,
    ("choco_taco", "encrypt"): 0.6,
    ("choco_taco", "decrypt"): 0.3,
    ("choco_taco", "client_plain"): 1.1,
    ("choco_taco", "communication"): 5.0,
    ("local_tflite", "local_compute"): 10.0,
    ("local_int8", "local_compute"): 4.0,
}


def test_ratios():
    result = local_comparison.local_comparison(table("a", FULL))
    by = result.set_index(["network", "local_system"])
    own = by.loc[("a", "local_tflite")]
    assert own.software_over_local == pytest.approx(10)
    assert own.local_over_accelerator == pytest.approx(5)
    assert own.software_over_accelerator == pytest.approx(50)
    assert own.communication_over_local == pytest.approx(0.5)
    assert own.energy_saving == pytest.approx(1 - 7 / 10)
    assert by.energy_saving["a", "local_int8"] == pytest.approx(1 - 7 / 4)


def test_mean_and_largest_are_over_networks():
    twice = {key: value * (2 if key[0] == "local_tflite" else 1) for key, value in FULL.items()}
    both = pd.concat([table("a", FULL), table("b", twice)])
    by = local_comparison.local_comparison(both).set_index(["network", "local_system"])
    assert by.local_over_accelerator["mean", "local_tflite"] == pytest.approx(7.5)
    assert by.local_over_accelerator["largest", "local_tflite"] == pytest.approx(10)


def test_without_plain_operations_there_is_no_ratio():
    part = {key: value for key, value in FULL.items() if key[1] != "client_plain"}
    row = local_comparison.local_comparison(table("a", part)).iloc[0]
    assert pd.isna(row.software_over_local) and pd.isna(row.energy_saving)
    assert row.communication_over_local == pytest.approx(0.5)


def test_the_stage_without_local_inference_writes_an_empty_table(tmp_path):
    part = {key: value for key, value in FULL.items() if not key[0].startswith("local")}
    write_table(table("a", part), tmp_path / "inference.csv", INFERENCE)
    inputs = {"inference": tmp_path / "inference.csv"}
    outputs = {"comparison": tmp_path / "comparison.csv"}
    local_comparison.stage(Job(local_comparison.Settings(), inputs, outputs))
    assert read_table(outputs["comparison"], LOCAL_COMPARISON).empty
