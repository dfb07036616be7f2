"""Stage: record the signals of the blocks while the whole machine encrypts and decrypts.

A small module is bound to every block of the list; where it finds itself in the instance that the
list names, it writes the block's signals before each rising edge of the clock.
"""

import contextlib
import ctypes
import subprocess
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job, run_stage
from rtl.synthesis.blocks import MachineRun, block_list, reference
from rtl.synthesis.liberty import read_cells
from rtl.synthesis.mapping import ROOT
from rtl.synthesis.netlist import read
from rtl.synthesis.signals import Signal, signals
from rtl.tb.machine import Build, Machine
from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import build_directory, environment, exclusive, sources

RECORDER = """
module signal_recorder #(
  parameter int unsigned Width = 1,
  parameter string Path = "",
  parameter string File = ""
) (
  input logic clk_i,
  input logic [Width-1:0] data_i
);
  int file;
  initial if ($sformatf("%m") == Path) file = $fopen(File, "w");
  always @(posedge clk_i) if (file != 0) $fwrite(file, "%h\\n", data_i);
endmodule
"""


class Settings(BaseModel):
    """The library whose netlists say what is in which block."""

    pdk: Pdk = Pdk()


def bindings(wanted: dict[str, list[Signal]]) -> str:
    """Return SystemVerilog that records these signals, into MODULE.hex of the working directory."""
    text = [RECORDER]
    for module, recorded in wanted.items():
        # As wide as in the instance that is wanted; in others of the module nothing is written.
        width = sum(len(signal.bits) for signal in recorded)
        joined = ", ".join(signal.path for signal in reversed(recorded))
        instance = block_list().blocks[module].instance
        path = ".".join(part for part in ("TOP.taco_top", instance, "u_recorder") if part)
        text.append(
            f"bind {module} signal_recorder #(\n"
            f'  .Width({width}), .Path("{path}"), .File("{module}.hex")\n'
            f") u_recorder (.clk_i(taco_top.clk_i), .data_i({{{joined}}}));\n"
        )
    return "\n".join(text)


def build(recorders: str, parameters: Build) -> Path:
    """Build the machine with the recorders in it as a shared library, if it is not there yet.

    Raises:
        ChocoError: Verilator or the compiler failed.
    """
    options = parameters.options()
    program = ROOT / "rtl" / "tb" / "machine.cpp"
    files = sources("taco_top")
    directory = build_directory("recorded", [*files, program], (options, recorders))
    made = directory / "machine.so"
    with exclusive(directory) as missing:
        if missing:
            _build(recorders, [*options, *map(str, files)], program, directory)
    return made


def _build(recorders: str, arguments: list[str], program: Path, directory: Path) -> None:
    bound = directory / "recorders.sv"
    bound.write_text(recorders, encoding="utf-8")
    command = ["verilator", "--cc", "--prefix", "Vtop", "--language", "1800-2012", "-Wno-fatal"]
    command += ["-O3", "--x-assign", "fast", "--output-split", "0", "--top-module", "taco_top"]
    _run([*command, "--Mdir", str(directory), *arguments, str(bound)])
    include = Path(environment()["VERILATOR_ROOT"]) / "include"
    runtime = [include / "verilated.cpp", include / "verilated_threads.cpp"]
    for source in [*sorted(directory.glob("Vtop*.cpp")), *runtime, program]:
        level = "-O0" if "Slow" in source.name else "-O1"
        flags = ["-DVERILATOR=1", "-DVM_TRACE=0", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0"]
        command = ["g++", "-std=c++17", level, "-fPIC", *flags, f"-I{directory}", f"-I{include}"]
        command += [f"-I{include / 'vltstd'}", "-c", "-o", str(directory / f"{source.stem}.o")]
        _run([*command, str(source)])
    objects = map(str, sorted(directory.glob("*.o")))
    _run(["g++", "-shared", *objects, "-lpthread", "-o", str(directory / "machine.so")])


class RecordedMachine(Machine):
    """A machine from a library that was built here."""

    def __init__(self, build: Build, path: Path) -> None:
        self.build = build
        self._library = ctypes.CDLL(str(path))
        self._library.machine_new.restype = ctypes.c_void_p
        self._library.machine_cycles.restype = ctypes.c_uint64
        self._library.machine_transact.restype = ctypes.c_uint64
        self._handle = ctypes.c_void_p(self._library.machine_new())
        self.degree = 0
        self.data_layers = 0


def operate(machine: Machine, run: MachineRun) -> None:
    """Load parameters and keys, then run the operations one after another.

    Raises:
        ChocoError: the machine reports an error.
    """
    degree = run.poly_modulus_degree
    rng = np.random.default_rng(2022)
    left = {
        b: list(ntt_primes(degree, b, run.coeff_modulus_bits.count(b)))
        for b in set(run.coeff_modulus_bits)
    }
    primes = [left[b].pop() for b in run.coeff_modulus_bits]
    data = primes[:-1] or primes
    plain_modulus = ntt_primes(degree, run.plain_modulus_bits, 1)[0]

    def below(moduli: list[int]) -> np.ndarray:
        return np.array([rng.integers(0, q, degree, dtype=np.uint64) for q in moduli])

    machine.load_parameters(degree, primes)
    machine.load_plain_modulus(data, plain_modulus)
    for number in range(3):
        machine.load_key(number, below(primes), primes)
    machine.load_seed(bytes(range(32)), 1)
    machine.load_message(below([plain_modulus])[0])
    ciphertext = np.array([below(data), below(data)])
    steps = {
        "bfv_encrypt": machine.encrypt_bfv,
        "bfv_decrypt": lambda: machine.decrypt_bfv(ciphertext),
        "ckks_encrypt": lambda: machine.encrypt_ckks(below(data)),
        "ckks_decrypt": lambda: machine.decrypt_ckks(ciphertext),
    }
    for operation in run.operations:
        steps[operation]()
        machine.finish()
    if (error := machine.error()) != "none":
        raise ChocoError(f"the machine that is recorded reports the error {error!r}")
    machine.idle(200)


def stage(job: Job[Settings]) -> None:
    """Record all blocks: one file of hexadecimal lines a block."""
    cells = read_cells(job.settings.pdk.liberty)
    listed = block_list()
    boxes = set(listed.memories) | listed.blocks.keys()
    wanted = {}
    for module in listed.blocks:
        netlist = job.inputs["netlists"] / reference(module).name / "netlist.json"
        wanted[module] = signals(read(netlist, cells, boxes))
    directory = job.outputs["recordings"].absolute()
    directory.mkdir(parents=True, exist_ok=True)
    run = listed.machine
    parameters = Build(butterflies=run.butterflies, lanes=run.lanes)
    library = build(bindings(wanted), parameters)
    with contextlib.chdir(directory):
        machine = RecordedMachine(parameters, library)
        operate(machine, run)
        machine.close()
    for module in wanted:
        if not (directory / f"{module}.hex").is_file():
            path = listed.blocks[module].instance
            raise ChocoError(f"rtl/synthesis/blocks.yaml: the machine has no {module} at {path!r}")


def _run(command: list[str]) -> None:
    run = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if run.returncode:
        raise ChocoError(f"{command[0]} failed: {(run.stdout + run.stderr).strip()[-1500:]}")


if __name__ == "__main__":
    run_stage(stage, Settings)
