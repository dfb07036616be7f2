"""The board script, with stand-ins for gem5: what it builds and in which order it runs."""

import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

import pytest

from models.client.core import read_core

ROOT = Path(__file__).parents[3]
BOARD = ROOT / "gem5-configs/cortex_a7.py"
CORES = ROOT / "gem5-configs/cores"
COMMAND = ["client_ops", "--scheme", "bfv", "--markers", "gem5"]


class Part(SimpleNamespace):
    """A SimObject: keeps what it is given; ports and children appear when asked for."""

    def __init__(self, *arguments, **values):
        super().__init__(arguments=arguments, **values)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__.setdefault(name, MagicMock())


class Device(Part):
    device_bus_width, burst_length, devices_per_rank = 8, 8, 8


def part(name):
    return type(name, (Device if name.startswith("DDR") else Part,), {})


class Objects(ModuleType):
    made: dict = {}  # noqa: RUF012

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.made.setdefault(name, part(name))


class Gem5:
    """Runs four regions and ends; writes down what the script asked for."""

    def __init__(self, monkeypatch, tmp_path):
        self.log, self.systems = [], []
        causes = [(c, i) for i in range(4) for c in ("workbegin", "workend")]
        causes.append(("exiting with last active thread context", 0))
        self.events = iter(causes)
        m5, objects = ModuleType("m5"), Objects("m5.objects")
        params, stats = ModuleType("m5.params"), ModuleType("m5.stats")
        params.AddrRange = part("AddrRange")
        objects.SEWorkload = MagicMock()
        objects.Root = lambda **values: self.systems.append(values["system"])
        stats.gem5stats = MagicMock()
        m5.objects, m5.stats, m5.curTick = objects, stats, lambda: 0
        m5.options = SimpleNamespace(outdir=str(tmp_path))
        m5.instantiate = lambda restore: self.log.append(f"instantiate {restore}")
        m5.checkpoint = lambda where: self.log.append(f"checkpoint {where}")
        m5.switchCpus = lambda system, pairs: self.log.append("switch")
        m5.simulate = self.simulate
        stats.dump, stats.reset = self.note("dump"), self.note("reset")
        for module in (m5, objects, params, stats):
            monkeypatch.setitem(sys.modules, module.__name__, module)

    def note(self, what):
        return lambda: self.log.append(what)

    def simulate(self):
        cause, code = next(self.events)
        return SimpleNamespace(getCause=lambda: cause, getCode=lambda: code)


def run(gem5, monkeypatch, tmp_path, core, *options):
    path = tmp_path / "core.json"
    path.write_text(read_core(CORES / f"{core}.yaml").model_dump_json())
    monkeypatch.setattr(sys, "argv", [str(BOARD), "--core", str(path), *options, *COMMAND])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BOARD), run_name="__m5_main__")
    assert ended.value.code == 0
    return gem5.systems[0]


@pytest.fixture
def gem5(monkeypatch, tmp_path):
    return Gem5(monkeypatch, tmp_path)


def test_every_region_is_reset_and_dumped_on_the_timing_cpu(gem5, monkeypatch, tmp_path):
    run(gem5, monkeypatch, tmp_path, "cortex_a7_ddr3_1600")
    assert gem5.log == ["instantiate None", "switch", *["reset", "dump"] * 4]
    for operation in ("encode", "encrypt", "decrypt", "decode"):
        assert (tmp_path / f"{operation}.json").exists()


def test_a_checkpoint_is_taken_before_the_first_region_only(gem5, monkeypatch, tmp_path):
    run(gem5, monkeypatch, tmp_path, "imx6ull", "--checkpoint", "kept")
    assert gem5.log[:4] == ["instantiate None", "checkpoint kept", "switch", "reset"]
    assert gem5.log.count("checkpoint kept") == 1


def test_a_restored_run_starts_inside_the_first_region(gem5, monkeypatch, tmp_path):
    next(gem5.events)  # the checkpoint is behind its beginning
    run(gem5, monkeypatch, tmp_path, "imx6ull", "--restore", "kept")
    assert gem5.log == ["instantiate kept", "switch", *["reset", "dump"] * 4]


def test_the_board_has_what_the_core_file_says(gem5, monkeypatch, tmp_path):
    system = run(gem5, monkeypatch, tmp_path, "imx6ull")
    core = read_core(CORES / "imx6ull.yaml")
    assert system.l2.size == f"{core.caches.l2.size_bytes}B"
    assert system.l2.clusivity == "mostly_excl"
    assert system.timing_cpu.executeIssueLimit == core.pipeline.issue_width
    units = system.timing_cpu.executeFuncUnits.funcUnits
    assert [type(unit).__name__ for unit in units] == [
        "MinorDefaultIntFU",
        "MinorDefaultIntFU",
        "MinorDefaultIntMulFU",
        "MinorDefaultIntDivFU",
        "MinorDefaultFloatSimdFU",
        "MinorDefaultMemFU",
        "MinorDefaultMiscFU",
    ]
    assert units[0].opLat == core.functional_units.integer.latency
    dram = system.mem_ctrl.dram
    assert dram.devices_per_rank == 2  # 16 bits of 8-bit devices
    assert dram.tCK == "2.5ns"
    assert dram.tBURST == "10.0ns"


def test_the_program_gets_its_arguments_and_no_rseq(gem5, monkeypatch, tmp_path):
    system = run(gem5, monkeypatch, tmp_path, "imx6ull")
    for cpu in (system.cpu, system.timing_cpu):
        assert cpu.workload.cmd == COMMAND
        assert cpu.workload.env == ["GLIBC_TUNABLES=glibc.pthread.rseq=0"]
        cpu.mmu.connectWalkerPorts.assert_called_once()
