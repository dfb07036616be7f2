"""Costs of SRAM arrays: exact where DESTINY ran, interpolated between, refused outside."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.config.memory import Memory, TwoPorts
from models.errors import ChocoError
from models.memory.costs import SramModel, interpolate
from models.memory.study import clocks, interpolation_errors
from models.memory.table import recorded_arrays
from models.memory.validation import interpolation_section
from models.recorded import open_recorded

ROOT = Path(__file__).parents[3] / "results/recorded"
TABLE = recorded_arrays(ROOT / "destiny")
MODEL = SramModel(TABLE)
SINGLE = SramModel(
    TABLE, two_ports=TwoPorts(area=1, read_energy=1, write_energy=1, leakage=1, latency=1)
)
COSTS = ("area_m2", "read_energy_j", "write_energy_j", "leakage_w", "read_latency_s")


def row(size, bits=512):
    chosen = TABLE[
        (TABLE.device_roadmap == "LOP")
        & (TABLE.optimization_target == "ReadDynamicEnergy")
        & (TABLE.word_bits == bits)
        & (TABLE.capacity_bytes == size)
    ]
    return chosen.iloc[0]


@pytest.mark.parametrize("bits", [64, 512])
def test_every_size_of_the_design_space_is_an_exact_run(bits):
    """Buffers of N x 8 bytes in up to 8 banks, slots of N bytes, stream buffers."""
    buffers = [8 * n // banks for n in 2 ** np.arange(10, 16) for banks in (1, 2, 4, 8)]
    sizes = buffers if bits == 512 else 2 ** np.arange(10, 16)
    streams = [] if bits == 64 else [128, 256, 512, 1024, 2048, 4096]
    assert MODEL([*sizes, *streams], bits).exact.all()


def test_exact_costs_are_the_recorded_ones_of_one_port():
    costs = MODEL([4096, 65536], 512, "1rw")
    for name in COSTS:
        np.testing.assert_array_equal(getattr(costs, name), [row(4096)[name], row(65536)[name]])


def test_a_second_port_multiplies_each_cost_by_its_own_factor():
    factors = TwoPorts(area=2, read_energy=3, write_energy=4, leakage=5, latency=6)
    costs = SramModel(TABLE, two_ports=factors)(65536, 512)
    one = row(65536)
    assert costs.area_m2 == pytest.approx(2 * one.area_m2)
    assert costs.read_energy_j == pytest.approx(3 * one.read_energy_j)
    assert costs.write_energy_j == pytest.approx(4 * one.write_energy_j)
    assert costs.leakage_w == pytest.approx(5 * one.leakage_w)
    assert costs.cycle_time_s == pytest.approx(
        6 * (max(one.read_latency_s, one.write_latency_s) + one.precharge_latency_s)
    )


def test_default_factors_of_the_second_port_are_those_of_the_recorded_cacti_runs():
    store = open_recorded(ROOT / "cacti")
    table = pd.read_csv(store.file("ports-45nm"))
    lop = table[table.device_roadmap == "LOP"].set_index(["ports", "capacity_bytes"])
    ratio = (
        lop.loc["1r1w"].drop(columns="device_roadmap")
        / lop.loc["1rw"].drop(columns="device_roadmap")
    ).median()
    factors = TwoPorts()
    assert factors.area == pytest.approx(ratio.area_m2, abs=0.005)
    assert factors.read_energy == pytest.approx(ratio.read_energy_j, abs=0.005)
    assert factors.write_energy == pytest.approx(ratio.write_energy_j, abs=0.005)
    assert factors.leakage == pytest.approx(ratio.leakage_w, abs=0.005)
    assert factors.latency == pytest.approx(ratio.access_time_s, abs=0.005)


@given(st.integers(128, 262144))
def test_between_two_runs_costs_lie_between_theirs(size):
    costs = SINGLE(size, 512)
    sizes = SINGLE.capacities(512)
    ends = SINGLE([sizes[sizes <= size][-1], sizes[sizes >= size][0]], 512)
    assert bool(costs.exact) == (size in sizes)
    for name in COSTS:
        low, high = sorted(getattr(ends, name))
        assert low * (1 - 1e-9) <= getattr(costs, name) <= high * (1 + 1e-9)


def test_shape_follows_the_capacities():
    sizes = np.array([[8192, 16384, 24576], [65536, 65536, 1024]])
    costs = MODEL(sizes, 512)
    assert costs.area_m2.shape == costs.exact.shape == costs.max_clock_hz.shape == (2, 3)
    assert MODEL(8192, 512).area_m2.shape == ()
    assert costs.area_m2[1, 0] == MODEL(65536, 512).area_m2
    assert not costs.exact[0, 2]


@pytest.mark.parametrize("size", [64, 127, 262145, 1 << 30, 0, -8])
def test_what_is_outside_the_table_is_refused_not_extrapolated(size):
    with pytest.raises(
        ChocoError, match=rf"{size} bytes .*outside the table \(128 to 262144 bytes"
    ):
        MODEL([8192, size], 512)


def test_word_widths_are_not_interpolated():
    with pytest.raises(ChocoError, match=r"no SRAM array with 96-bit words.*; there are 64, .*512"):
        MODEL(8192, 96)


def test_a_kind_without_runs_is_refused():
    with pytest.raises(ChocoError, match=r"no SRAM array of HP .*; there are LOP Area"):
        SramModel(TABLE[TABLE.device_roadmap == "LOP"], "HP")


def test_configuration_rejects_what_makes_no_sense():
    with pytest.raises(ValueError, match="384 is not a power of two"):
        Memory(live_word_bits=(64, 384))
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        TwoPorts(area=0.5)


def test_interpolation_error_of_runs_that_were_left_out_is_small():
    """The aim: a median of at most 10 % for area, energy, leakage and latency."""
    errors = interpolation_errors(TABLE[TABLE.optimization_target == "ReadDynamicEnergy"])
    kind = errors.quantity.str.extract("(area|energy|leakage|latency)", expand=False)
    assert (errors.groupby(kind).error.median() <= 0.10).all()


def test_costs_that_grow_as_a_power_are_interpolated_exactly():
    sizes = 2 ** np.arange(7, 19)
    wanted = np.array([200, 3000, 48 * 1024, 200_000])
    costs = interpolate(sizes, 3e-12 * sizes**0.8, wanted, np.searchsorted(sizes, wanted))
    np.testing.assert_allclose(costs, 3e-12 * wanted**0.8)


def test_three_runs_are_enough_and_two_are_a_straight_line():
    sizes, wanted = np.array([64, 128, 256]), np.array([181])
    assert 2 < interpolate(sizes, np.array([1.0, 2.0, 4.0]), wanted, np.array([2]))[0] < 4
    halfway = interpolate(sizes[:2], np.array([1.0, 4.0]), np.array([90]), np.array([1]))[0]
    assert halfway == pytest.approx(2, rel=0.02)


def test_a_left_out_run_is_predicted_without_it():
    """Its own cost must not matter to the prediction that its error is measured with."""
    kind = (TABLE.optimization_target == "ReadDynamicEnergy") & (TABLE.word_bits == 512)
    table = TABLE[kind & (TABLE.device_roadmap == "LOP")]
    changed = table.assign(area_m2=table.area_m2.where(table.capacity_bytes != 65536, 1e-7))

    def predicted(rows):
        errors = interpolation_errors(rows)
        chosen = (errors.capacity_bytes == 65536) & (errors.quantity == "area_m2")
        return errors[chosen].error.item()

    area = row(65536).area_m2
    prediction = {area * (1 + sign * predicted(table)) for sign in (1, -1)}
    with_changed = {1e-7 * (1 + sign * predicted(changed)) for sign in (1, -1)}
    assert min(abs(a / b - 1) for a in prediction for b in with_changed) < 1e-9


def test_memory_does_not_limit_the_clock_to_100_mhz():
    """Against CHOCO, Section 4.4: every buffer of N up to 32768, with two ports, is far faster."""
    table = clocks(TABLE, Memory())
    buffers = table[
        (table.device_roadmap == "LOP")
        & (table.optimization_target == "ReadDynamicEnergy")
        & (table.ports == "1r1w")
    ]
    assert (buffers.max_clock_hz > 250e6).all()
    paper = buffers[(buffers.capacity_bytes == 65536) & (buffers.word_bits == 512)]
    assert paper.max_clock_hz.item() > 700e6


def test_the_decision_record_states_the_numbers_of_the_model():
    text = (ROOT.parents[1] / "docs/decisions/memory-does-not-limit-the-clock.md").read_text()
    for log_n in range(10, 16):
        size = 8 << log_n
        single, double = MODEL(size, 512, "1rw"), MODEL(size, 512)
        times = (single.read_latency_s, single.cycle_time_s, double.cycle_time_s)
        clocks = [SramModel(TABLE, kind)(size, 512).max_clock_hz for kind in ("LOP", "LSTP", "HP")]
        cells = [
            *(f"{time * 1e9:.2f} ns" for time in times),
            *(f"{clock / 1e6:.0f} MHz" for clock in clocks),
        ]
        assert f"| {1 << log_n} | {size // 1024} kB | {' | '.join(cells)} |" in text
    for name, value in TwoPorts():
        assert f"| {value:g} |" in text, name


def test_the_validation_document_names_median_and_worst_error():
    errors = interpolation_errors(TABLE)
    text = interpolation_section(errors)
    energy = errors[
        (errors.optimization_target == "ReadDynamicEnergy")
        & errors.quantity.isin(["read_energy_j", "write_energy_j"])
    ].error
    line = next(line for line in text.splitlines() if line.startswith("| energy, read or write"))
    assert f"| {len(energy)} | {energy.median():.1%} | {energy.max():.1%} |" in line
