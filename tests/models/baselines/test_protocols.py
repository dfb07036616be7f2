"""Published protocols as data, and CHOCO's communication beside theirs."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from models import paper
from models.baselines import protocols
from models.communication import (
    Ours,
    Settings,
    break_even_macs_per_byte,
    compare,
    reductions,
    stage,
)
from models.communication_schema import NOT_FOUND, PROTOCOLS, REDUCTIONS
from models.config.platform import Client, Radio
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table

PAPER = Path(__file__).parents[3] / "results" / "paper"
PUBLISHED = protocols.load()
OURS = {
    "MNIST": Ours("LeNetLg", 1_000_000, 7_000_000, "digits", 2_600_000, "SEAL 4.4.0"),
    "CIFAR-10": Ours("SqzNet", 5_000_000, 8_000_000, "synthetic", 13_800_000, "SEAL 4.4.0"),
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return compare(PUBLISHED, OURS)


def row(table, protocol, data_set, **more):
    found = table[(table["protocol"] == protocol) & (table["data_set"] == data_set)]
    for column, value in more.items():
        found = found[found[column] == value]
    assert len(found) == 1
    return found.iloc[0]


def test_every_number_has_a_source_and_says_how_well_it_is_known():
    for protocol in PUBLISHED:
        assert any(
            word in protocol.citation
            for word in ("DOI", "USENIX", "ICML", "arXiv", "IEEE", "ePrint")
        ), protocol.protocol
        for result in protocol.results:
            assert result.confidence in protocols.CONFIDENCE
            # what was not read in the publication itself must say where it is from,
            # if it is more than somebody's memory of it
            assert result.note or result.confidence == "recalled"


def test_what_was_not_found_is_listed_without_a_number(table):
    missing = table[table["confidence"] == NOT_FOUND]
    assert {"DELPHI", "SOTERIA", "Cheetah", "nGraph-HE2", "CHET"} <= set(missing["protocol"])
    assert missing[["communication_bytes", "ratio_to_ours", "data_set"]].isna().all(axis=None)
    assert missing["note"].str.len().gt(0).all()


def test_ratios_follow_from_the_data(table):
    numbers = table[table["confidence"] != NOT_FOUND]
    for basis, column in (("ours", "our_bytes"), ("paper", "paper_bytes")):
        product = numbers[f"ratio_to_{basis}"].astype(float) * numbers[column].astype(float)
        assert product.to_numpy() == pytest.approx(numbers["communication_bytes"].astype(float))
    assert row(table, "EzPC", "CIFAR-10").ratio_to_ours == pytest.approx(40683 / 5)


def test_the_papers_ratios_are_among_those_to_its_own_communication(table):
    claims = paper.load(PAPER)
    by_paper = {
        "communication_reduction_maximum": row(table, "EzPC", "CIFAR-10"),
        "communication_reduction_gazelle": row(table, "Gazelle", "CIFAR-10"),
        "derived_communication_reduction_xonn": row(table, "XONN", "MNIST", network="BM3"),
    }
    for claim, found in by_paper.items():
        assert found.ratio_to_paper == pytest.approx(claims.value(claim), rel=0.005)
    minimum = claims.value("communication_reduction_minimum")
    assert int(row(table, "XONN", "MNIST", network="BM2").ratio_to_paper) == minimum
    # 28x with MB as 2^20 bytes on LoLa's side only
    lola = row(table, "LoLa", "CIFAR-10", compared=True).ratio_to_paper * 1e6 / 2**20
    assert round(lola) == claims.value("talk_communication_reduction_lola")


def test_lola_follows_from_the_parameters_that_its_note_names(table):
    def upload_bytes(messages, n, primes):
        return messages * 2 * n * primes * 8

    cifar = row(table, "LoLa", "CIFAR-10", compared=True)
    assert cifar.communication_bytes == upload_bytes(192, 16384, 8)
    mnist = row(table, "LoLa", "MNIST", compared=True)
    assert mnist.communication_bytes == upload_bytes(25, 8192, 4)


def test_reductions_use_compared_results_only(table):
    found = reductions(table).set_index(["quantity", "basis"])["value"]
    ratios = table.loc[table["compared"], "ratio_to_ours"].astype(float)
    assert found["maximum", "ours"] == ratios.max()
    assert found["minimum", "ours"] == ratios.min()
    assert found["order_of_magnitude", "ours"] == 1000
    assert found["protocols", "ours"] == found["protocols", "paper"] == 7


def test_stage_reads_summaries_and_writes_tables_that_repeat(tmp_path):
    columns = {
        "upload_bytes": 600_000,
        "download_bytes": 400_000,
        "key_bytes": 9,
        "provenance": "SEAL 4.4.0",
    }
    inputs = {"published": protocols.DATA, "paper": PAPER}
    for name, network in (("lenet_lg", "LeNetLg"), ("sqznet", "SqzNet")):
        inputs[name] = tmp_path / f"{name}.csv"
        summary = pd.DataFrame([columns | {"network": network, "data": "synthetic"}])
        summary.to_csv(inputs[name], index=False)
    made = []
    for run in ("a", "b"):
        outputs = {name: tmp_path / run / f"{name}.csv" for name in ("protocols", "reductions")}
        stage(Job(Settings(), inputs, outputs))
        made.append([path.read_bytes() for path in outputs.values()])
    assert made[0] == made[1]
    table = read_table(outputs["protocols"], PROTOCOLS)
    read_table(outputs["reductions"], REDUCTIONS)
    assert set(table["our_bytes"].dropna()) == {1_000_000}
    assert set(table["our_key_bytes"].dropna()) == {9}
    assert set(table["paper_bytes"].dropna()) == {2_600_000, 13_800_000}


def test_break_even_is_where_radio_and_processor_take_equal_energy():
    client, radio, rate = Client(), Radio(), 4e8
    density = break_even_macs_per_byte(client, radio, rate)
    size_bytes = 1e6
    radio_j = 8 * size_bytes / radio.bit_rate_bps * radio.power_w
    processor_j = density * size_bytes / rate * client.active_power_w
    assert radio_j == pytest.approx(processor_j)


ENTRY = {
    "protocol": "P",
    "citation": "Authors: Title, Venue",
    "results": [
        {"data_set": "MNIST", "network": "a", "megabytes": 1, "confidence": "read",
         "compared": True}
    ],
}  # fmt: skip
RESULT = ENTRY["results"][0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([ENTRY | {"citation": ""}], "P: 0.citation"),
        ([ENTRY | {"not_found": "no"}], "P: 0: not_found: needed where there are no results"),
        ([ENTRY | {"results": []}], "P: 0: not_found: needed where there are no results"),
        ([ENTRY | {"results": [RESULT | {"megabytes": 0}]}], "megabytes: 0 is not allowed"),
        ([ENTRY | {"results": [RESULT | {"confidence": "sure"}]}], "confidence: 'sure'"),
        ([ENTRY | {"results": [RESULT | {"compared": False}]}], "exactly one result for MNIST"),
        ([ENTRY | {"results": [RESULT, RESULT | {"compared": False}]}], "have the same"),
        ([ENTRY, ENTRY], "P is listed twice"),
        ({"P": ENTRY}, "not allowed"),
    ],
)
def test_bad_data_is_refused_in_one_line(tmp_path, data, message):
    path = tmp_path / "protocols.yaml"
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(ChocoError) as error:
        protocols.load(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
