"""The claims table: every claim once, judged by its tolerance, with its source."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from models import claims, paper
from models.claim_mapping import Mapping
from models.config import Config
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table

ROOT = Path(__file__).parents[2]

OURS = pd.DataFrame(
    {"name": ["near", "far", "zero"], "value": [1.05, 2.0, 0.5], "provenance": "model m"}
)


def claim(claim_id: str, value: float, **keys: object) -> paper.Claim:
    return paper.Claim(
        id=claim_id, where="Section 1", statement="Some", value=value, unit="ms", **keys
    )


def mapping(name: str, **keys: object) -> Mapping:
    defaults = {"table": "t.csv", "rows": {"name": name}, "column": "value"}
    return Mapping.model_validate(defaults | {"tolerance": 0.1, "explanation": "because"} | keys)


def join(values: dict[str, float], mappings: dict[str, Mapping]) -> pd.DataFrame:
    data = paper.PaperData(tuple(claim(name, value) for name, value in values.items()))
    return claims.join(data, mappings, {"t.csv": OURS}.__getitem__, Config()).set_index("id")


def test_status_follows_the_tolerance_and_no_claim_is_left_out():
    table = join(
        {"near": 1.0, "far": 1.0, "unmapped": 3.0, "unmade": 4.0},
        {
            "near": mapping("near"),
            "far": mapping("far", note="a note"),
            "unmade": mapping("no such row"),
        },
    )
    assert table["status"].to_dict() == {
        "near": "reproduced",
        "far": "differs",
        "unmapped": "not yet",
        "unmade": "not yet",
    }
    assert table.loc["near", "ratio"] == 1.05
    assert table.loc["near", "explanation"] == ""
    assert table.loc["far", "explanation"] == "because; a note"
    assert table.loc["unmade", "explanation"] == "t.csv has no row with name = no such row"
    made = table["status"] != "not yet"
    assert (table.loc[made, "provenance"] == "model m").all()
    assert table.loc[~made, ["provenance", "our_value", "ratio", "tolerance"]].isna().all(axis=None)
    assert claims.summary(table) == {"reproduced": 1, "differs": 1, "not yet": 2}


@pytest.mark.parametrize(("paper_value", "status"), [(0.955, "reproduced"), (0.95, "differs")])
def test_the_tolerance_is_relative_to_the_paper(paper_value, status):
    assert join({"near": paper_value}, {"near": mapping("near")})["status"]["near"] == status


def test_an_absolute_tolerance_judges_a_zero():
    within = mapping("zero", tolerance=None, within=1)
    row = join({"zero": 0.0}, {"zero": within}).loc["zero"]
    assert row["status"] == "reproduced"
    assert pd.isna(row["ratio"])
    assert row["within"] == 1
    row = join({"zero": 2.0}, {"zero": within}).loc["zero"]
    assert row["status"] == "differs"
    assert row["tolerance"] == 0.5
    with pytest.raises(ChocoError, match="zero is 0 in the paper; give within"):
        join({"zero": 0.0}, {"zero": mapping("zero")})


def test_a_claim_can_be_explained_without_a_number():
    only = Mapping(explanation="nothing to compare with")
    row = join({"near": 1.0}, {"near": only}).loc["near"]
    assert (row["status"], row["explanation"]) == ("not yet", "nothing to compare with")


def test_a_contradiction_is_told_on_both_sides():
    data = paper.PaperData(
        (
            claim("one", 1.0, contradicts=("two",), note="the talk says 2"),
            claim("two", 2.0, contradicts=("one",), note="the paper says 1"),
        )
    )
    table = claims.join(data, {}, {}.__getitem__, Config()).set_index("id")
    assert table["contradicts"].to_dict() == {"one": "two", "two": "one"}
    assert table.loc["two", "explanation"] == "in the paper: the paper says 1"


def test_an_unknown_claim_is_an_error():
    with pytest.raises(ChocoError, match="no claim 'naer'; did you mean 'near'"):
        join({"near": 1.0}, {"naer": mapping("near")})


def test_render_shows_each_claim_and_explains_once():
    table = join({"near": 1.0, "far": 1.0}, {"near": mapping("near"), "far": mapping("far")})
    text = claims.render(table.reset_index())
    assert "reproduced  near  1 ms, ours 1.05 ms (model m)" in text
    assert text.endswith("2 claims: 1 reproduced, 1 differs, 0 not yet")
    only = claims.render(table.reset_index(), ["differs"])
    assert "near" not in only
    assert only.count("because") == 1
    assert "2 claims" in only


@pytest.fixture
def job(tmp_path, monkeypatch) -> Job[claims.Settings]:
    monkeypatch.chdir(tmp_path)
    OURS.to_csv("t.csv", index=False)
    (tmp_path / "paper").mkdir()
    entries = [claim(n, 1.0).model_dump(mode="json") for n in ("near", "far", "unmapped")]
    (tmp_path / "paper" / "a.yaml").write_text(yaml.safe_dump(entries))
    group = {
        "about": "test",
        "table": "t.csv",
        "column": "value",
        "tolerance": 0.1,
        "explanation": "because",
        "claims": {name: {"rows": {"name": name}} for name in ("near", "far")},
    }
    (tmp_path / "mapping.yaml").write_text(yaml.safe_dump([group]))
    return Job(
        claims.Settings(configuration=Config()),
        {"paper": tmp_path / "paper", "mapping": tmp_path / "mapping.yaml"},
        {"claims": tmp_path / "claims.csv"},
    )


def test_stage_writes_a_table_that_fits_its_schema(job):
    claims.stage(job)
    table = read_table(job.outputs["claims"], claims.SCHEMA)
    assert list(table["id"]) == ["near", "far", "unmapped"]
    assert claims.summary(table) == {"reproduced": 1, "differs": 1, "not yet": 1}
    assert "in the paper" not in claims.render(table)
    first = job.outputs["claims"].read_bytes()
    claims.stage(job)
    assert job.outputs["claims"].read_bytes() == first


def test_stage_refuses_a_missing_table(job):
    Path("t.csv").unlink()
    with pytest.raises(ChocoError, match=r"t\.csv: no such table"):
        claims.stage(job)
    assert not job.outputs["claims"].exists()


def test_the_shipped_claims_number_at_least_eighty_without_any_table():
    """Explanations are there for what is not computed; nothing is dropped."""
    data = paper.load(ROOT / "results" / "paper")
    table = claims.join(data, {}, {}.__getitem__, Config())
    assert len(table) == len(data.claims) >= 80
    assert set(table["status"]) == {"not yet"}
