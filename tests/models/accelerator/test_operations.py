import pandas as pd
import pytest

from models.accelerator.operations import (
    ACCELERATOR_AREA,
    ACCELERATOR_BREAKDOWN,
    ACCELERATOR_OPERATIONS,
    Settings,
    model_points,
    operation_tables,
    stage,
)
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.config.platform import Accelerator, CkksSoftware
from models.memory.arrays import SRAM_ARRAYS
from models.memory.table import recorded_arrays
from models.parameters import ModulusChain
from models.recorded import MANIFEST
from models.stage import Job
from models.tables import read_table, write_table

from .conftest import RECORDED

POINT = ["scheme", "poly_modulus_degree", "coeff_modulus_bits", "operation"]
SET_C = "60,60,60"


def software(**changes):
    rows = [
        {
            "seal_version": "3.4.5",
            "scheme": "ckks",
            "poly_modulus_degree": 8192,
            "coeff_modulus_bits": SET_C,
            "key_residues": 3,
            "operation": operation,
            "cycles": 1,
            "instructions": 1,
            "time_s": time_s,
            "energy_j": time_s / 4,
            "provenance": "recorded gem5",
        }
        | changes
        for operation, time_s in (
            ("encode", 0.02),
            ("encrypt", 0.3),
            ("decrypt", 0.01),
            ("decode", 0.04),
        )
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def tables(costs):
    return operation_tables(Settings(), costs, software())


def test_the_breakdowns_add_up_to_the_operations(tables):
    operations, breakdown, area = tables
    whole = operations[operations.operation.isin(["encrypt", "decrypt"])].set_index(POINT)
    sums = breakdown.groupby(POINT).energy_j.sum()
    assert sums.loc[whole.index].to_list() == pytest.approx(whole.energy_j.to_list())
    phases = breakdown.groupby([*POINT, "phase"]).cycles.max().groupby(POINT).sum()
    assert phases.loc[whole.index].to_list() == pytest.approx(whole.cycles.to_list(), abs=2)
    keys = ["poly_modulus_degree", "coeff_modulus_bits"]
    areas = area.groupby(keys).area_m2.sum()
    for key, one in whole.reset_index().groupby(keys):
        assert one.area_m2.to_list() == pytest.approx([areas[key]] * len(one))


def test_random_bytes_are_those_of_the_papers_samples(tables):
    # CHOCO, Section 4.3: one byte for a coefficient of u and eight for one of e1 and of e2.
    encrypt = tables[0][(tables[0].scheme == "bfv") & (tables[0].operation == "encrypt")]
    samples = 17 * encrypt.poly_modulus_degree / encrypt.time_s
    assert encrypt.random_average_bytes_per_s.to_list() == pytest.approx(
        samples.to_list(), rel=0.01
    )
    assert (encrypt.random_peak_bytes_per_s > encrypt.random_average_bytes_per_s).all()
    assert tables[0][tables[0].operation == "decrypt"].random_peak_bytes_per_s.isna().all()


def test_ckks_coding_is_software_without_its_transforms(tables, costs):
    ckks = tables[0][tables[0].scheme == "ckks"].set_index("operation")
    assert 0.02 * 0.41 < ckks.time_s["encode"] < 0.02 * 0.41 + 0.5e-3
    assert 0.04 * 0.54 < ckks.time_s["decode"] < 0.04 * 0.54 + 0.5e-3
    assert ckks.energy_j["encode"] > 0.02 * 0.41 * Settings().client.active_power_w
    assert "gem5" in ckks.provenance["encode"] and "gem5" not in ckks.provenance["encrypt"]
    all_soft = Settings(ckks_software=CkksSoftware(encode_transform_share=0))
    more = operation_tables(all_soft, costs, software())[0]
    encode = more[(more.scheme == "ckks") & (more.operation == "encode")]
    assert encode.time_s.iloc[0] - ckks.time_s["encode"] == pytest.approx(0.02 * 0.59)


def test_ckks_coding_that_was_not_run_in_software_has_no_row(costs):
    for other in ({"poly_modulus_degree": 4096}, {"seal_version": "4.4.3"}):
        operations = operation_tables(Settings(), costs, software(**other))[0]
        assert set(operations.operation) == {"encrypt", "decrypt"}


def test_points_are_the_sets_and_the_scaling_points_once_each():
    point = ModulusChain(poly_modulus_degree=2048, coeff_modulus_bits=(54,))
    settings = Settings(scaling_points=(point,))
    points = model_points(settings)
    distinct = {(scheme, c.poly_modulus_degree, c.coeff_modulus_bits) for scheme, c in points}
    assert len(points) == len(distinct) == 1 + len(Config().parameter_sets)
    assert ("bfv", 2048, (54,)) in distinct


def test_the_stage_writes_checked_tables_with_provenance(tmp_path):
    write_table(software(), tmp_path / "client.csv", CLIENT_OPERATIONS)
    write_table(recorded_arrays(RECORDED / "destiny"), tmp_path / "arrays.csv", SRAM_ARRAYS)
    inputs = {
        "blocks": RECORDED / "synthesis" / MANIFEST,
        "arrays": tmp_path / "arrays.csv",
        "client": tmp_path / "client.csv",
    }
    names = ("operations", "breakdown", "area")
    outputs = {name: tmp_path / f"{name}.csv" for name in names}
    stage(Job(Settings(accelerator=Accelerator(ntt_butterflies=8)), inputs, outputs))
    operations = read_table(outputs["operations"], ACCELERATOR_OPERATIONS)
    read_table(outputs["breakdown"], ACCELERATOR_BREAKDOWN)
    read_table(outputs["area"], ACCELERATOR_AREA)
    assert operations.provenance.str.contains("DESTINY").all()
