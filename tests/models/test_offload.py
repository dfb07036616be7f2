from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import comparison, offload
from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.client.inference import LOCAL_INFERENCE
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.platform import CkksSoftware, Client, Radio
from models.errors import ChocoError
from models.link import transfer_energy_j, transfer_time_s
from models.parameters import ModulusChain
from models.stage import Job
from models.tables import read_table, write_table

SET_B = Config().parameter_sets["B"]
POINTS = (
    ModulusChain(poly_modulus_degree=2048, coeff_modulus_bits=(54,)),
    ModulusChain(poly_modulus_degree=4096, coeff_modulus_bits=(36, 36, 37)),
)


def rows(costs, point, **columns):
    """One row per operation: seconds as given, joules a tenth of them."""
    return pd.DataFrame(
        [
            {
                "scheme": "bfv",
                "poly_modulus_degree": point.poly_modulus_degree,
                "coeff_modulus_bits": ",".join(map(str, point.coeff_modulus_bits)),
                "key_residues": len(point.coeff_modulus_bits),
                "operation": operation,
                "cycles": 1,
                "time_s": time_s,
                "energy_j": time_s / 10,
                **columns,
            }
            for operation, time_s in costs.items()
        ]
    )


def software(point=POINTS[1]):
    costs = {"encode": 1.0, "encrypt": 20.0, "decrypt": 8.0, "decode": 2.0}
    return rows(costs, point, seal_version="3.4.5", instructions=1, provenance="recorded gem5")


def accelerator(*points, **columns):
    known = {"power_w": 0.1, "area_m2": 1e-5, "provenance": "model"} | dict.fromkeys(
        ("random_average_bytes_per_s", "random_peak_bytes_per_s"), None
    )
    return pd.concat(
        [rows({"encrypt": 0.1, "decrypt": 0.2}, p, **known, **columns) for p in points or POINTS],
        ignore_index=True,
    )


def local():
    """Costs on the client itself, joules a tenth of the seconds."""

    def row(layer, operation, dtype, time_s, network="LeNetSm"):
        return {
            "network": network,
            "layer": layer,
            "operation": operation,
            "dtype": dtype,
            "macs": 1,
            "cycles": 1,
            "time_s": time_s,
            "energy_j": time_s / 10,
            "macs_per_cycle": 1.0,
            "provenance": "recorded fast model",
        }

    return pd.DataFrame(
        [
            row("4096 slots", "pack", "int32", 0.01, network="any"),
            row("4096 slots", "unpack", "int32", 0.02, network="any"),
            row("conv1", "convolution", "float32", 5.0),
            row("conv1", "max_pool", "float32", 1.0),
            row("conv1", "convolution", "int8", 2.0),
            row("conv1", "relu", "int32", 0.3),
            row("conv1", "requantize", "int32", 0.4),
        ]
    )


@pytest.fixture
def summary():
    return pd.DataFrame(
        {
            "network": ["LeNetSm"],
            "weights": ["scikit-learn digits"],
            "parameter_set": ["B"],
            "encryptions": [3],
            "decryptions": [2],
            "upload_bytes": [400_000],
            "download_bytes": [150_000],
            "provenance": ["SEAL"],
        }
    )


@given(st.floats(0, 1e12), st.floats(1, 1e12), st.floats(1e-6, 1e3))
def test_link_time_and_energy(size, rate, power):
    radio = Radio(bit_rate_bps=rate, power_w=power)
    assert transfer_time_s(size, radio) * rate == pytest.approx(8 * size)
    assert transfer_energy_j(size, radio) == pytest.approx(transfer_time_s(size, radio) * power)


def test_the_papers_radio_on_the_papers_lenet():
    # CHOCO, Section 5.7 and Table 5: 0.66 MB over 22 Mbit/s at 10 mW.
    assert transfer_time_s(0.66e6, Radio()) == pytest.approx(0.24)
    assert transfer_energy_j(0.66e6, Radio()) == pytest.approx(2.4e-3)


