"""The environment is described twice, for uv and for conda; both must say the same."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_conda_pins_equal_the_project_pins():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(d["pip"] for d in conda["dependencies"] if isinstance(d, dict))
    assert pip == project["dependencies"]


def test_every_dependency_is_pinned_and_locked():
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    locked = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    versions = {package["name"]: package.get("version") for package in locked}
    wanted = described["project"]["dependencies"] + described["dependency-groups"]["dev"]
    for requirement in wanted:
        name, separator, version = requirement.partition("==")
        assert separator, f"{requirement} is not pinned"
        assert versions[name.partition("[")[0]] == version
