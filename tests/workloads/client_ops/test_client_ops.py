"""The client program, on this machine and as an Arm program under QEMU, where they are built."""

import shutil
import subprocess

import pytest

from models.errors import ChocoError
from workloads.client_ops import build as builder
from workloads.client_ops.build import Settings, build, missing_tool, program, seal_source

BFV = ("--scheme", "bfv", "--plain-modulus-bits", "16")
CKKS = ("--scheme", "ckks", "--scale-bits", "40")
SMALL = ("--poly-modulus-degree", "2048", "--coeff-modulus-bits", "54")
CHAIN = ("--poly-modulus-degree", "4096", "--coeff-modulus-bits", "36,36,37")
PROGRAM_HEADERS = ((28, 32), (42, 44), (44, 46))
"""Where an ELF header says at which offset they start, how large one is, and how many."""
OPERATIONS = ["encode", "encrypt", "decrypt", "decode"]


def command(target):
    built = program(Settings(target=target))
    if not built.exists():
        pytest.skip(f"client_ops is not built for {target}; `snakemake client-ops` builds it")
    if target == "host":
        return [str(built)]
    if shutil.which("qemu-arm") is None:
        pytest.skip("no qemu-arm on PATH")
    return ["qemu-arm", str(built)]


@pytest.fixture(scope="module", params=["host", "armv7a"])
def client_ops(request):
    start = command(request.param)

    def run(*arguments):
        return subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=120)

    return run


def operations(run):
    assert run.returncode == 0, run.stderr
    header, *rows = run.stdout.splitlines()
    assert header == "operation,repetition,time_ns"
    return [row.split(",") for row in rows]


@pytest.mark.parametrize("encryption", ["public", "secret"])
@pytest.mark.parametrize("message", ["random", "periodic"])
@pytest.mark.parametrize("scheme", [(*BFV, *SMALL), (*BFV, *CHAIN), (*CKKS, *CHAIN)])
def test_messages_come_back(client_ops, scheme, encryption, message):
    # The program itself compares what it decoded with what it encoded, and exits with 3.
    scheme = [word if word != "40" else "20" for word in scheme]
    rows = operations(client_ops(*scheme, "--encryption", encryption, "--message", message))
    assert [row[0] for row in rows] == OPERATIONS
    assert all(int(row[2]) > 0 for row in rows)


@pytest.mark.parametrize("encryption", ["public", "secret"])
def test_shake_works_as_generator(client_ops, encryption):
    options = ("--generator", "shake256", "--encryption", encryption)
    assert [row[0] for row in operations(client_ops(*BFV, *CHAIN, *options))] == OPERATIONS


def test_repetitions_are_counted(client_ops):
    rows = operations(client_ops(*BFV, *SMALL, "--repetitions", "3", "--seed", "7"))
    assert [row[0] for row in rows] == OPERATIONS * 3
    assert [int(row[1]) for row in rows] == [0] * 4 + [1] * 4 + [2] * 4


def test_noise_beyond_the_budget_is_told(client_ops):
    tight = ("--poly-modulus-degree", "2048", "--coeff-modulus-bits", "27")
    run = client_ops("--scheme", "bfv", "--plain-modulus-bits", "20", *tight)
    assert run.returncode == 3
    assert run.stderr.startswith("error: the decrypted message is wrong: noise exceeds")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((*BFV, "--coeff-modulus-bits", "54"), "--poly-modulus-degree is missing"),
        ((*BFV, "--poly-modulus-degree", "2048"), "--coeff-modulus-bits is missing"),
        (SMALL, "--plain-modulus-bits is missing"),
        (("--scheme", "ckks", *SMALL), "--scale-bits is missing"),
        (("--scheme", "tfhe"), "--scheme: 'tfhe' is not one of bfv, ckks"),
        (("--poly-modulus-degree", "-1"), "'-1' is not an integer from 2 to 131072"),
        (("--poly-modulus-degree", "99999999999999999999999"), "is not an integer from 2"),
        (("--coeff-modulus-bits", "36,,37"), "'' is not an integer from 2 to 60"),
        (("--coeff-modulus-bits", "61"), "'61' is not an integer from 2 to 60"),
        (("--seed",), "--seed needs a value"),
        (("--speed", "1"), "'--speed' is no option"),
    ],
)
def test_wrong_arguments_get_one_line(client_ops, arguments, says):
    run = client_ops(*arguments)
    assert run.returncode == 2
    assert says in run.stderr
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