def test_scaling_has_software_rows_only_where_there_is_a_run():
    table = comparison.encryption_scaling(software(), accelerator(), POINTS, "3.4.5")
    here = table.groupby(["poly_modulus_degree", "platform"]).size().to_dict()
    assert here == {(2048, "accelerator"): 2, (4096, "accelerator"): 2, (4096, "software"): 2}
    other = comparison.encryption_scaling(software(), accelerator(), POINTS, "4.4.3")
    assert set(other.platform) == {"accelerator"}


def test_gains_are_quotients_of_the_tables():
    table = comparison.comparison(software(), accelerator(), POINTS, "3.4.5")
    large = table[table.poly_modulus_degree == 4096].set_index("quantity")
    assert large.value["encrypt_speedup"] == pytest.approx(20 / 0.1)
    assert large.value["encode_encrypt_speedup"] == pytest.approx(21 / 0.1)
    assert large.value["decrypt_decode_energy_gain"] == pytest.approx(10 / 0.2)
    assert large.value["max_encrypt_speedup"] == large.value["encrypt_speedup"]
    assert large.value["accelerator_power"] == pytest.approx(0.1)
    assert set(large.scheme) == {"bfv"}
    assert large.provenance["encrypt_speedup"] == "recorded gem5 + model"
    small = table[table.poly_modulus_degree == 2048]
    assert not small.quantity.str.contains("speedup|gain").any()


def test_ckks_gains_include_coding_on_both_sides():
    shares = CkksSoftware(encode_transform_share=0.5, decode_transform_share=0.25)
    costs = {"encode": 0.6, "encrypt": 0.4, "decrypt": 0.2, "decode": 1.8}
    hardware = rows(costs, POINTS[1], provenance="model").assign(scheme="ckks")
    table = comparison.ckks_comparison(
        software().assign(scheme="ckks"), hardware, shares, "3.4.5"
    ).set_index("quantity")
    assert table.value["encode_encrypt_speedup"] == pytest.approx(21 / 1)
    assert table.value["decrypt_decode_speedup"] == pytest.approx(10 / 2)
    assert table.value["encode_encrypt_supported_share"] == pytest.approx(1 - 0.5 / 21)
    assert table.value["decrypt_decode_supported_share"] == pytest.approx(1 - 1.5 / 10)
    assert set(table.scheme) == {"ckks"}
    uncoded = hardware[hardware.operation.isin(["encrypt", "decrypt"])]
    assert comparison.ckks_comparison(software(), uncoded, shares, "3.4.5").empty


def test_ckks_coding_is_charged_to_the_accelerator_too(summary):
    ckks = Config().parameter_sets["C"]
    costs = {"encode": 0.6, "encrypt": 0.4, "decrypt": 0.2, "decode": 1.8}
    hardware = rows(costs, ckks, provenance="model").assign(scheme="ckks")
    soft = software(ckks).assign(scheme="ckks")
    table = offload.client_costs(summary.iloc[0], ckks, soft, hardware, Radio())
    taco = table[table.system == "choco_taco"].set_index("component")
    assert taco.time_s["encrypt"] == pytest.approx(3 * 1.0)
    assert taco.time_s["decrypt"] == pytest.approx(2 * 2.0)
    uncoded = hardware[hardware.operation.isin(["encrypt", "decrypt"])]
    table = offload.client_costs(summary.iloc[0], ckks, soft, uncoded, Radio())
    assert set(table.system) == {"choco_software"}


def test_a_point_without_accelerator_costs_is_an_error():
    with pytest.raises(ChocoError, match="lack N = 4096"):
        comparison.comparison(software(), accelerator(POINTS[0]), POINTS, "3.4.5")


