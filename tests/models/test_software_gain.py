"""Gains are quotients of counts, and of recorded costs where both systems have them."""

import pandas as pd
import pytest

from models import software_gain
from models.client.operations import CLIENT_OPERATIONS
from models.config import Config
from models.errors import ChocoError
from models.software_schema import BASELINE, SOFTWARE_GAIN
from models.stage import Job
from models.tables import read_table, write_table

SETS = Config().parameter_sets


def summary(network, encryptions, decryptions, **columns):
    return {
        "network": network,
        "parameter_set": "B",
        "encryptions": encryptions,
        "decryptions": decryptions,
        "upload_bytes": encryptions * 131072,
        "download_bytes": decryptions * 65536,
        "provenance": "SEAL",
        **columns,
    }


OURS = pd.DataFrame([summary("a", 4, 6), summary("b", 20, 40)])
BASE = pd.DataFrame(
    summary(name, ups, downs, parameter_set="SEAL", source="layouts", min_budget_bits=None)
    | {"upload_bytes": ups * 524288, "download_bytes": downs * 524288}
    for name, ups, downs in (("a", 2, 3), ("b", 15, 20))
)


def software(*names):
    return pd.DataFrame(
        {
            "seal_version": "3.4.5",
            "scheme": "bfv",
            "poly_modulus_degree": SETS[name].poly_modulus_degree,
            "coeff_modulus_bits": ",".join(map(str, SETS[name].coeff_modulus_bits)),
            "key_residues": SETS[name].key_residues,
            "operation": operation,
            "instructions": 1,
            "cycles": 1,
            "time_s": seconds * (10 if name == "SEAL" else 1),
            "energy_j": 1.0,
            "provenance": "recorded gem5",
        }
        for name in names
        for seconds, operation in enumerate(("encode", "encrypt", "decrypt", "decode"), start=1)
    )


def test_gains_without_a_recorded_baseline_have_no_time():
    table = software_gain.gains(OURS, BASE, SETS, software("B")).set_index("network")
    assert table.ciphertext_reduction["a"] == 0.75
    assert table.communication_reduction["a"] == pytest.approx(1 - (4 * 2 + 6) / (5 * 8))
    assert table.encryption_ratio["b"] == 0.75
    assert table.encryption_ratio["mean"] == pytest.approx((0.5 + 0.75) / 2)
    assert table.encryption_ratio["largest"] == 0.75
    assert table.client_time_s["a"] == 4 * 3 + 6 * 7
    assert table.client_speedup.isna().all()
    assert table.baseline_client_time_s.isna().all()


def test_gains_with_recorded_costs_of_both():
    table = software_gain.gains(OURS, BASE, SETS, software("B", "SEAL")).set_index("network")
    assert table.client_speedup["a"] == pytest.approx(10 * (2 * 3 + 3 * 7) / (4 * 3 + 6 * 7))
    assert table.client_speedup["largest"] == table.client_speedup[["a", "b"]].max()
    assert "recorded gem5" in table.provenance["a"]


def test_a_network_without_baseline_is_an_error():
    with pytest.raises(ChocoError, match="b: 0 rows in the baseline"):
        software_gain.gains(OURS, BASE.iloc[:1], SETS, software("B"))


def test_the_stage_reads_and_writes_checked_tables(tmp_path):
    write_table(software("B"), tmp_path / "client.csv", CLIENT_OPERATIONS)
    write_table(BASE, tmp_path / "baseline.csv", BASELINE)
    OURS.iloc[:1].to_csv(tmp_path / "a.csv", index=False)
    OURS.iloc[1:].to_csv(tmp_path / "b.csv", index=False)
    inputs = {name: tmp_path / f"{name}.csv" for name in ("client", "baseline", "a", "b")}
    job = Job(software_gain.Settings(), inputs, {"gain": tmp_path / "gain.csv"})
    software_gain.stage(job)
    table = read_table(tmp_path / "gain.csv", SOFTWARE_GAIN)
    assert list(table.network) == ["a", "b", "mean", "largest"]
