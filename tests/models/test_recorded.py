import hashlib
from pathlib import Path

import pytest
import yaml

from models.errors import ChocoError
from models.recorded import open_recorded

COMMITTED = Path("results/recorded")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def store_directory(tmp_path):
    (tmp_path / "out.txt").write_text("42\n")
    manifest = {
        "tool": "abacus",
        "runs": [
            {
                "id": "first",
                "version": "1.2",
                "date": "2026-11-21",
                "command": "abacus 6 7",
                "machine": "desk",
                "files": [{"path": "out.txt", "sha256": hashlib.sha256(b"42\n").hexdigest()}],
            }
        ],
    }
    (tmp_path / "manifest.yaml").write_text(yaml.safe_dump(manifest))
    return tmp_path


def _edit(directory, change):
    path = directory / "manifest.yaml"
    data = yaml.safe_load(path.read_text())
    change(data)
    path.write_text(yaml.safe_dump(data))


def test_a_recorded_file_opens_and_says_where_it_comes_from(store_directory):
    store = open_recorded(store_directory)
    assert store.file("first").read_text() == "42\n"
    assert store.file("first", "out.txt") == store.file("first")
    assert store.provenance("first") == "recorded abacus 1.2 2026-11-21"


def test_a_tampered_file_is_an_error_that_names_it(store_directory):
    store = open_recorded(store_directory)
    (store_directory / "out.txt").write_text("43\n")
    for access in (lambda: store.file("first"), store.verify):
        with pytest.raises(ChocoError, match=r"out\.txt.*has changed") as error:
            access()
        assert "\n" not in str(error.value)


def test_a_missing_file_is_an_error_that_names_it(store_directory):
    (store_directory / "out.txt").unlink()
    with pytest.raises(ChocoError, match=r"out\.txt.*missing"):
        open_recorded(store_directory).file("first")


def test_unknown_run_and_file_list_what_there_is(store_directory):
    store = open_recorded(store_directory)
    with pytest.raises(ChocoError, match=r"no run 'second'.*first"):
        store.file("second")
    with pytest.raises(ChocoError, match=r"out\.txt.*asked for other\.txt"):
        store.file("first", "other.txt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["runs"][0].pop("version"), "version"),
        (lambda d: d["runs"][0].update(date="yesterday"), "date"),
        (lambda d: d["runs"][0]["files"][0].update(sha256="abc"), "sha256"),
        (lambda d: d["runs"][0].update(colour="red"), "colour"),
        (lambda d: d.update(runs=[]), "runs"),
        (lambda d: d.update(runs=d["runs"] * 2), "more than once"),
    ],
)
def test_a_bad_manifest_is_one_line_that_names_it(store_directory, change, message):
    _edit(store_directory, change)
    with pytest.raises(ChocoError, match=rf"manifest\.yaml.*{message}") as error:
        open_recorded(store_directory)
    assert "\n" not in str(error.value)


def test_no_manifest_or_no_yaml(tmp_path):
    with pytest.raises(ChocoError, match=r"manifest\.yaml: no recorded outputs"):
        open_recorded(tmp_path)
    (tmp_path / "manifest.yaml").write_text("tool: [")
    with pytest.raises(ChocoError, match="not YAML"):
        open_recorded(tmp_path)


@pytest.mark.parametrize("tool", ["gem5", "destiny"])
def test_every_committed_file_matches_its_checksum_and_is_listed(tool):
    store = open_recorded(ROOT / COMMITTED / tool)
    store.verify()
    listed = {f.path for run in store.runs for f in run.files} | {"manifest.yaml"}
    assert listed == {p.name for p in store.directory.iterdir()}
