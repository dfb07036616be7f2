import gzip
from pathlib import Path

import pandas as pd
import pytest

from models.client.gem5_stats import OPERATIONS, operation_counts, parse_blocks
from models.client.operations import CLIENT_OPERATIONS, Settings, client_operations, stage
from models.config.platform import Client
from models.errors import ChocoError
from models.stage import Job
from models.tables import read_table

GEM5 = Path(__file__).parents[3] / "results/recorded/gem5"
SUMMARY = Path(__file__).with_name("gem5_client_operations.csv")
"""Written when the runs were made, by another program than the parser tested here."""


@pytest.fixture(scope="module")
def operations():
    return client_operations(GEM5, Client())


def test_parsed_counts_equal_the_summary_made_with_the_runs(operations):
    summary = pd.read_csv(SUMMARY)
    key = ["seal_version", "scheme", "poly_modulus_degree", "coeff_modulus_bits", "operation"]
    both = operations.merge(summary, on=key, suffixes=("", "_then"), validate="one_to_one")
    assert len(both) == len(summary) == len(operations) == 32
    assert (both.cycles == both.cycles_then).all()
    assert (both.instructions == both.instructions_then).all()
    assert both.time_s.to_list() == pytest.approx(
        (both.time_ms_at_528MHz / 1000).to_list(), rel=1e-4
    )


def test_time_follows_the_clock_and_energy_the_power(operations):
    slower = client_operations(GEM5, Client(clock_hz=264e6, active_power_w=0.1))
    assert (slower.cycles == operations.cycles).all()
    assert slower.time_s.to_list() == pytest.approx((2 * operations.time_s).to_list())
    assert slower.energy_j.to_list() == pytest.approx((0.1 * slower.time_s).to_list())


def test_simulated_seconds_agree_with_cycles_at_the_clock(operations):
    blocks = parse_blocks(GEM5 / "seal-3.4.5-bfv-8192-3.stats.txt.gz")
    rows = operations[
        (operations.seal_version == "3.4.5")
        & (operations.scheme == "bfv")
        & (operations.poly_modulus_degree == 8192)
    ].set_index("operation")
    for operation, block in zip(OPERATIONS, blocks, strict=False):
        assert rows.loc[operation, "time_s"] == pytest.approx(block["simSeconds"], rel=1e-3)


def write_stats(path, cycles, compress=False):
    text = "".join(
        "\n---------- Begin Simulation Statistics ----------\n"
        f"system.timing_cpu.numCycles  {count}  # cycles (Cycle)\n"
        "system.timing_cpu.commitStats0.numInsts  7  # instructions (Count)\n"
        "system.cpu.power_state  nan  # none\n"
        "system.membus.layers |  1  50.00%  # a distribution\n"
        "---------- End Simulation Statistics   ----------\n"
        for count in cycles
    )
    path.write_bytes(gzip.compress(text.encode()) if compress else text.encode())
    return path


def test_plain_and_compressed_files_read_alike(tmp_path):
    plain = operation_counts(write_stats(tmp_path / "stats.txt", range(1, 6)))
    packed = operation_counts(write_stats(tmp_path / "stats.txt.gz", range(1, 6), compress=True))
    assert plain == packed
    assert {name: count.cycles for name, count in plain.items()} == {
        "encode": 1,
        "encrypt": 2,
        "decrypt": 3,
        "decode": 4,
    }


def test_a_cut_file_is_an_error(tmp_path):
    with pytest.raises(ChocoError, match="3 statistics blocks"):
        operation_counts(write_stats(tmp_path / "stats.txt", range(1, 4)))
    whole = write_stats(tmp_path / "stats.txt.gz", range(1, 6), compress=True)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(ChocoError, match=r"stats\.txt\.gz: cannot be read"):
        operation_counts(whole)


def test_an_operation_off_the_timing_cpu_is_an_error(tmp_path):
    with pytest.raises(ChocoError, match=r"encrypt has no system\.timing_cpu"):
        operation_counts(write_stats(tmp_path / "stats.txt", (1, 0, 3, 4, 5)))


def test_what_is_no_statistics_file_is_an_error(tmp_path):
    (tmp_path / "stats.txt").write_text("hello\n")
    with pytest.raises(ChocoError, match="no gem5 statistics block"):
        parse_blocks(tmp_path / "stats.txt")
    with pytest.raises(ChocoError, match="cannot be read"):
        parse_blocks(tmp_path / "absent.txt")


def test_the_stage_writes_the_table_and_logs_its_provider(tmp_path, capsys):
    outputs = {"operations": tmp_path / "operations.csv"}
    stage(Job(Settings(provider="recorded"), {"recorded": GEM5 / "manifest.yaml"}, outputs))
    table = read_table(outputs["operations"], CLIENT_OPERATIONS)
    assert set(table.provenance) == {"recorded gem5 24.0.0.1 2026-11-21"}
    assert set(table.operation) == set(OPERATIONS)
    assert "recorded gem5 24.0.0.1 2026-11-21" in capsys.readouterr().err
