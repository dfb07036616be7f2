import hashlib
import shutil
from pathlib import Path

import pandas as pd
import pytest

from models.client.fast_model import (
    EXTRAPOLATED,
    FAST_MODEL_ERROR,
    TIME_SHARES,
    Settings,
    errors,
    extrapolated,
    shares,
    stage,
    work,
)
from models.client.profile import CLIENT_PROFILE
from models.errors import ChocoError
from models.parameters import ModulusChain
from models.recorded import open_recorded
from models.stage import Job
from models.tables import read_table

RECORDED = Path(__file__).parents[3] / "results/recorded"
FAST, GEM5 = RECORDED / "fast_model", RECORDED / "gem5"
BOARD_LIMIT = ModulusChain(poly_modulus_degree=32768, coeff_modulus_bits=(55,) * 15 + (56,))


@pytest.fixture(scope="module")
def profile():
    return read_table(open_recorded(FAST).file("normal-blake2xb"), CLIENT_PROFILE)


def test_the_fast_model_is_within_a_tenth_of_gem5_on_every_recorded_operation():
    table = errors(FAST, GEM5)
    assert len(table) == 32
    assert table.error.abs().max() <= 0.10
    # the same program was run: its instructions agree before its cycles can
    assert (table.instructions / table.gem5_instructions - 1).abs().max() < 0.006


def test_a_gem5_run_without_counterpart_is_an_error(tmp_path):
    shutil.copytree(FAST, tmp_path / "fast_model")
    path = tmp_path / "fast_model/gem5-programs.csv"
    store = open_recorded(FAST)
    text = path.read_text()
    path.write_text("\n".join(line for line in text.splitlines() if ",ckks," not in line) + "\n")
    manifest = tmp_path / "fast_model/manifest.yaml"
    old = store.run("gem5-programs").files[0].sha256
    new = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text().replace(old, new))
    with pytest.raises(ChocoError, match=r"lacks .*ckks"):
        errors(tmp_path / "fast_model", GEM5)


def test_shares_add_up_to_the_operation():
    table = shares(FAST)
    groups = [c for c in TIME_SHARES.columns if c in table and table[c].dtype == float]
    groups = [c for c in groups if c not in ("cycles", "transforms_and_products")]
    assert table[groups].sum(axis=1).to_list() == pytest.approx([1.0] * len(table))
    assert set(table.seal_sampler) == {"normal", "binomial"}


def test_binomial_errors_are_cheaper_than_normal_ones():
    table = shares(FAST)
    key = ["seal_generator", "scheme", "poly_modulus_degree", "coeff_modulus_bits", "operation"]
    both = table[table.operation == "encrypt"].pivot_table(
        index=key, columns="seal_sampler", values="cycles"
    )
    both = both.dropna()
    assert len(both)
    assert (both.binomial < both.normal).all()


def test_work_follows_the_structure_of_the_operations():
    assert work("ntt", 8192, 3) / work("ntt", 4096, 3) == pytest.approx(2 * 13 / 12)
    assert work("ntt", 8192, 6) == 2 * work("ntt", 8192, 3)
    assert work("random_generator", 8192, 9) == work("random_generator", 8192, 1)
    assert work("dyadic_product", 8192, 4) == 4 * work("dyadic_product", 8192, 1)


def test_extrapolation_has_its_error_on_every_measured_point(profile):
    points = tuple(
        ModulusChain(poly_modulus_degree=n, coeff_modulus_bits=tuple(map(int, bits.split(","))))
        for n, bits in sorted(
            set(
                zip(
                    profile[profile.scheme == "bfv"].poly_modulus_degree,
                    profile[profile.scheme == "bfv"].coeff_modulus_bits,
                    strict=True,
                )
            )
        )
    )
    table = extrapolated(profile, points)
    assert len(table) == 4 * len(points)
    assert table.error.notna().all()
    assert table.error.abs().max() < 0.15


def test_what_was_not_run_is_extrapolated_without_a_measurement(profile):
    table = extrapolated(profile, (BOARD_LIMIT,)).set_index("operation")
    assert table.measured_cycles.isna().all()
    largest = profile[profile.poly_modulus_degree == 16384].groupby("operation").cycles.sum()
    grown = 2 * 16 / 9  # coefficients of all residues
    assert grown <= table.cycles["encrypt"] / largest["encrypt"] <= grown * 15 / 14
    assert table.cycles["encode"] > 2 * largest["encode"]  # n log n, one residue


def test_the_stage_writes_its_tables(tmp_path):
    outputs = {name: tmp_path / f"{name}.csv" for name in ("errors", "shares", "extrapolated")}
    inputs = {"fast_model": FAST / "manifest.yaml", "gem5": GEM5 / "manifest.yaml"}
    stage(Job(Settings(scaling_points=(BOARD_LIMIT,)), inputs, outputs))
    schemas = {"errors": FAST_MODEL_ERROR, "shares": TIME_SHARES, "extrapolated": EXTRAPOLATED}
    for name, schema in schemas.items():
        table = read_table(outputs[name], schema)
        assert table.provenance.str.startswith("recorded fast model").all()
        assert isinstance(table, pd.DataFrame)
