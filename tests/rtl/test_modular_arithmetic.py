import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize("width", [8, 61])
@pytest.mark.parametrize("module", ["taco_mod_add", "taco_mod_sub"])
def test_adder_and_subtractor(module, width):
    run_bench(module, "bench_mod_add_sub", {"Width": width})
