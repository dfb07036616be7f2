"""Traces: what is written is checked and read back, and documented as it is."""

import json

import pandas as pd
import pytest

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.packing.evaluator import OPERATIONS
from workloads.protocol import trace_docs
from workloads.protocol.client import Exchange
from workloads.protocol.trace import (
    COLUMNS,
    TRACE_VERSION,
    LayerRecord,
    TraceMetadata,
    describe_columns,
    read_trace,
    write_trace,
)

PLAIN = {"relu": "elements through the activation"}


def record(item=0, step=0, layer="conv", budget=12, **exchange):
    counted = {
        "encryptions": 1,
        "decryptions": 1,
        "upload_bytes": 1000,
        "download_bytes": 500,
        "wire_upload_bytes": 1100,
        "wire_download_bytes": 600,
        "download_residues": 1,
    }
    return LayerRecord(
        item=item,
        step=step,
        layer=layer,
        kind="convolution",
        exchange=Exchange(
            layer=step,
            min_budget_bits=budget,
            encrypt_time_s=0.1,
            decrypt_time_s=0.2,
            **(counted | exchange),
        ),
        server_operations=dict.fromkeys(OPERATIONS, 3),
        client_elements={"relu": 7},
        server_time_s=0.3,
        plain_time_s=0.4,
    )


def write(directory, records, **changes):
    parameters = ParameterSet(
        scheme="ckks",
        poly_modulus_degree=8192,
        coeff_modulus_bits=(60, 60, 60),
        scale_bits=40,
    )
    metadata = TraceMetadata(
        **{
            "workload": "test",
            "parameter_set": "C",
            "parameters": parameters,
            "seed": 1,
            "transport": "in process",
            "items": 2,
            "input_data": "synthetic",
            "key_bytes": 5,
            "rotation_steps": [1],
            "layers": [],
            "details": {},
            "columns": describe_columns(PLAIN),
        }
        | changes
    )
    paths = {
        "trace": directory / "trace.csv",
        "timings": directory / "timings.csv",
        "metadata": directory / "trace.json",
    }
    write_trace(records, {"key_generation": 0.5}, metadata, PLAIN, paths)
    return metadata


def test_what_is_written_is_read_back(tmp_path):
    written = write(tmp_path, [record(), record(step=1, budget=None), record(item=1)])
    table, metadata = read_trace(tmp_path)
    assert metadata == written
    assert list(table.columns) == [*list(COLUMNS)[:-1], "client_relu_elements", "provenance"]
    assert table["min_budget_bits"].isna().tolist() == [False, True, False]
    assert set(table["server_rescales"]) == {3}
    assert ",," in (tmp_path / "trace.csv").read_text()


def test_times_stay_out_of_the_trace(tmp_path):
    write(tmp_path, [record()])
    timings = pd.read_csv(tmp_path / "timings.csv").set_index("phase")["time_s"].to_dict()
    assert timings == {
        "key_generation": 0.5,
        "encrypt": 0.1,
        "server": 0.3,
        "decrypt": 0.2,
        "plain": 0.4,
    }
    assert not [c for c in pd.read_csv(tmp_path / "trace.csv") if "time" in c]


@pytest.mark.parametrize(
    ("records", "changes", "fault"),
    [
        ([record(), record()], {}, "item 0, step 0, layer 'conv': is there twice"),
        ([record(wire_upload_bytes=900)], {}, "uploads more ciphertexts than bytes"),
        ([record(wire_download_bytes=1)], {}, "downloads more ciphertexts than bytes"),
        ([record(budget=0)], {}, "column 'min_budget_bits' fails"),
        ([record(encryptions=-1)], {}, "column 'encryptions' fails"),
        ([record()], {"columns": COLUMNS}, "describes other columns: client_relu_elements"),
    ],
)
def test_a_wrong_trace_is_not_written(tmp_path, records, changes, fault):
    with pytest.raises(ChocoError, match=fault):
        write(tmp_path, records, **changes)
    assert not (tmp_path / "trace.csv").exists()


def change_json(directory, **changes):
    path = directory / "trace.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def change_csv(directory, old, new):
    path = directory / "trace.csv"
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (
            lambda d: change_json(d, trace_version=1),
            f"version 1; this release reads {TRACE_VERSION}",
        ),
        (lambda d: change_json(d, seed="x"), "trace.json: seed: 'x' is not allowed"),
        (lambda d: change_json(d, columns=COLUMNS), "trace.csv: column"),
        (lambda d: (d / "trace.json").write_text("[]"), "not the metadata of a trace"),
        (lambda d: (d / "trace.json").write_text("{"), "not the metadata of a trace"),
        (lambda d: (d / "trace.json").unlink(), "trace.json: No such file"),
        (lambda d: (d / "trace.csv").unlink(), "trace.csv: no such table"),
        (lambda d: change_csv(d, "wire_upload_bytes", "bytes"), "trace.csv: column"),
        (lambda d: change_csv(d, "1100", "-1"), "trace.csv: column 'wire_upload_bytes'"),
        (lambda d: change_csv(d, "1100", "999"), "uploads more ciphertexts than bytes"),
    ],
)
def test_a_spoilt_trace_is_not_read(tmp_path, spoil, fault):
    write(tmp_path, [record()])
    spoil(tmp_path)
    with pytest.raises(ChocoError, match=fault):
        read_trace(tmp_path)


def test_the_documentation_is_in_step():
    assert trace_docs.PATH.read_text(encoding="utf-8") == trace_docs.render(), (
        "run python -m workloads.protocol.trace_docs"
    )


def test_every_operation_and_column_is_documented():
    page = trace_docs.render()
    for name in (*COLUMNS, *TraceMetadata.model_fields):
        assert f"| `{name}` |" in page
    assert {f"server_{name}" for name in OPERATIONS} <= set(COLUMNS)
    assert "None" not in page
