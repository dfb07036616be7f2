from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.accelerator.costs import COSTS_FILE, load_costs
from models.accelerator.energy import decryption_energy, encryption_energy
from models.accelerator.operations import (
    ACCELERATOR_BREAKDOWN,
    ACCELERATOR_OPERATIONS,
    Settings,
    model_points,
    operation_tables,
    stage,
)
from models.accelerator.points import he_points
from models.accelerator.timing import decryption, encryption
from models.config import Config
from models.config.platform import Accelerator
from models.errors import ChocoError
from models.memory.sram import load_sram
from models.parameters import ModulusChain
from models.stage import Job
from models.tables import read_table

DESTINY = Path(__file__).parents[3] / "results/recorded/destiny"
SRAM = load_sram(DESTINY)
COSTS = load_costs()
SET_A = (8192, (58, 58, 59), 23)
KEY = ["poly_modulus_degree", "coeff_modulus_bits", "operation"]


def energies(points, design):
    he = he_points(points)
    args = he.poly_modulus_degree, he.key_residues, design
    encrypt, decrypt = encryption(*args), decryption(*args)
    return (
        encryption_energy(he, encrypt, design, COSTS, SRAM),
        decryption_energy(he, decrypt, design, COSTS, SRAM),
    )


@pytest.fixture(scope="module")
def tables():
    return operation_tables(model_points(Settings()), Accelerator(), COSTS, SRAM)


def test_the_breakdown_adds_up_to_the_operations(tables):
    operations, breakdown = tables
    sums = breakdown.groupby(KEY)[["energy_j", "critical_cycles"]].sum()
    whole = operations.set_index(KEY).loc[sums.index]
    assert sums.energy_j.to_list() == pytest.approx(whole.energy_j.to_list())
    assert (sums.critical_cycles == whole.cycles).all()
    parts = breakdown.compute_j + breakdown.memory_j + breakdown.leakage_j
    assert parts.to_list() == pytest.approx(breakdown.energy_j.to_list())


def test_the_transforms_cost_what_their_multiplications_cost():
    # Three transforms of each of three residues; 93 pJ a butterfly of 60 bits, by the same table.
    encrypt, _ = energies([(8192, (60, 60, 60), 20)], Accelerator())
    multiplications = 9 * 53248 * 3 * 8.80e-12 * (60 / 32) ** 2
    computed = encrypt.compute["ntt"][0] + encrypt.compute["intt"][0]
    assert computed == pytest.approx(multiplications, rel=0.02)  # additions are the rest
    assert computed > multiplications


def test_narrow_primes_compute_for_less():
    wide, narrow = (energies([(4096, (bits,) * 3, 18)], Accelerator())[0] for bits in (36, 30))
    assert narrow.compute["ntt"][0] == pytest.approx(wide.compute["ntt"][0] * (30 / 36) ** 2, 0.01)
    assert narrow.leakage["ntt"] == pytest.approx(wide.leakage["ntt"])


def test_idle_modules_of_decryption_leak_and_do_nothing_else():
    _, decrypt = energies([SET_A], Accelerator())
    assert decrypt.compute["random_generator"][0] == decrypt.memory["random_generator"][0] == 0
    assert decrypt.leakage["random_generator"][0] > 0


def test_a_faster_design_leaks_for_a_shorter_time_but_computes_the_same():
    slow, fast = (energies([SET_A], Accelerator(butterflies=p))[0] for p in (1, 4))
    assert slow.compute["intt"] == pytest.approx(fast.compute["intt"])
    assert slow.leakage["message_encoding"][0] > fast.leakage["message_encoding"][0]


@given(st.permutations([SET_A, (4096, (36, 36, 37), 18), (2048, (54,), 20)]))
def test_points_do_not_influence_each_other(points):
    for together, alone in zip(
        energies(points, Accelerator()),
        zip(*(energies([point], Accelerator()) for point in points), strict=True),
        strict=True,
    ):
        assert together.total == pytest.approx(np.concatenate([one.total for one in alone]))


def test_high_performance_memory_costs_more():
    he = he_points([SET_A])
    timing = encryption(he.poly_modulus_degree, he.key_residues, Accelerator())
    low, high = (
        encryption_energy(he, timing, Accelerator(), COSTS, load_sram(DESTINY, device_roadmap=kind))
        for kind in ("LOP", "HP")
    )
    assert high.total[0] > low.total[0]


def test_a_buffer_without_a_recorded_array_is_an_error():
    with pytest.raises(ChocoError, match="no recorded DESTINY run of 524288 bytes"):
        energies([(65536, (55,) * 3, 20)], Accelerator())


def test_every_unit_cost_names_its_source():
    for name in type(COSTS).model_fields:
        assert len(getattr(COSTS, name).source) > 5


def test_points_are_the_scaling_points_and_the_bfv_sets_once_each():
    settings = Settings(
        scaling_points=(ModulusChain(poly_modulus_degree=2048, coeff_modulus_bits=(54,)),)
    )
    sets = {n: s for n, s in Config().parameter_sets.items() if s.scheme == "bfv"}
    points = model_points(settings)
    assert len(points) == len(set(points)) == 1 + len(sets)
    assert SET_A in points
    assert len(model_points(Settings())) == len(Config().scaling_points)


def test_the_stage_writes_checked_tables_with_provenance(tmp_path):
    outputs = {name: tmp_path / f"{name}.csv" for name in ("operations", "breakdown")}
    inputs = {"recorded": DESTINY / "manifest.yaml", "costs": COSTS_FILE}
    stage(Job(Settings(), inputs, outputs))
    operations = read_table(outputs["operations"], ACCELERATOR_OPERATIONS)
    read_table(outputs["breakdown"], ACCELERATOR_BREAKDOWN)
    for source in operations.provenance:
        assert "preliminary" in source
        assert "recorded DESTINY" in source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("multiplier_32b_energy_j: {value: -1, source: s, confidence: derived}", "greater than 0"),
        ("multiplier_33b_energy_j: {value: 1, source: s, confidence: derived}", "unknown key"),
        ("{}", "required"),
        ("[", "not YAML"),
    ],
)
def test_bad_unit_costs_are_one_line_that_names_the_file(tmp_path, text, message):
    path = tmp_path / "costs.yaml"
    path.write_text(text)
    with pytest.raises(ChocoError, match=rf"costs\.yaml: .*{message}") as error:
        load_costs(path)
    assert "\n" not in str(error.value)
    with pytest.raises(ChocoError, match="No such file"):
        load_costs(tmp_path / "absent.yaml")
