import pytest

from rtl.tb.runner import run_bench


def test_slot_order():
    run_bench("taco_slot_map", "bench_slot_map", {"MaxLogN": 13})


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_scaling_and_base_conversion(layers):
    run_bench("taco_message_lane", "bench_message_lane", {"DataLayers": layers})


@pytest.mark.parametrize(("lanes", "butterflies", "largest"), [(2, 4, 11), (1, 8, 10)])
def test_message_unit(lanes, butterflies, largest):
    parameters = {"Lanes": lanes, "DataLayers": 2, "MaxLogN": largest, "Butterflies": butterflies}
    run_bench("taco_message", "bench_message", parameters)
