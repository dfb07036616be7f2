from pathlib import Path

import pytest

from models.errors import ChocoError
from models.memory.sram import load_sram

DESTINY = Path(__file__).parents[3] / "results/recorded/destiny"


def test_larger_arrays_leak_more():
    arrays = load_sram(DESTINY).arrays
    leakage = [arrays[size].leakage_w for size in sorted(arrays)]
    assert leakage == sorted(leakage)


def test_high_performance_devices_leak_more_than_low_power_ones():
    leakage = [
        load_sram(DESTINY, device_roadmap=roadmap).array(65536).leakage_w
        for roadmap in ("LSTP", "LOP", "HP")
    ]
    assert leakage == sorted(leakage)


@pytest.mark.parametrize("size", [64, 65000, 524288])
def test_a_size_without_a_run_is_refused_and_lists_those_there_are(size):
    with pytest.raises(ChocoError, match=rf"of {size} bytes.*65536, 131072, 262144"):
        load_sram(DESTINY).array(size)


def test_a_kind_without_runs_is_refused():
    with pytest.raises(ChocoError, match="no array with 96-bit words"):
        load_sram(DESTINY, word_bits=96)
