from pathlib import Path

import pytest

from models.errors import ChocoError
from models.stage import Job
from rtl.synthesis.place_and_route import table


@pytest.mark.parametrize("name", ["live", "recorded"])
def test_a_table_of_nothing_is_refused(tmp_path: Path, name: str) -> None:
    source = tmp_path / "blocks" if name == "live" else tmp_path / "manifest.yaml"
    outputs = {"blocks": tmp_path / "blocks.csv", "post_route": tmp_path / "post_route.csv"}
    with pytest.raises(ChocoError, match=r"no block was placed|no recorded outputs"):
        table.stage(Job(table.Settings(), {name: source}, outputs))
    assert not any(path.exists() for path in outputs.values())
