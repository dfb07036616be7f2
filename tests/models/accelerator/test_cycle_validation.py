import pandas as pd
import pytest

from models import validation
from models.accelerator.cycle_validation import (
    CYCLE_VALIDATION,
    Settings,
    recorded_cycles,
    stage,
    validate,
)
from models.errors import ChocoError
from models.recorded import MANIFEST, open_recorded
from models.stage import Job
from models.tables import read_table

from .conftest import RECORDED

MACHINE = ["butterflies", "lanes", "poly_modulus_degree", "key_residues"]


@pytest.fixture(scope="module")
def recorded():
    return recorded_cycles(open_recorded(RECORDED / "rtl"))


def test_the_simulator_has_the_cycles_of_the_rtl_within_two_percent(recorded):
    table = validate(*recorded, Settings().configurations, Settings().seed)
    drawn = table[table.drawn]
    assert len(drawn[MACHINE].drop_duplicates()) >= 20
    assert {"bfv_encrypt", "bfv_decrypt"} <= set(drawn.operation)
    assert table.error.abs().max() <= 0.02


def test_the_draw_follows_the_seed(recorded):
    first, again, other = (validate(*recorded, 20, seed).drawn for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_too_few_recorded_configurations_are_an_error(recorded):
    table, source = recorded
    few = table[table.butterflies == table.butterflies.min()].head(3)
    with pytest.raises(ChocoError, match="fewer than 20"):
        validate(few, source, 20, 1)


def test_the_document_has_every_drawn_configuration(tmp_path, recorded):
    cycles, document = tmp_path / "cycles.csv", tmp_path / "validation.md"
    stage(Job(Settings(), {"recorded": RECORDED / "rtl" / MANIFEST}, {"cycles": cycles}))
    table = read_table(cycles, CYCLE_VALIDATION)
    text = validation.cycles_section(table)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + Settings().configurations
    assert f"{table[table.drawn].error.abs().max():.2%}" in text
    assert document.suffix == ".md"
    assert isinstance(recorded[0], pd.DataFrame)
