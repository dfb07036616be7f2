import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize(
    "butterflies, largest, bits",
    [(1, 10, 27), (2, 10, 61), (4, 12, 36), (8, 11, 61), (16, 10, 59), (32, 10, 61)],
)
def test_transform_equals_reference(butterflies, largest, bits):
    parameters = {"Butterflies": butterflies, "MaxLogN": largest}
    run_bench("tb_ntt", "bench_ntt", parameters, {"bits": bits}, ("tb_ntt.sv",))
