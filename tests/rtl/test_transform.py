import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize(
    "butterflies, largest, bits",
    [(1, 10, 27), (2, 11, 61), (4, 12, 36), (8, 11, 61), (16, 11, 59), (32, 11, 61)],
)
def test_transform_equals_reference(butterflies, largest, bits):
    parameters = {"Butterflies": butterflies, "MaxLogN": largest}
    run_bench("tb_ntt", "bench_ntt", parameters, {"bits": bits}, ("tb_ntt.sv",))