@pytest.mark.parametrize(
    "parameters",
    [
        ("--poly-modulus-degree", "3000", "--coeff-modulus-bits", "40"),  # no power of two
        ("--poly-modulus-degree", "2048", "--coeff-modulus-bits", "58"),  # below 128 bits
        ("--poly-modulus-degree", "65536", "--coeff-modulus-bits", "60"),  # beyond SEAL
        ("--poly-modulus-degree", "8192", "--coeff-modulus-bits", "12"),  # no such primes
    ],
)
def test_parameters_that_seal_refuses_get_one_line(client_ops, parameters):
    run = client_ops(*BFV, *parameters)
    assert run.returncode == 1
    assert run.stderr.startswith("error: SEAL refuses: ")
    assert run.stderr.count("\n") == 1


def test_simulator_markers_need_the_arm_build():
    run = subprocess.run(
        [*command("host"), *BFV, *SMALL, "--markers", "gem5"], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "no 32-bit Arm build" in run.stderr


def test_markers_are_gem5s_instructions():
    """In the Arm program, work_begin and work_end are there as instructions of gem5."""
    command("armv7a")
    code = program(Settings(target="armv7a")).read_bytes()
    for function in (0x5A, 0x5B):
        assert (0xEE000110 | function << 16).to_bytes(4, "little") in code


def test_arm_program_is_static_and_hard_float():
    command("armv7a")
    code = program(Settings(target="armv7a")).read_bytes()
    header = code[:52]
    assert header[:4] == b"\x7fELF"
    assert int.from_bytes(header[18:20], "little") == 40  # EM_ARM
    assert int.from_bytes(header[36:40], "little") & 0x400  # EF_ARM_ABI_FLOAT_HARD
    start, size, count = (int.from_bytes(header[a:b], "little") for a, b in PROGRAM_HEADERS)
    kinds = [code[start + i * size : start + i * size + 4] for i in range(count)]
    assert len(kinds) > 1
    assert (3).to_bytes(4, "little") not in kinds  # PT_INTERP: a dynamic loader


def test_a_missing_tool_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert missing_tool("armv7a") == "no cmake on PATH"
    with pytest.raises(ChocoError, match=r"cannot be built: no cmake on PATH; `make system-deps`"):
        build(Settings(target="host"))


def test_a_directory_without_seal_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "_BUILD", tmp_path / "build")
    monkeypatch.setattr(builder, "missing_tool", lambda target: None)
    with pytest.raises(ChocoError, match=r"neither SEAL's source tree nor an installed SEAL"):
        build(Settings(target="host", seal_dir=tmp_path))


@pytest.mark.parametrize(
    ("version", "defines", "sampler"),
    [(3, "", "normal"), (4, "", "binomial"), (4, "#define SEAL_USE_GAUSSIAN_NOISE", "normal")],
)
def test_an_installed_seal_has_its_sampler_built_in(tmp_path, version, defines, sampler):
    header = tmp_path / "include/seal/util/config.h"
    header.parent.mkdir(parents=True)
    header.write_text(f"#define SEAL_VERSION_MAJOR {version}\n{defines}\n")
    config = tmp_path / "lib/SEALConfig.cmake"
    config.parent.mkdir()
    config.touch()
    other = {"normal": "binomial", "binomial": "normal"}[sampler]
    with pytest.raises(ChocoError, match=f"was built with error_sampler {sampler};"):
        builder._definitions(Settings(seal_dir=tmp_path, error_sampler=other))
    definitions = builder._definitions(Settings(seal_dir=tmp_path, error_sampler=sampler))
    assert f"-DSEAL_DIR={config.parent}" in definitions


def test_a_package_that_is_not_the_pinned_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "_BUILD", tmp_path)

    class Answer:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def read(self):
            return b"something else"

    monkeypatch.setattr(builder.urllib.request, "urlopen", lambda *_, **__: Answer())
    with pytest.raises(ChocoError, match="does not have its pinned checksum sha256:"):
        seal_source()
    assert not any(tmp_path.iterdir())
