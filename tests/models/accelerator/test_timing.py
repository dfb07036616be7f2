import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.accelerator.points import DesignPoints, HePoints, design_points
from models.accelerator.schedule import OPERATIONS
from models.accelerator.timing import (
    buffer_banks,
    operation_timing,
    sample_rate,
    transform_cycles,
)
from models.config.platform import Accelerator

DEGREES = np.array([1024, 2048, 4096, 8192, 16384, 32768])
ELEMENTS = {
    "dyadic_multipliers": (1, 2, 4, 8),
    "adders": (1, 2, 4, 8),
    "modulus_switch_elements": (1, 2, 4, 8),
    "encode_butterflies": (1, 2, 4, 8, 16, 32),
    "ntt_butterflies": (1, 2, 4, 8, 16, 32),
    "intt_butterflies": (1, 2, 4, 8, 16, 32),
    "generator_units": (1, 2, 4, 8),
    "stream_buffer_bytes": (0, 128, 1024, 8192),
}
designs = st.builds(
    Accelerator,
    error_distribution=st.sampled_from(["clipped normal", "centered binomial"]),
    **{name: st.sampled_from(values) for name, values in ELEMENTS.items()},
)
operations = st.sampled_from(OPERATIONS)


def total(operation, design, residues=3, degrees=DEGREES):
    points = HePoints(degrees, np.full(len(degrees), residues))
    return operation_timing(operation, points, design_points(design)).total


@pytest.mark.parametrize(
    ("n", "butterflies", "published"),
    [
        (8192, 1, 53535),  # CoFHEE, silicon: fill of the pipeline included
        (4096, 16, 1536),  # HEAX, 4096 points on 16 butterflies
        (8192, 16, 3328),  # HEAX, 300 MHz / 90,144 transforms a second
    ],
)
def test_transform_cycles_are_near_those_of_built_hardware(n, butterflies, published):
    # Our stages do not overlap, which costs a dozen cycles each: most where stages are short.
    ours = transform_cycles(np.array(n), np.array(butterflies))
    assert published * 0.99 < ours < published * 1.11


def test_a_transform_does_all_its_butterflies_and_little_else():
    for butterflies in (1, 2, 4, 8, 16, 32):
        cycles = transform_cycles(DEGREES, np.asarray(butterflies))
        work = DEGREES / 2 * np.log2(DEGREES) / butterflies
        assert (cycles > work).all()
        assert (cycles - work <= 16 * np.log2(DEGREES)).all()


@settings(deadline=None)
@given(designs, operations, st.sampled_from(list(ELEMENTS)))
def test_more_of_anything_is_never_slower(design, operation, grown):
    values = ELEMENTS[grown]
    larger = values[min(values.index(getattr(design, grown)) + 1, len(values) - 1)]
    more = design.model_copy(update={grown: larger})
    # A wider word has one stage fewer with both operands in different words: a few cycles.
    assert (total(operation, more) <= total(operation, design) + 8).all()


@settings(deadline=None)
@given(designs, operations)
def test_phases_add_up(design, operation):
    he = HePoints(DEGREES, np.full(6, 3))
    timing = operation_timing(operation, he, design_points(design))
    assert sum(timing.phases.values()) == pytest.approx(timing.total)
    assert all((np.asarray(cycles) >= 0).all() for cycles in timing.phases.values())


@settings(deadline=None)
@given(designs, st.integers(2, 4))
def test_residues_run_in_parallel_while_the_port_keeps_up(design, residues):
    narrow = design.model_copy(update={"adders": 1, "modulus_switch_elements": 1})
    operation = "bfv_encrypt"
    assert (total(operation, narrow, residues) == total(operation, narrow, 2)).all()


def test_many_residues_wait_for_the_port_of_the_host():
    wide = Accelerator(adders=4, modulus_switch_elements=4, generator_units=4)
    for operation in OPERATIONS:
        assert (total(operation, wide, 16) > total(operation, wide, 3)).all()


def test_encryption_waits_for_a_slow_encoder_only():
    he = HePoints(np.array([8192]), np.array([3]))
    fast, slow = (
        operation_timing(
            "bfv_encrypt", he, design_points(Accelerator(encode_butterflies=p, ntt_butterflies=8))
        )
        for p in (8, 1)
    )
    assert fast.phases["encode"] == 0
    assert slow.phases["encode"] > 0


def test_a_buffer_of_a_polynomial_hides_the_generator():
    none, whole = (
        Accelerator(
            adders=8, modulus_switch_elements=8, dyadic_multipliers=8, stream_buffer_bytes=b
        )
        for b in (0, 32768)
    )
    he = HePoints(np.array([32768]), np.array([2]))
    slow, fast = (operation_timing("bfv_encrypt", he, design_points(d)) for d in (none, whole))
    rate = sample_rate(design_points(none), error=True)
    assert slow.phases["addition"] == pytest.approx(2 * 32768 / rate, abs=2)
    assert fast.phases["addition"] == pytest.approx(2 * 32768 / 8, abs=2)


def test_normal_errors_take_eight_bytes_of_64_in_seven_cycles():
    # CHOCO, Section 4.3: errors are sequences of 8-byte samples.
    assert sample_rate(design_points(Accelerator()), error=True) == pytest.approx(8 / 7)


def test_default_design_point_takes_about_the_time_that_the_paper_states():
    # CHOCO, Sections 4.4 and 4.6: 0.66 ms and 0.65 ms at (8192, 3) and 100 MHz.
    at = np.array([8192])
    assert total("bfv_encrypt", Accelerator(), 3, at)[0] < 0.66e5 * 1.1
    assert total("bfv_decrypt", Accelerator(), 3, at)[0] < 0.65e5 * 1.2


def test_banks_feed_every_butterfly():
    banks = buffer_banks(np.array([1, 2, 4, 8, 16, 32]))
    assert banks.tolist() == [1, 1, 1, 2, 4, 8]


def test_designs_and_parameters_broadcast():
    design = DesignPoints(
        *(np.asarray(x) for x in (1,)),
        np.array([1, 4])[:, None],
        np.array([1, 4])[:, None],
        *(np.asarray(x) for x in (2, 2, 2, 4, 1, 0, 1e8)),
    )
    he = HePoints(DEGREES, np.full(6, 3))
    assert operation_timing("ckks_encrypt", he, design).total.shape == (2, 6)
