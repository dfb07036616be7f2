from pathlib import Path

import pytest

from models.client.core import fast_parameters, main, read_core
from models.errors import ChocoError

CORES = Path(__file__).parents[3] / "gem5-configs/cores"


@pytest.mark.parametrize("path", sorted(CORES.glob("*.yaml")), ids=lambda p: p.stem)
def test_the_cores_that_come_along_are_valid(path):
    core = read_core(path)
    lines = dict(line.split() for line in fast_parameters(core).splitlines())
    assert lines["l2.size_bytes"] == str(core.caches.l2.size_bytes)
    assert int(lines["l1_latency"]) < int(lines["l2_latency"]) < int(lines["dram_latency"])


def test_memory_is_as_slow_in_seconds_at_any_clock():
    core = read_core(CORES / "cortex_a7_ddr3_1600.yaml")
    faster = core.model_copy(update={"clock_hz": 2 * core.clock_hz})
    dram = core.dram_cycles - core.l2_hit_cycles
    assert faster.l2_hit_cycles == core.l2_hit_cycles
    assert faster.dram_cycles - faster.l2_hit_cycles == pytest.approx(2 * dram, abs=1)


def test_the_boards_memory_is_slower():
    board = read_core(CORES / "imx6ull.yaml")
    assert board.dram_cycles > read_core(CORES / "cortex_a7_ddr3_1600.yaml").dram_cycles


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("ways: 8", "ways: 0"), "caches.l2.ways"),
        (("multiply: {latency: 3}", "multiply: {latency: 30}"), "functional_units.multiply"),
        (("local_entries: 2048", "local_entries: 2000"), "branch_predictor.local_entries"),
        (("issue_width: 2", "issue_breadth: 2"), "pipeline.issue_breadth"),
        (("clock_hz:", "clock_hz: ["), "not YAML"),
    ],
)
def test_a_wrong_core_is_one_line_that_names_the_key(tmp_path, change, says):
    text = (CORES / "cortex_a7_ddr3_1600.yaml").read_text()
    assert change[0] in text
    path = tmp_path / "core.yaml"
    path.write_text(text.replace(*change, 1))
    with pytest.raises(ChocoError) as error:
        read_core(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.raises(SystemExit, match="error: "):
        main([str(path)])


def test_a_missing_core_is_an_error(tmp_path):
    with pytest.raises(ChocoError, match="no such core file"):
        read_core(tmp_path / "absent.yaml")


def test_gem5_gets_the_core_as_json(capsys):
    path = CORES / "imx6ull.yaml"
    main([str(path)])
    core = read_core(path)
    assert type(core).model_validate_json(capsys.readouterr().out) == core
