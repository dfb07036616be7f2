"""Tables are checked, and whole or absent."""

import os
import subprocess
import sys

import pandas as pd
import pytest

from models.errors import ChocoError
from models.tables import Check, Column, read_table, replacing, table_schema, write_table

SCHEMA = table_schema(name=str, time_s=Column(float, Check.ge(0)))


def table(**changes):
    row = {"name": "encrypt", "time_s": 0.5, "provenance": "paper"} | changes
    return pd.DataFrame([row])


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "new" / "table.csv"
    write_table(table(), path, SCHEMA)
    pd.testing.assert_frame_equal(read_table(path, SCHEMA), table(), check_dtype=False)


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (table(time_s=-1.0), "time_s"),
        (table(provenance=""), "provenance"),
        (table().drop(columns="name"), "name"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_and_the_old_one_stays(tmp_path, bad, named):
    path = tmp_path / "table.csv"
    write_table(table(), path, SCHEMA)
    before = path.read_bytes()
    with pytest.raises(ChocoError) as error:
        write_table(bad, path, SCHEMA)
    assert named in str(error.value)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_failing_writer_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), replacing(tmp_path / "a.csv") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_cleared_away_but_not_a_running_ones(tmp_path):
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    (tmp_path / f".a-{killed.pid}.csv").write_text("half")
    running = tmp_path / f".a-{os.getppid()}.csv"
    running.write_text("half")
    with replacing(tmp_path / "a.csv") as temporary:
        temporary.write_text("whole")
    assert (tmp_path / "a.csv").read_text() == "whole"
    assert [p for p in tmp_path.iterdir() if p.name.startswith(".")] == [running]


def test_a_missing_table_says_how_to_make_it(tmp_path):
    with pytest.raises(ChocoError, match="run the Snakemake target"):
        read_table(tmp_path / "none.csv")
