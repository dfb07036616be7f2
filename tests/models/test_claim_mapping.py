"""The mapping language: what it selects, and what it refuses."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from models import claim_mapping, paper
from models.accelerator.dse import SELECTED
from models.accelerator.dse import SUMMARY as SUMMARY_OF_SPACE
from models.accelerator.operations import ACCELERATOR_OPERATIONS
from models.claim_mapping import Mapping, NoValueError
from models.client.inference import LOCAL_NETWORKS
from models.client.operations import CLIENT_OPERATIONS
from models.communication_schema import LAYERS, PROTOCOLS, REDUCTIONS
from models.comparison import COMPARISON
from models.config import Config
from models.distance_schema import DISTANCE_SUMMARY
from models.errors import ChocoError
from models.local_comparison import LOCAL_COMPARISON
from models.noise_schema import TABLE4
from models.offload import INFERENCE
from models.sizes_schema import TABLE3
from models.software_schema import SOFTWARE_GAIN
from workloads.dnn.infer import SUMMARY

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "report" / "claims.yaml"

TABLE = pd.DataFrame(
    [
        ("bfv", "36,36,37", "encode", 0.5, 2.0, "recorded gem5 1"),
        ("bfv", "36,36,37", "encrypt", 1.5, 6.0, "model core"),
        ("ckks", "60,60,60", "encode", 4.0, None, "recorded gem5 1"),
        ("ckks", "60,60,60", "encrypt", 8.0, 1.0, "recorded gem5 1"),
    ],
    columns=["scheme", "coeff_modulus_bits", "operation", "time_s", "energy_j", "provenance"],
)


def evaluate(config: Config | None = None, **keys: object) -> claim_mapping.Value:
    mapping = Mapping.model_validate({"tolerance": 0.1, "explanation": "because"} | keys)
    return mapping.evaluate({"t.csv": TABLE, "u.csv": TABLE}.__getitem__, config or Config())


def test_selects_one_cell_by_text_or_number():
    bits = {"coeff_modulus_bits": "36,36,37", "operation": "encrypt"}
    assert evaluate(table="t.csv", rows=bits, column="time_s").value == 1.5
    assert evaluate(table="t.csv", rows={"time_s": 8}, column="energy_j").value == 1.0


def test_lists_of_rows_and_of_columns_add_up():
    rows = {"scheme": "bfv", "operation": ["encode", "encrypt"]}
    assert evaluate(table="t.csv", rows=rows, column="time_s").value == 2.0
    assert evaluate(table="t.csv", rows=rows, column=["time_s", "energy_j"]).value == 10.0


def test_provenance_names_every_source_once():
    everything = {"scheme": ["bfv", "ckks"], "operation": ["encode", "encrypt"]}
    value = evaluate(table="t.csv", rows=everything, column="time_s")
    assert value.provenance == "recorded gem5 1 + model core"


def test_over_inherits_what_it_does_not_say():
    rows = {"scheme": "bfv", "operation": "encrypt"}
    power = evaluate(
        table="t.csv", rows=rows, column="energy_j", over={"column": "time_s"}, scale=1000
    )
    assert power.value == 4000
    ratio = evaluate(
        table="t.csv", rows=rows, column="time_s", over={"rows": {"operation": "encode"}}
    )
    assert ratio.value == 3
    other = evaluate(
        table="t.csv",
        rows={"time_s": 1.5},
        column="time_s",
        over={"table": "u.csv", "rows": {"scheme": "bfv", "operation": "encode"}},
    )
    assert other.value == 3


def test_complement_is_one_minus_the_ratio():
    reduction = evaluate(
        table="t.csv",
        rows={"scheme": "ckks", "operation": "encode"},
        column="time_s",
        over={"rows": {"operation": "encrypt"}},
        complement=True,
        scale=100,
    )
    assert reduction.value == 50


def test_configuration_values_and_sums_of_lists():
    power = evaluate(configuration="client.active_power_w", scale=1000)
    assert power == claim_mapping.Value(269.5, "configuration")
    assert evaluate(configuration="parameter_sets.A.coeff_modulus_bits").value == 58 + 58 + 59
    assert evaluate(configuration="parameter_sets.A.key_residues").value == 3
    assert evaluate(configuration="parameter_sets.A.coeff_modulus_bits.2").value == 59
    with pytest.raises(NoValueError, match=r"no parameter_sets\.A\.coeff_modulus_bits\.3"):
        evaluate(configuration="parameter_sets.A.coeff_modulus_bits.3")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"rows": {"schema": "bfv"}, "column": "time_s"}, "t.csv: no column 'schema'; it has"),
        ({"rows": {"scheme": "bfv"}, "column": "power_w"}, "t.csv: no column 'power_w'"),
        ({"rows": {"scheme": "bfv"}, "column": "time_s"}, "t.csv: 2 rows match scheme = bfv"),
        ({"column": "time_s"}, "t.csv: 4 rows match all"),
    ],
)
def test_a_selection_that_does_not_fit_the_table_is_an_error(keys, message):
    with pytest.raises(ChocoError, match=message):
        evaluate(table="t.csv", **keys)


def test_a_configuration_key_that_does_not_exist_is_an_error():
    with pytest.raises(ChocoError, match=r"no key 'client\.clock'"):
        evaluate(configuration="client.clock")
    with pytest.raises(ChocoError, match="'client' is not a number"):
        evaluate(configuration="client")


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"rows": {"scheme": "bgv"}, "column": "time_s"}, "t.csv has no row with scheme = bgv"),
        ({"rows": {"time_s": 4}, "column": "energy_j"}, "t.csv has no energy_j for time_s = 4"),
        (  # one operation of the sum is missing: no partial sum
            {"rows": {"scheme": "bfv", "operation": ["encode", "decode"]}, "column": "time_s"},
            "operation = decode",
        ),
    ],
)
def test_a_number_that_the_run_did_not_make_is_no_value(keys, reason):
    with pytest.raises(NoValueError, match=reason):
        evaluate(table="t.csv", **keys)


def test_a_parameter_set_that_the_user_removed_is_no_value():
    left = {name: known for name, known in Config().parameter_sets.items() if name != "A"}
    config = Config().model_copy(update={"parameter_sets": left})
    with pytest.raises(NoValueError, match=r"no parameter_sets\.A"):
        evaluate(config, configuration="parameter_sets.A.key_residues")


def write(path: Path, *groups: object) -> Path:
    path.write_text(yaml.safe_dump(list(groups)))
    return path


def test_group_keys_are_defaults_and_rows_merge(tmp_path):
    group = {
        "about": "test",
        "table": "t.csv",
        "rows": {"scheme": "bfv", "operation": "encode"},
        "column": "time_s",
        "tolerance": 0.1,
        "explanation": "because",
        "claims": {"a": None, "b": {"rows": {"operation": "encrypt"}, "tolerance": 0.2}},
    }
    mappings = claim_mapping.load(write(tmp_path / "claims.yaml", group))
    assert mappings["a"].rows == {"scheme": "bfv", "operation": "encode"}
    assert mappings["b"].rows == {"scheme": "bfv", "operation": "encrypt"}
    assert (mappings["a"].tolerance, mappings["b"].tolerance) == (0.1, 0.2)
    assert claim_mapping.claim_tables(tmp_path / "claims.yaml") == ["t.csv"]


GROUP = {
    "about": "test",
    "table": "t.csv",
    "column": "time_s",
    "tolerance": 0.1,
    "explanation": "because",
    "claims": {"a": None},
}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([GROUP | {"explanation": ""}], "claim a: explanation: needed"),
        ([GROUP | {"tolerance": None}], "claim a: tolerance: give either"),
        ([GROUP | {"within": 1}], "claim a: tolerance: give either"),
        ([GROUP | {"column": None}], "claim a: column: needed with a table"),
        ([GROUP | {"configuration": "client.clock_hz"}], "claim a: configuration: give either"),
        ([GROUP | {"table": None, "explanation": ""}], "claim a: table: give a table"),
        ([GROUP | {"tolerence": 0.1}], "claim a: tolerence: unknown key"),
        ([GROUP, GROUP], "claim a is mapped twice"),
        ([{"claims": {"a": None}}], "about: "),
    ],
)
def test_a_bad_mapping_is_refused_in_one_line(tmp_path, groups, message):
    with pytest.raises(ChocoError) as error:
        claim_mapping.load(write(tmp_path / "claims.yaml", *groups))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_shipped_mapping_knows_its_claims_and_its_configuration_keys():
    data = paper.load(ROOT / "results" / "paper")
    for claim_id, mapping in claim_mapping.load(SHIPPED).items():
        assert claim_id in data
        if mapping.configuration is not None:
            ours = mapping.evaluate({}.__getitem__, Config())
            assert ours.value == pytest.approx(data.value(claim_id), rel=mapping.tolerance)


SCHEMAS = {
    "results/accelerator/operations.csv": ACCELERATOR_OPERATIONS,
    "results/accelerator/selected.csv": SELECTED,
    "results/accelerator/space_summary.csv": SUMMARY_OF_SPACE,
    "results/client/local_networks.csv": LOCAL_NETWORKS,
    "results/communication/layers.csv": LAYERS,
    "results/communication/protocols.csv": PROTOCOLS,
    "results/communication/reductions.csv": REDUCTIONS,
    "results/noise/table4.csv": TABLE4,
    "results/offload/comparison.csv": COMPARISON,
    "results/offload/distance_summary.csv": DISTANCE_SUMMARY,
    "results/offload/inference.csv": INFERENCE,
    "results/offload/local_comparison.csv": LOCAL_COMPARISON,
    "results/offload/software_gain.csv": SOFTWARE_GAIN,
    "results/parameters/table3.csv": TABLE3,
    "results/profile/client_operations.csv": CLIENT_OPERATIONS,
    "results/workloads/lenet_lg/summary.csv": SUMMARY,
    "results/workloads/lenet_sm/summary.csv": SUMMARY,
    "results/workloads/sqznet/summary.csv": SUMMARY,
    "results/workloads/vgg16/summary.csv": SUMMARY,
}


def test_the_shipped_mapping_uses_columns_that_its_tables_have():
    assert claim_mapping.claim_tables(SHIPPED) == sorted(SCHEMAS)
    for claim_id, mapping in claim_mapping.load(SHIPPED).items():
        for selection in mapping.selections:
            column = selection.column
            used = {*selection.rows, *([column] if isinstance(column, str) else column)}
            assert used <= set(SCHEMAS[selection.table].columns), claim_id


def test_the_shipped_mapping_covers_table_4_and_every_input():
    mapped = claim_mapping.load(SHIPPED)
    data = paper.load(ROOT / "results" / "paper")
    cells = [claim.id for claim in data.claims if claim.id.startswith("table4_")]
    assert len(cells) == 18
    assert all(mapped[cell].computed for cell in cells)
    # layer counts are inputs of networks that are not all built yet
    inputs = [c.id for c in data.claims if c.role == "input" and not c.id.startswith("table5_")]
    assert set(inputs) <= set(mapped)