def test_inference_is_counts_times_costs(summary):
    table = offload.inference_costs(
        summary.iloc[0],
        SET_B,
        software(),
        accelerator(),
        Radio(bit_rate_bps=1e6, power_w=0.5),
        local(),
    ).set_index(["system", "component"])
    assert table.time_s["choco_software", "encrypt"] == pytest.approx(3 * 21)
    assert table.energy_j["choco_software", "decrypt"] == pytest.approx(2 * 1.0)
    assert table.time_s["choco_taco", "encrypt"] == pytest.approx(3 * 0.1)
    assert table.time_s["choco_taco", "decrypt"] == pytest.approx(2 * 0.2)
    for system in ("choco_software", "choco_taco"):
        assert table.time_s[system, "communication"] == pytest.approx(4.4)
        assert table.energy_j[system, "communication"] == pytest.approx(2.2)
        # 3 packed, 2 unpacked, and what is between the layers.
        assert table.time_s[system, "client_plain"] == pytest.approx(3 * 0.01 + 2 * 0.02 + 0.7)
        assert table.energy_j[system, "client_plain"] == pytest.approx(0.077)
    assert table.time_s["local_tflite", "local_compute"] == pytest.approx(5 + 1)
    assert table.energy_j["local_int8", "local_compute"] == pytest.approx(0.2)
    assert len(table) == 2 * 4 + 2


@pytest.mark.parametrize("other", [{"network": "VGG16"}, {"layer": "8192 slots"}])
def test_what_was_not_measured_has_no_rows(summary, other):
    # Another network or another number of slots than the workload's.
    costs = local()
    costs.loc[
        costs.network.eq("any") if "layer" in other else costs.network.ne("any"), [*other]
    ] = next(iter(other.values()))
    table = offload.inference_costs(
        summary.iloc[0], SET_B, software(), accelerator(), Radio(), costs
    )
    assert "client_plain" not in set(table.component)
    assert table.system.str.startswith("local").any() == ("layer" in other)


def test_parameters_without_a_software_run_have_no_software_rows(summary):
    table = offload.inference_costs(
        summary.iloc[0], SET_B, software(POINTS[0]), accelerator(), Radio(), local()
    )
    assert set(table.system) == {"choco_taco", "local_tflite", "local_int8"}


def offload_job(tmp_path: Path, summary):
    client = tmp_path / "client.csv"
    write_table(software(), client, CLIENT_OPERATIONS)
    write_table(accelerator(), tmp_path / "accelerator.csv", ACCELERATOR_OPERATIONS)
    write_table(local(), tmp_path / "local.csv", LOCAL_INFERENCE)
    summary.to_csv(tmp_path / "summary.csv", index=False)
    synthetic = {"network": "VGG16", "weights": "seeded synthetic", "encryptions": 30}
    summary.assign(**synthetic).to_csv(tmp_path / "second.csv", index=False)
    return Job(
        offload.Settings(),
        {name: tmp_path / f"{name}.csv" for name in ("client", "accelerator", "local")}
        | {"lenet_sm": tmp_path / "summary.csv", "vgg16": tmp_path / "second.csv"},
        {"inference": tmp_path / "inference.csv"},
    )


def test_the_stages_write_checked_tables(tmp_path, summary):
    job = offload_job(tmp_path, summary)
    offload.stage(job)
    table = read_table(job.outputs["inference"], offload.INFERENCE)
    assert list(dict.fromkeys(table.network)) == ["LeNetSm", "VGG16"]
    # LeNetSm with plain operations and local inference, VGG16 without: it was not measured.
    assert table.network.value_counts().to_dict() == {"LeNetSm": 2 * 4 + 2, "VGG16": 2 * 3}
    encrypt = table[table.component == "encrypt"].set_index(["network", "system"]).time_s
    ratio = encrypt["VGG16", "choco_taco"] / encrypt["LeNetSm", "choco_taco"]
    assert ratio == pytest.approx(10)
    assert set(table[table.network == "VGG16"].weights) == {"seeded synthetic"}
    outputs = {name: tmp_path / f"{name}.csv" for name in ("scaling", "comparison")}
    settings = comparison.Settings(scaling_points=POINTS, client=Client())
    comparison.stage(Job(settings, job.inputs, outputs))
    read_table(outputs["scaling"], comparison.ENCRYPTION_SCALING)
    read_table(outputs["comparison"], comparison.COMPARISON)


def test_an_unknown_parameter_set_is_an_error(tmp_path, summary):
    job = offload_job(tmp_path, summary.assign(parameter_set="Z"))
    with pytest.raises(ChocoError, match="parameter set 'Z' is not in the configuration"):
        offload.stage(job)
