"""The published accelerators, and the paper's way of applying them to a software profile."""

from pathlib import Path

import pandas as pd
import pytest

from models import paper
from models.baselines import hardware
from models.errors import ChocoError

PAPER = Path(__file__).parents[3] / "results" / "paper"


def _profile(shares: dict[tuple[str, str], float]) -> pd.DataFrame:
    rows = [(operation, group, 1000 * share) for (operation, group), share in shares.items()]
    return pd.DataFrame(rows, columns=["operation", "function_group", "cycles"])


@pytest.fixture
def by_system():
    return {entry.system: entry for entry in hardware.load()}


def test_the_papers_share_gives_the_papers_gain_of_heax(by_system):
    """58 % of NTT and products is what the paper's 2.27x implies ("60%" in its text)."""
    profile = _profile(
        {
            ("encrypt", "ntt"): 0.20,
            ("encrypt", "intt"): 0.22,
            ("encrypt", "dyadic_product"): 0.16,
            ("encrypt", "error_sampling"): 0.42,
        }
    )
    gain = 1000 / hardware.accelerated(profile, by_system["choco_heax"])["encrypt"]
    stated = paper.load(PAPER).value("derived_heax_speedup")
    assert gain == pytest.approx(stated, rel=0.02)


@pytest.mark.parametrize("system", ["choco_heax", "choco_fpga"])
def test_gain_is_bounded_by_amdahl_and_by_the_reported_speedup(by_system, system):
    entry = by_system[system]
    for support in entry.supports:
        for operation in support.operations:
            unsupported = _profile({(operation, "random_generator"): 1.0})
            assert hardware.accelerated(unsupported, entry)[operation] == 1000
            group, factor = next(iter(support.function_groups.items()))
            half = _profile({(operation, group): 0.5, (operation, "random_generator"): 0.5})
            cycles = hardware.accelerated(half, entry)[operation]
            assert cycles == pytest.approx(500 + 500 / factor)


def test_encoding_stays_in_software(by_system):
    profile = _profile({("encode", "ntt"): 1.0})
    for entry in by_system.values():
        assert hardware.accelerated(profile, entry)["encode"] == 1000


def test_an_unknown_group_is_refused(tmp_path):
    text = hardware.DATA.read_text(encoding="utf-8").replace("dyadic_product", "polynomials", 1)
    path = tmp_path / "hardware.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ChocoError, match=r"hardware\.yaml: 0\.supports\.0\.function_groups"):
        hardware.load(path)
