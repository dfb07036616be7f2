import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.accelerator.machine import MODULES, memories, parts
from models.accelerator.points import HePoints, design_points
from models.accelerator.schedule import OPERATIONS
from models.accelerator.simulator import area_shares, energy_shares, simulate
from models.accelerator.timing import operation_timing
from models.config.platform import Accelerator

elements = st.sampled_from([1, 2, 4, 8, 16, 32])
lanes = st.sampled_from([1, 2, 4, 8])
designs = st.builds(
    Accelerator,
    ntt_butterflies=elements,
    intt_butterflies=elements,
    encode_butterflies=elements,
    dyadic_multipliers=lanes,
    adders=lanes,
    modulus_switch_elements=lanes,
    generator_units=lanes,
    stream_buffer_bytes=st.sampled_from([0, 1024]),
)
operations = st.sampled_from(OPERATIONS)
he_parameters = st.builds(
    lambda log_n, k: HePoints(np.asarray(1 << log_n), np.asarray(k)),
    st.integers(10, 15),
    st.integers(1, 16),
)


@settings(deadline=None, max_examples=30)
@given(designs, operations, he_parameters)
def test_modules_and_phases_add_up_to_the_whole(technology, design, operation, he):
    point = design_points(design)
    outcome = simulate(operation, he, point, technology)
    shares = list(energy_shares(operation, he, point, technology))
    assert sum(sum(s.energy_j.values()) for s in shares) == pytest.approx(outcome.energy_j)
    assert sum(area for _, area in area_shares(he, point, technology)) == pytest.approx(
        outcome.area_m2
    )
    assert {share.module for share in shares} == set(MODULES)
    assert outcome.power_w * outcome.time_s == pytest.approx(outcome.energy_j)
    assert all(energy >= 0 for share in shares for energy in share.energy_j.values())


@settings(deadline=None, max_examples=30)
@given(designs, operations, he_parameters)
def test_nothing_works_more_cycles_than_there_are(technology, design, operation, he):
    point = design_points(design)
    timing = operation_timing(operation, he, point)
    for part in parts(operation, he, point, timing, technology.blocks):
        work = sum(part.work.values())
        # The INTT of a shared unit is done by the NTT's.
        count = part.count if np.any(part.count) else he.key_residues
        assert work <= count * timing.total * (1 + 1e-9), part.name
    for memory in memories(operation, he, point, technology.sram):
        for accesses in (memory.reads, memory.writes):
            assert sum(accesses.values()) <= max(1, memory.count) * timing.total, memory.name


def test_the_transforms_of_an_encryption_are_nine(technology, set_a, point):
    # Three of each of three residues: u, and both products back (CHOCO, Section 4.3).
    design = point(ntt_butterflies=1, intt_butterflies=1)
    timing = operation_timing("bfv_encrypt", set_a, design)
    blocks = {
        part.name: sum(part.work.values())
        for part in parts("bfv_encrypt", set_a, design, timing, technology.blocks)
        if part.module == "transform"
    }
    assert sum(blocks.values()) == pytest.approx(9 * 53248, rel=0.02)
    assert blocks["intt block"] == pytest.approx(2 * blocks["ntt block"])
    moved = {
        memory.name: (sum(memory.reads.values()), sum(memory.writes.values()))
        for memory in memories("bfv_encrypt", set_a, design, technology.sram)
    }
    # 13 passes over 1024 words, and each buffer is filled and emptied for every transform.
    assert moved["buffer A"] == (3 * (13 + 2) * 1024, 3 * (13 + 1) * 1024)
    assert moved["buffer B"] == (2 * 3 * (13 + 1) * 1024, 2 * 3 * (13 + 1) * 1024)
    assert moved["keys"][0] == 2 * 3 * 1024


def test_one_transform_unit_saves_area_and_nothing_else_changes(technology, set_a, point):
    shared, separate = (
        simulate("bfv_encrypt", set_a, point(transform_units=units), technology) for units in (1, 2)
    )
    assert shared.area_m2 < separate.area_m2
    assert shared.time_s == separate.time_s
    assert shared.energy_j < separate.energy_j


def test_a_faster_clock_costs_power_and_saves_leakage(technology, set_a, point):
    slow, fast = (
        simulate("bfv_encrypt", set_a, point(clock_hz=clock), technology) for clock in (5e7, 1e8)
    )
    assert fast.time_s == pytest.approx(slow.time_s / 2)
    assert slow.energy_j > fast.energy_j
    assert fast.power_w > slow.power_w
    assert fast.min_period_s == slow.min_period_s


def test_idle_layers_of_a_decryption_only_idle(technology, point):
    he = HePoints(np.asarray(8192), np.asarray(3))
    timing = operation_timing("ckks_decrypt", he, point())
    for part in parts("ckks_decrypt", he, point(), timing, technology.blocks):
        if part.module in ("random_generator", "transform", "modulus_switch", "message_encoding"):
            assert not part.work


def test_points_do_not_influence_each_other(technology, point):
    degrees, residues = np.array([2048, 8192, 32768]), np.array([1, 3, 16])
    together = simulate("bfv_encrypt", HePoints(degrees, residues), point(), technology)
    for i in range(3):
        he = HePoints(degrees[i], residues[i])
        alone = simulate("bfv_encrypt", he, point(), technology)
        assert together.energy_j[i] == pytest.approx(alone.energy_j)
        assert together.area_m2[i] == pytest.approx(alone.area_m2)
