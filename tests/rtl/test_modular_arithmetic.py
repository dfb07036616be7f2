import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize("width", [8, 61])
@pytest.mark.parametrize("module", ["taco_mod_add", "taco_mod_sub"])
def test_adder_and_subtractor(module, width):
    run_bench(module, "bench_mod_add_sub", {"Width": width})


@pytest.mark.parametrize("degree, bits", [(1024, 20), (4096, 36), (8192, 59), (32768, 61)])
@pytest.mark.parametrize("stall_percent", [0, 30])
def test_multiplier(degree, bits, stall_percent):
    settings = {"degree": degree, "bits": bits, "stall_percent": stall_percent}
    run_bench("taco_mod_mul", "bench_mod_mul", settings=settings)
