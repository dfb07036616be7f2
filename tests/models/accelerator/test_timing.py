import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.accelerator.timing import (
    MODULES,
    buffer_banks,
    decryption,
    encryption,
    transform_cycles,
)
from models.config.platform import Accelerator

DEGREES = np.array([1024, 2048, 4096, 8192, 16384, 32768])
ELEMENTS = (
    "butterflies",
    "dyadic_multipliers",
    "adders",
    "modulus_switch_elements",
    "encode_butterflies",
)

designs = st.builds(
    Accelerator,
    **{name: st.sampled_from([1, 2, 4, 8, 16, 32]) for name in ELEMENTS},
    generator_bytes_per_cycle=st.floats(0.5, 64),
)
operations = st.sampled_from([encryption, decryption])


@pytest.mark.parametrize(
    ("n", "butterflies", "published"),
    [
        (8192, 1, 53535),  # CoFHEE, silicon, 200 MHz: fill of the pipeline included
        (4096, 16, 1536),  # HEAX, 4096 points on 16 butterflies
        (8192, 16, 3328),  # HEAX, 300 MHz / 90,144 transforms a second
    ],
)
def test_transform_cycles_agree_with_built_hardware(n, butterflies, published):
    assert transform_cycles(np.array([n]), butterflies)[0] == pytest.approx(published, rel=0.01)


@given(designs, operations, st.sampled_from([*ELEMENTS, "generator_bytes_per_cycle"]))
def test_more_of_anything_is_never_slower(design, operation, grown):
    more = 2 * getattr(design, grown)  # unchecked, so may leave the configured range
    larger = design.model_copy(update={grown: more})
    before = operation(DEGREES, np.full(6, 3), design).total
    assert (operation(DEGREES, np.full(6, 3), larger).total <= before).all()


@given(designs, operations, st.integers(2, 16))
def test_residues_run_in_parallel(design, operation, residues):
    two = operation(DEGREES, np.full(6, 2), design)
    assert (operation(DEGREES, np.full(6, residues), design).total == two.total).all()


@given(designs, operations)
def test_critical_cycles_add_up_and_no_module_outworks_the_total(design, operation):
    timing = operation(DEGREES, np.full(6, 3), design)
    assert sum(timing.critical.values()) == pytest.approx(timing.total)
    assert set(timing.critical) == set(timing.busy) == set(MODULES)
    for module in MODULES:
        assert (timing.busy[module] <= timing.total).all()
        assert (timing.critical[module] <= timing.busy[module]).all()


def test_cycles_grow_as_n_log_n():
    design = Accelerator()
    for operation in (encryption, decryption):
        cycles = operation(DEGREES, np.full(6, 3), design).total
        ratio = cycles / (DEGREES * np.log2(DEGREES))
        assert (np.diff(cycles) > 0).all()
        assert ratio.max() / ratio.min() < 1.5  # the streams grow as N alone


def test_one_residue_has_nothing_to_switch():
    slow = Accelerator(modulus_switch_elements=1, generator_bytes_per_cycle=64, adders=8)
    one, three = encryption(np.array([2048, 2048]), np.array([1, 3]), slow).total
    assert one < three


def test_encryption_waits_for_a_slow_encoder():
    fast, slow = (
        encryption(
            np.array([8192]), np.array([3]), Accelerator(encode_butterflies=p, butterflies=8)
        )
        for p in (4, 1)
    )
    assert fast.critical["message_encoding"][0] == 0
    assert slow.critical["message_encoding"][0] > 0
    assert slow.total[0] > fast.total[0]


def test_banks_feed_every_butterfly():
    for butterflies in range(1, 33):
        banks = buffer_banks(butterflies)
        assert banks * 4 >= butterflies
        assert banks == 1 or banks * 4 < 2 * butterflies


def test_default_design_point_takes_the_time_that_the_paper_states():
    # CHOCO, Sections 4.4 and 4.6: 0.66 ms and 0.65 ms at (8192, 3) and 100 MHz.
    point = np.array([8192]), np.array([3]), Accelerator()
    assert encryption(*point).total[0] / 100e6 == pytest.approx(0.66e-3, rel=0.02)
    assert decryption(*point).total[0] / 100e6 == pytest.approx(0.65e-3, rel=0.02)
