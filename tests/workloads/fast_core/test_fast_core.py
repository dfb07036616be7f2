"""The fast model on kernels whose cycles follow from the core's parameters."""

import shutil
import subprocess
from pathlib import Path

import pytest

from models.client.core import read_core
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ModulusChain
from models.stage import Job
from workloads.client_ops import program
from workloads.fast_core import measure
from workloads.fast_core.measure import Settings, function_group, plain_name, points, simulate

HERE = Path(__file__).parent
CORE = read_core(HERE.parents[2] / "gem5-configs/cores/cortex_a7_ddr3_1600.yaml")
COMPILER = "arm-linux-gnueabihf-gcc"
REGIONS = ("adds", "pairs", "multiplies", "l1", "l2", "dram")
ROUNDS = 1000


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    for tool in (COMPILER, measure.QEMU):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} on PATH")
    built = tmp_path_factory.mktemp("kernels") / "kernels"
    options = ["-O1", "-marm", "-mcpu=cortex-a7", "-nostdlib", "-static", "-ffreestanding"]
    subprocess.run([COMPILER, *options, str(HERE / "kernels.c"), "-o", str(built)], check=True)
    return built


@pytest.fixture(scope="module")
def regions(kernels):
    return dict(zip(REGIONS, simulate(CORE, [str(kernels)]), strict=True))


def cycles(regions, name):
    return regions[name].counts.cycles


def test_instructions_are_counted_one_by_one(regions):
    assert regions["adds"].counts.instructions == pytest.approx(12 * ROUNDS, abs=20)
    assert regions["pairs"].counts.instructions == pytest.approx(202 * ROUNDS, abs=20)


def test_dependent_additions_issue_one_a_cycle(regions):
    assert 10 * ROUNDS <= cycles(regions, "adds") <= 14 * ROUNDS


def test_independent_additions_issue_in_pairs(regions):
    assert 101 * ROUNDS <= cycles(regions, "pairs") <= 110 * ROUNDS


def test_dependent_multiplications_wait_for_their_latency(regions):
    latency = CORE.functional_units.multiply.latency
    assert 10 * latency * ROUNDS <= cycles(regions, "multiplies") <= (10 * latency + 3) * ROUNDS


def test_loops_are_predicted(regions):
    counts = regions["adds"].counts
    assert counts.branches == pytest.approx(ROUNDS, abs=5)
    assert counts.mispredicted < 20


def test_caches_hold_what_fits(regions):
    lines = {name: size // 64 for name, size in (("l1", 16 << 10), ("l2", 96 << 10))}
    l1, l2, dram = (regions[name].counts for name in ("l1", "l2", "dram"))
    assert l1.data_accesses == pytest.approx(4 * lines["l1"], abs=20)
    assert l1.data_misses == pytest.approx(lines["l1"], abs=20)  # once each
    # each round, but for what the first level still holds of the walk before
    assert l2.data_misses == pytest.approx(4 * lines["l2"] - lines["l1"], abs=20)
    assert l2.l2_misses <= lines["l2"] + 20
    assert dram.l2_misses == pytest.approx(4 * (1 << 20) // 64, rel=0.05)


def test_a_miss_costs_what_the_core_file_says(kernels, regions):
    slow = CORE.memory.model_copy(update={"read_latency_s": 2 * CORE.memory.read_latency_s})
    core = CORE.model_copy(update={"memory": slow})
    slower = dict(zip(REGIONS, simulate(core, [str(kernels)]), strict=True))
    counts = slower["dram"].counts
    assert counts.l2_misses == regions["dram"].counts.l2_misses
    assert cycles(slower, "adds") == pytest.approx(cycles(regions, "adds"), abs=500)
    # one at a time: a load waits until the addition of its address has committed
    added = (core.dram_cycles - CORE.dram_cycles) * counts.l2_misses
    assert counts.cycles - cycles(regions, "dram") == pytest.approx(added, rel=0.1)


def test_a_narrower_core_is_slower(kernels, regions):
    narrow = CORE.pipeline.model_copy(update={"issue_width": 1, "commit_width": 1})
    core = CORE.model_copy(update={"pipeline": narrow})
    single = dict(zip(REGIONS, simulate(core, [str(kernels)]), strict=True))
    assert cycles(single, "pairs") >= 1.5 * cycles(regions, "pairs")


def test_runs_repeat(kernels, regions):
    again = simulate(CORE, [str(kernels)])
    assert [r.counts for r in again] == [r.counts for r in regions.values()]


def test_cycles_of_functions_add_up(regions):
    for region in regions.values():
        assert sum(region.functions.values()) == region.counts.cycles
        assert sum(region.groups().values()) == region.counts.cycles
    adds = regions["adds"]
    assert adds.functions["dependent_adds"] > 0.99 * adds.counts.cycles


def test_a_program_without_regions_is_an_error(tmp_path, kernels):
    source = tmp_path / "empty.c"
    source.write_text('void _start(void) { asm volatile("mov r7, #1\\nmov r0, #0\\nsvc #0"); }')
    empty = tmp_path / "empty"
    subprocess.run([COMPILER, "-nostdlib", "-static", str(source), "-o", str(empty)], check=True)
    with pytest.raises(ChocoError, match="without a region of interest"):
        simulate(CORE, [str(empty)])


def test_qemu_is_needed(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ChocoError, match="no qemu-arm on PATH"):
        simulate(CORE, ["program"])


@pytest.mark.parametrize(
    ("mangled", "name", "group"),
    [
        ("_ZN4seal4util26ntt_negacyclic_harvey_lazyENS0_7PtrIterIPyEE", None, "ntt"),
        ("_ZN4seal4util34inverse_ntt_negacyclic_harvey_lazyENS0_7PtrIterIPyEE", None, "intt"),
        (
            "_ZN4seal4util18sample_poly_normalESt10shared_ptrINS_22UniformRandomGeneratorEE",
            "seal::util::sample_poly_normal",
            "error_sampling",
        ),
        ("_ZN4seal22UniformRandomGenerator8generateEjPSt4byte", None, "random_generator"),
        ("_ZNK4seal4util7RNSTool23decrypt_scale_and_roundENS0_12ConstRNSIterE", None, None),
        ("blake2b_compress", "blake2b_compress", "random_generator"),
        ("memcpy", "memcpy", "rest"),
    ],
)
def test_functions_have_their_group(mangled, name, group):
    assert name is None or plain_name(mangled) == name
    assert function_group(mangled) == (group or "modulus_switch")


def test_scaling_points_are_run_once_each():
    chains = (
        ModulusChain(poly_modulus_degree=1024, coeff_modulus_bits=(27,)),
        ModulusChain(poly_modulus_degree=8192, coeff_modulus_bits=(58, 58, 59)),
    )
    sets = Settings(scaling_points=(*chains, chains[0]))
    assert [(p.poly_modulus_degree, p.key_residues) for p in points(sets)] == [(1024, 1), (8192, 3)]


def test_the_version_of_seal_must_be_the_clients(tmp_path, monkeypatch):
    monkeypatch.setattr(program.client_ops, "build", lambda settings: tmp_path / "client_ops")
    monkeypatch.setattr(program, "seal_version", lambda built: "4.1.2")
    monkeypatch.chdir(HERE.parents[2])
    with pytest.raises(ChocoError, match=r"client\.seal_version: the program has SEAL 4\.1\.2"):
        measure.stage(Job(Settings(client=Client(seal_version="3.4.5")), {}, {}))
