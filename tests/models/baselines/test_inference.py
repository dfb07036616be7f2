"""Published speed of networks on Cortex-A7 cores."""

import pytest
import yaml

from models.baselines.inference import DATA, load, published_range
from models.errors import ChocoError


def test_rates_are_per_core_and_cycle():
    xnnpack = load()[0]
    # 569 million in 302 ms on 4 cores of 900 MHz.
    assert xnnpack.macs_per_cycle(xnnpack.results[0]) == pytest.approx(569 / 302 / 3.6, rel=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_no_core_multiplies_more_than_its_vectors_are_wide(dtype):
    low, high = published_range(load(), dtype)
    assert 0 < low < high < {"float32": 4, "int8": 8}[dtype]


def test_int8_is_faster_on_every_machine_that_has_both():
    for machine in load():
        of = {(r.network, r.dtype): machine.macs_per_cycle(r) for r in machine.results}
        for network, dtype in of:
            if dtype == "float32":
                assert of[network, "int8"] > of[network, "float32"]


def test_an_entry_that_does_not_fit_is_one_line(tmp_path):
    data = yaml.safe_load(DATA.read_text())
    data[1]["confidence"] = "certain"
    path = tmp_path / "inference.yaml"
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(ChocoError, match=r"inference.yaml: .*confidence") as error:
        load(path)
    assert "\n" not in str(error.value)


def test_a_type_without_results_is_an_error():
    machines = load()
    only_int8 = (machines[2],)
    with pytest.raises(ChocoError, match="no published result of float32"):
        published_range(only_int8, "float32")
