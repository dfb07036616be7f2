import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from models.errors import ChocoError
from rtl.synthesis.place_and_route import openroad
from rtl.synthesis.place_and_route.costs import row
from rtl.synthesis.place_and_route.floorplan import Size, plan
from rtl.synthesis.place_and_route.settings import HERE, block_list, find_block, read_technology

TECHNOLOGY = read_technology(HERE / "nangate45.yaml")
JOB = {
    "module": "block",
    "verilog": "mapped.v",
    "lef": ["a b.lef", "c.lef"],
    "liberty": ["typ.lib"],
    "tracks": None,
    "wire_rc": None,
    "extraction_rules": None,
    "period_s": 1e-8,
    "voltage_v": 1.1,
    "density": 0.5,
    "detailed": True,
    "route_iterations": 64,
    "threads": 2,
    "activity_active": "active.activity",
    "activity_idle": "idle.activity",
}


def metrics(**changed: float | str) -> openroad.Metrics:
    """Measurements as of a block of 2 cells; none of them is a real one."""
    found: openroad.Metrics = {
        "floorplan__design__core__area": 20.0,
        "floorplan__design__die__area": 30.0,
        "finish__parasitics": "extracted",
        "finish__complete": 1.0,
    }
    for stage in ("synthesis", "finish"):
        found |= {
            f"{stage}__design__instance__count__stdcell": 2.0,
            f"{stage}__design__instance__area__stdcell": 9.0,
            f"{stage}__timing__min_period": 4.0,
        }
        for mode in ("active", "idle"):
            found |= {
                f"{stage}__power__activity__pins__{mode}": 2.0,
                f"{stage}__power__activity__missing__{mode}": 0.0,
                f"{stage}__power__switching__inputs__{mode}": 1e-6,
            }
            for kind in ("internal", "switching", "leakage"):
                found[f"{stage}__power__{kind}__total__{mode}"] = 5e-6
                found[f"{stage}__power__{kind}__macro__{mode}"] = 2e-6
    return found | changed


def fake(directory: Path, script: str) -> Path:
    """An OpenROAD that only does what a test wants to see handled."""
    path = directory / "openroad"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_what_is_written_is_what_tcl_reads(tmp_path: Path) -> None:
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh")
    floor = plan(1000, {"b0": Size(30, 20)}, 0.5, 1.4, 5.32, 5)
    openroad.write_job(tmp_path, JOB, TECHNOLOGY, floor)
    script = tmp_path / "show.tcl"
    script.write_text(
        "source job.tcl\n"
        "puts [llength $job(lef)]\nputs [lindex $job(lef) 0]\nputs [llength $job(macros)]\n"
        "puts [expr {$job(tracks) eq {}}]\nputs $job(detailed)\nputs [lindex $tech(stripes) 0]\n"
        "puts [lindex $tech(dont_use) 0]\n"
        f"puts [info complete [read [open {{{openroad.FLOW}}}]]]\n"
    )
    run = subprocess.run(["tclsh", str(script)], cwd=tmp_path, capture_output=True, text=True)
    expected = ["2", "a b.lef", "4", "1", "1", "metal1", TECHNOLOGY.dont_use[0], "1"]
    assert run.stdout.split("\n")[:-1] == expected, run.stderr


def test_the_flow_uses_only_settings_that_are_written(tmp_path: Path) -> None:
    openroad.write_job(tmp_path, JOB, TECHNOLOGY, plan(1000, {}, 0.5, 1.4, 5.32, 5))
    written = set(re.findall(r"^set (\w+\(\w+\))", (tmp_path / "job.tcl").read_text(), re.M))
    flow = openroad.FLOW.read_text()
    used = set(re.findall(r"\$(?:::)?((?:job|tech)\(\w+\))", flow))
    assert used - {"job(activity_)"} <= written


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo '[ERROR GPL-0302] Use a higher -density'", "GPL-0302"),
        ("echo started", "no message; the last measurement is none"),
        ("printf 'a__b\\t1.0\\n' > metrics.tsv; exit 0", "the last measurement is a__b"),
        ("echo broken > metrics.tsv", "not a name and a value"),
    ],
)
def test_an_openroad_that_stops_early_is_explained(
    tmp_path: Path, script: str, message: str
) -> None:
    with pytest.raises(ChocoError, match=re.escape(message)) as raised:
        openroad.run(fake(tmp_path, script), tmp_path)
    assert "\n" not in str(raised.value)


def test_measurements_of_an_earlier_run_do_not_count(tmp_path: Path) -> None:
    lines = [f"{name}\t{value}" for name, value in metrics().items()]
    (tmp_path / "metrics.tsv").write_text("\n".join(lines) + "\n")
    with pytest.raises(ChocoError, match="did not finish"):
        openroad.run(fake(tmp_path, "exit 0"), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"finish__timing__min_period": float("nan")}, "finish__timing__min_period = nan"),
        ({"finish__timing__min_period": 0.0}, "cannot be"),
        ({"finish__power__internal__total__active": 0.0}, "cannot be"),
        ({"finish__power__activity__missing__active": 1.0}, "1 of 3 pins"),
        ({"finish__design__instance__area__stdcell": 25.0}, "the core has 20 um2"),
        ({"finish__design__instance__area__stdcell": 3.0}, "9 um2 were mapped"),
        ({"detailedroute__route__drc_errors": 0.0}, "wirelength"),
        ({"floorplan__design__core__area": "unknown"}, "did not measure"),
    ],
)
def test_measurements_that_mean_nothing_are_refused(
    changed: dict[str, float | str], message: str
) -> None:
    openroad.judge(metrics())
    with pytest.raises(ChocoError, match=message):
        openroad.judge(metrics(**changed))


def test_broken_rules_and_slack_are_results_not_errors() -> None:
    openroad.judge(
        metrics(
            detailedroute__route__drc_errors=7.0,
            detailedroute__route__wirelength=10.0,
            finish__timing__setup__ws=-2.0,
        )
    )


def test_a_row_of_costs_leaves_memories_out() -> None:
    named = metrics() | {
        "clock__period": 10.0,
        "choco__block": "taco_layer",
        "choco__parameters": "Lanes=1",
        "choco__library": "none",
        "choco__activity": "none",
    }
    without = row(named, "post_route", "test")
    more = named | {"finish__power__internal__macro__active": 3e-6}
    assert row(more, "post_route", "test")["active_energy_j"] == pytest.approx(
        without["active_energy_j"] - 1e-6 * 10e-9
    )
    with pytest.raises(ChocoError, match="no metric finish__timing__min_period"):
        row({k: v for k, v in named.items() if "finish__timing" not in k}, "post_route", "test")


def test_blocks_are_found_by_name() -> None:
    for block in block_list().blocks:
        assert find_block(block.name) == block
    with pytest.raises(ChocoError, match="taco_butterfly"):
        find_block("taco_none")


def test_a_technology_that_is_missing_or_incomplete_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ChocoError, match=r"none\.yaml"):
        read_technology(tmp_path / "none.yaml")
    (tmp_path / "part.yaml").write_text("site: a\n")
    with pytest.raises(ChocoError, match=r"part\.yaml") as raised:
        read_technology(tmp_path / "part.yaml")
    assert "\n" not in str(raised.value)
