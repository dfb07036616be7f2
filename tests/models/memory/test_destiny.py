"""DESTINY's files: what we ask, what it answered, and answers that must not be believed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import ChocoError
from models.memory.destiny import Request, configuration, explain, parse_report
from models.memory.sense import check_agreement, check_growth, check_optima
from models.memory.table import recorded_arrays

RECORDED = Path(__file__).parents[3] / "results/recorded/destiny"
REPORT = (RECORDED / "example_65536B_512bit_LOP.report.txt").read_text()
REFUSED = (RECORDED / "refused_49152B_512bit_LOP.report.txt").read_text()
REQUEST = Request(65536, 512, "LOP")


@pytest.fixture(scope="module")
def recorded():
    return recorded_arrays(RECORDED)


def section(target):
    """The part of the report for one target, as DESTINY printed it."""
    return REPORT.split(f"Optimized for: {target}\n")[1].split("Optimized for:")[0]


def test_configuration_is_the_one_that_was_recorded():
    assert configuration(REQUEST) == (RECORDED / "example_65536B_512bit_LOP.cfg").read_text()


def test_every_target_is_read_with_its_own_numbers():
    arrays = parse_report(REPORT, REQUEST)
    assert len(arrays) == 8
    fastest, frugal = arrays["ReadLatency"], arrays["ReadDynamicEnergy"]
    assert "Total Area = 1.229mm x 622.980um = 765832.929um^2" in section("Read Latency")
    assert fastest.area_m2 == pytest.approx(765832.929e-12)
    assert "Read Latency = 92.416ps" in section("Read Latency")
    assert fastest.read_latency_s == pytest.approx(92.416e-12)
    assert "Leakage Power = 1.231mW" in section("Read Latency")
    assert fastest.leakage_w == pytest.approx(1.231e-3)
    assert "Leakage Power = 408.486uW" in section("Read Energy")
    assert frugal.leakage_w == pytest.approx(408.486e-6)
    assert frugal.read_energy_j == pytest.approx(4.606e-12)
    assert frugal.write_energy_j == pytest.approx(3.910e-12)
    assert frugal.precharge_latency_s == pytest.approx(282.059e-12)
    assert (frugal.bank, frugal.mat, frugal.subarray) == (
        "1 x 1",
        "2 x 2",
        "256 Rows x 512 Columns",
    )


def test_the_recorded_table_holds_the_recorded_report(recorded):
    kind = recorded[
        (recorded.capacity_bytes == 65536)
        & (recorded.word_bits == 512)
        & (recorded.device_roadmap == "LOP")
    ].set_index("optimization_target")
    for target, array in parse_report(REPORT, REQUEST).items():
        for name in ("area_m2", "read_energy_j", "write_latency_s", "leakage_w", "subarray"):
            assert kind[name][target] == getattr(array, name)


def test_recorded_runs_make_sense(recorded):
    check_optima(REQUEST, parse_report(REPORT, REQUEST))
    check_growth(recorded)
    check_agreement(recorded, recorded)


@pytest.mark.parametrize(
    ("capacity", "bits", "message"),
    [
        (49152, 512, r"powers of two; 49152 bytes"),
        (65536, 384, r"powers of two; 384 bits"),
        (0, 512, r"powers of two; 0 bytes"),
        (64, 512, r"two words or more; asked for 64 bytes in 512-bit words, LOP"),
    ],
)
def test_arrays_that_destiny_does_not_build_are_refused_before_it_runs(capacity, bits, message):
    with pytest.raises(ChocoError, match=message):
        configuration(Request(capacity, bits, "LOP"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REFUSED, r"cannot divide this capacity.*powers of two"),
        ("No valid solutions.\n\nFinished!\n", r"found no organization"),
        ("sram_6t.cell cannot be found!\n", r"misses a file: sram_6t\.cell cannot be found"),
        ("", r"printed nothing"),
        (REPORT[: len(REPORT) // 2], r"breaks off"),
        ("gem5 Simulator System\n", r"is no report: 'gem5 Simulator System'"),
        (
            REPORT.replace("Optimized for: Leakage", "Optimized for: Beauty"),
            r"unknown target 'Beauty'",
        ),
        (REPORT.replace("-  Read Latency", "-  Hit Latency"), r"no 'Read Latency' in its report"),
        (REPORT.replace("= 4.606pJ", "= -nanpJ"), r"'-nanpJ' is not a quantity"),
        (REPORT.replace("= 4.606pJ", "= 0.000pJ"), r"'0\.000pJ' is not above zero"),
    ],
)
def test_a_run_without_a_usable_report_is_explained_in_one_line(text, message):
    with pytest.raises(ChocoError, match=message) as error:
        parse_report(text, REQUEST)
    assert "\n" not in str(error.value)
    assert "65536 bytes in 512-bit words, LOP" in str(error.value)


def test_a_crash_is_named():
    assert explain("Searching ...", -11) == "stopped by signal 11"


def test_a_fork_whose_read_energy_optimum_is_none_is_refused():
    """One reports 487 pJ where the author's version reports 4.6 pJ."""
    wrong = section("Read Energy").replace(
        "-  Read Dynamic Energy = 4.606pJ", "-  Read Dynamic Energy = 487.000pJ"
    )
    report = REPORT.replace(section("Read Energy"), wrong, 1)
    with pytest.raises(
        ChocoError, match=r"optimum of ReadDynamicEnergy has 4\.87e-10 J, .* only 4\.61e-12 J"
    ):
        check_optima(REQUEST, parse_report(report, REQUEST))


def test_a_version_that_reports_one_target_only_is_refused():
    head, *sections = re.split(r"(?==============\n   SUMMARY)", REPORT)
    with pytest.raises(ChocoError, match=r"not the optimum of .*PrintAllOptimals"):
        check_optima(REQUEST, parse_report(head + sections[0] + "Finished!", REQUEST))


def test_energies_that_are_all_wrong_are_refused_by_the_recorded_runs(recorded):
    live = recorded.assign(read_energy_j=recorded.read_energy_j * 100, provenance="live fork")
    with pytest.raises(ChocoError, match=r"read_energy_j is .*recorded DESTINY 32ef839.* gives"):
        check_agreement(live, recorded)


def test_a_larger_array_that_leaks_less_is_refused(recorded):
    kind = recorded[(recorded.word_bits == 512) & (recorded.optimization_target == "Area")]
    shrunk = kind.assign(
        leakage_w=kind.leakage_w.where(kind.capacity_bytes < 65536, kind.leakage_w / 1000)
    )
    with pytest.raises(ChocoError, match=r"leakage_w grows by a factor .* from 32768 to 65536"):
        check_growth(shrunk)


def test_what_agrees_is_not_refused():
    arrays = parse_report(REPORT, REQUEST)
    slightly = {t: replace(a, area_m2=a.area_m2 * 1.001) for t, a in arrays.items()}
    check_optima(REQUEST, slightly)
