"""The whole machine, simulated: its registers, keys and commands from Python.

Ciphertexts are arrays of residues of shape (polynomial, prime, coefficient), as
``rtl.tb.reference.seal_objects`` takes them out of SEAL's objects. Nothing here touches SEAL.
"""

import ctypes
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rtl.tb.reference.message import MessageConstants
from rtl.tb.reference.transform import montgomery, twiddles
from rtl.tb.runner import CHECKS, VERILATOR_ROOT, build_directory, environment, exclusive, sources

WRITE = 1 << 31
REGISTERS, TWIDDLES, KEYS, CIPHERTEXT, MESSAGE, MESSAGE_TWIDDLES, MESSAGE_CONFIG = range(7)
COMMAND, STATUS, ERROR, PARAMETERS, SEED, NONCE, CLEAR = 0, 1, 2, 3, 4, 8, 9
LAYER, COUNTERS = 16, 128
BFV_ENCRYPT, BFV_DECRYPT, CKKS_ENCRYPT, CKKS_DECRYPT = 1, 2, 3, 4
ERRORS = (
    "none",
    "opcode",
    "degree",
    "residues",
    "key",
    "queue",
    "busy",
    "address",
    "stream",
    "seed",
)
# rtl/taco/taco_top.sv, from counter 0 on; a layer's events are packed, the last field first.
_LAYER_EVENTS = (
    *("drain_stall", "drain_busy", "product_stall", "product_busy"),
    *("ntt_busy", "load_stall", "load_busy"),
)
COUNTER_NAMES = (
    "running",
    *(f"data_{name}" for name in _LAYER_EVENTS),
    *(f"key_{name}" for name in _LAYER_EVENTS),
    *("sampler_busy", "sampler_stall", "switch_busy", "switch_stall"),
    *("encode_busy", "decode_busy", "output_words", "input_words", "output_stall"),
)
PATIENCE = 2_000_000
"""Cycles after which a machine that takes no request is taken for dead."""

_INCLUDE = VERILATOR_ROOT / "include"
_FLAGS = ("--language", "1800-2012", "-Wno-fatal", "--assert", "-O3", "--x-assign", "fast")


@dataclass(frozen=True)
class Build:
    """Parameters of ``taco_top``."""

    residues: int = 3
    max_log_n: int = 13
    butterflies: int = 4
    message_butterflies: int = 4
    lanes: int = 2

    def options(self) -> list[str]:
        """Return Verilator's options for them."""
        return [
            f"-GResidues={self.residues}",
            f"-GMaxLogN={self.max_log_n}",
            f"-GButterflies={self.butterflies}",
            f"-GMessageButterflies={self.message_butterflies}",
            f"-GLanes={self.lanes}",
        ]


def library(build: Build, level: str = "-O2", traced: bool = False) -> Path:
    """Build the machine as a shared library, if it is not there yet; return its path.

    Args:
        build: parameters of ``taco_top``.
        level: the compiler's optimization: ``-O2`` runs at 170,000 cycles a second and compiles for
            half a minute (4 butterflies), ``-O1`` takes half of that and is slower.
        traced: whether ``Machine.trace`` can record signals.

    Raises:
        RuntimeError: Verilator or the compiler failed; the message ends with what it wrote.
    """
    files = [*sources("taco_top"), CHECKS, CHECKS.with_name("layer_checks.sv")]
    program = Path(__file__).with_name("machine.cpp")
    options = (build, _FLAGS, level, traced)
    directory = build_directory("taco_top", [*files, program], options)
    made = directory / "machine.so"
    with exclusive(directory) as missing:
        if missing:
            command = ["verilator", "--cc", "--prefix", "Vtop", *_FLAGS, "--output-split", "0"]
            command += ["--top-module", "taco_top", "--Mdir", str(directory), *build.options()]
            runtime = ["verilated", "verilated_threads"]
            if traced:
                runtime.append("verilated_vcd_c")
                command.append("--trace-vcd")
            _run([*command, *map(str, files)])
            for source in [*sorted(directory.glob("Vtop*.cpp")), program]:
                # What runs once, before the first cycle, is in files named Slow.
                optimize = "-O0" if "Slow" in source.name else level
                _compile(source, directory, [optimize, f"-I{directory}"], traced)
            for name in runtime:
                source = _INCLUDE / f"{name}.cpp"
                _compile(source, directory, [level], traced)
            objects = map(str, sorted(directory.glob("*.o")))
            _run(["g++", "-shared", *objects, "-lpthread", "-o", str(made)])
    return made


def _compile(source: Path, directory: Path, options: list[str], traced: bool) -> None:
    command = [sys.executable, str(Path(__file__).with_name("object_cache.py"))]
    command += ["g++", "-std=c++17", "-fPIC", *options, f"-I{_INCLUDE}", f"-I{_INCLUDE}/vltstd"]
    command += ["-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0"]
    command += [f"-DVM_TRACE={int(traced)}", f"-DVM_TRACE_VCD={int(traced)}"]
    _run([*command, "-c", "-o", str(directory / f"{source.stem}.o"), str(source)])


def _run(command: list[str]) -> None:
    run = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{(run.stdout + run.stderr)[-4000:]}")


def words(values: object) -> NDArray[np.uint64]:
    """Return coefficients as 64-byte words: shape (words, 8)."""
    return np.ascontiguousarray(np.array(values, dtype=np.uint64).reshape(-1, 8))


class Machine:
    """A simulated machine after reset."""

    def __init__(self, build: Build, level: str = "-O2", traced: bool = False) -> None:
        self.build = build
        self._library = ctypes.CDLL(str(library(build, level, traced)))
        self._library.machine_new.restype = ctypes.c_void_p
        self._library.machine_cycles.restype = ctypes.c_uint64
        self._library.machine_transact.restype = ctypes.c_uint64
        self._handle = ctypes.c_void_p(self._library.machine_new())
        self.degree = 0
        self.data_layers = 0

    def close(self) -> None:
        """Free the simulation."""
        self._library.machine_delete(self._handle)

    @property
    def cycles(self) -> int:
        """Clock cycles since reset."""
        return int(self._library.machine_cycles(self._handle))

    def idle(self, cycles: int) -> None:
        """Let the clock run without requests."""
        self._library.machine_idle(self._handle, ctypes.c_uint64(cycles))

    def transact(
        self, addresses: NDArray[np.uint32], written: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Send requests in order, as fast as the machine takes them; return the words read.

        Raises:
            TimeoutError: the machine stopped taking requests.
        """
        addresses = np.ascontiguousarray(addresses, dtype=np.uint32)
        written = np.ascontiguousarray(written, dtype=np.uint64)
        reads = int((addresses < WRITE).sum())
        assert written.size == 8 * (len(addresses) - reads)
        read = np.zeros((max(reads, 1), 8), dtype=np.uint64)
        taken = self._library.machine_transact(
            self._handle,
            ctypes.c_uint64(len(addresses)),
            addresses.ctypes.data_as(ctypes.c_void_p),
            written.ctypes.data_as(ctypes.c_void_p),
            read.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_uint64(PATIENCE),
        )
        if taken != len(addresses):
            status = int(self._library.machine_cycles(self._handle))
            raise TimeoutError(f"request {taken} of {len(addresses)} waits at cycle {status}")
        return read[:reads]

    def write(self, region: int, offset: int, data: NDArray[np.uint64], layer: int = 0) -> None:
        """Write consecutive words."""
        first = WRITE | region << 20 | layer << 16 | offset
        self.transact(np.arange(first, first + len(data), dtype=np.uint32), data)

    def set(self, register: int, value: int) -> None:
        """Write a register."""
        data = np.zeros((1, 8), dtype=np.uint64)
        data[0, 0] = value
        self.write(REGISTERS, register, data)

    def get(self, register: int) -> int:
        """Read a register."""
        address = np.array([REGISTERS << 20 | register], dtype=np.uint32)
        return int(self.transact(address, np.zeros(0, dtype=np.uint64))[0, 0])

    def error(self) -> str:
        """Return the first error since the last call, and clear it."""
        name = ERRORS[self.get(ERROR)]
        self.set(ERROR, 0)
        return name

    # Set-up -----------------------------------------------------------------------------------
    def physical(self, residue: int, residues: int) -> int:
        """Return the layer that holds a residue: the key prime's is the last one built."""
        return self.build.residues - 1 if residue == residues - 1 > 0 else residue

    def load_parameters(self, degree: int, primes: list[int]) -> None:
        """Write N, k, primes, twiddles and constants of modulus switching (key prime last)."""
        k = len(primes)
        self.degree, self.data_layers = degree, max(k - 1, 1)
        self.set(PARAMETERS, k << 8 | (degree.bit_length() - 1))
        for j, q in enumerate(primes):
            layer = self.physical(j, k)
            self.set(LAYER + 4 * layer, q)
            self.write(TWIDDLES, 0, words(twiddles(degree, q)), layer)
            if j < self.data_layers:
                p = primes[-1]
                offset = (p >> 1) % q + -(-p // q) * q if k > 1 else 0
                inverse = pow(p, -1, q) if k > 1 else 1
                self.set(LAYER + 4 * layer + 1, offset)
                self.set(LAYER + 4 * layer + 2, montgomery(inverse, q))

    def load_plain_modulus(self, primes: list[int], plain_modulus: int) -> None:
        """Write the constants of the message unit (BFV) for these data primes."""
        constants = MessageConstants(self.degree, tuple(primes), plain_modulus)
        for address, value in constants.registers().items():
            data = np.zeros((1, 8), dtype=np.uint64)
            data[0, 0] = value
            self.write(MESSAGE_CONFIG, address, data)
        self.write(MESSAGE_TWIDDLES, 0, words(twiddles(self.degree, plain_modulus)))

    def load_key(self, number: int, key: NDArray[np.uint64], primes: list[int]) -> None:
        """Write a key polynomial in NTT form, shape (prime, coefficient): 0 pk0, 1 pk1, 2 sk."""
        for j, q in enumerate(primes):
            stored = [montgomery(int(value), q) for value in key[j]]
            self.write(KEYS, number << 12, words(stored), self.physical(j, len(primes)))

    def load_seed(self, seed: bytes, nonce: int) -> None:
        """Start the random stream of a 32-byte seed and a nonce."""
        for i in range(4):
            self.set(SEED + i, int.from_bytes(seed[8 * i : 8 * i + 8], "little"))
        self.set(NONCE, nonce)

    def trace(self, file: Path, scope: str, after: int, cycles: int) -> None:
        """Record the signals of an instance as VCD, 10 ns a cycle, from ``after`` cycles on.

        Inputs of the whole machine change with the falling edge, all else with the rising one. An
        empty ``scope`` records everything.
        """
        count = map(ctypes.c_uint64, (after, cycles))
        self._library.machine_trace(self._handle, str(file).encode(), scope.encode(), *count)

    # Commands ---------------------------------------------------------------------------------
    def load_message(self, slots: NDArray[np.uint64]) -> None:
        """Write a message, N values below t in slot order."""
        self.write(MESSAGE, 0, words(slots))

    def encrypt_bfv(self) -> NDArray[np.uint64]:
        """Encrypt the loaded message; return the ciphertext (2, prime, coefficient)."""
        self.set(COMMAND, BFV_ENCRYPT)
        addresses = self._stream(self.data_layers)
        both = np.concatenate([addresses, addresses])
        read = self.transact(both, np.zeros(0, dtype=np.uint64))
        return self._polynomials(read, 2)[::-1]  # c1 comes first

    def encrypt_ckks(self, plain: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Encrypt a plaintext in NTT form (prime, coefficient); return the ciphertext."""
        self.set(COMMAND, CKKS_ENCRYPT)
        first = self.transact(self._stream(self.data_layers), np.zeros(0, dtype=np.uint64))
        second = self._through(plain)
        return np.concatenate([self._polynomials(second, 1), self._polynomials(first, 1)])

    def decrypt_bfv(self, ciphertext: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Decrypt and decode; return the N values of the message in slot order."""
        residues = ciphertext.shape[1]
        self.set(COMMAND, residues << 4 | BFV_DECRYPT)
        addresses = self._stream(residues) | np.uint32(WRITE)
        for polynomial in ciphertext[::-1]:
            self.transact(addresses, self._interleaved(polynomial))
        first = MESSAGE << 20
        read = np.arange(first, first + self.degree // 8, dtype=np.uint32)
        return self.transact(read, np.zeros(0, dtype=np.uint64)).reshape(-1)

    def decrypt_ckks(self, ciphertext: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return c0 + c1 s in NTT form, (prime, coefficient)."""
        residues = ciphertext.shape[1]
        self.set(COMMAND, residues << 4 | CKKS_DECRYPT)
        addresses = self._stream(residues) | np.uint32(WRITE)
        self.transact(addresses, self._interleaved(ciphertext[1]))
        return self._polynomials(self._through(ciphertext[0]), 1, residues)[0]

    def finish(self) -> None:
        """Wait until all commands are finished."""
        while self.get(STATUS) & 1:
            self.idle(16)

    def counters(self) -> dict[str, int]:
        """Return the event counters."""
        return {name: self.get(COUNTERS + i) for i, name in enumerate(COUNTER_NAMES)}

    # Streams: word by word, all layers of a word before the next word --------------------------
    def _stream(self, layers: int) -> NDArray[np.uint32]:
        one = CIPHERTEXT << 20 | np.arange(layers, dtype=np.uint32) << np.uint32(16)
        return np.tile(one.astype(np.uint32), self.degree // 8)

    def _interleaved(self, polynomial: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return words(polynomial).reshape(len(polynomial), -1, 8).swapaxes(0, 1).reshape(-1, 8)

    def _through(self, polynomial: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Write a polynomial and read one while it goes through, two words behind."""
        layers = len(polynomial)
        addresses = self._stream(layers).reshape(-1, layers)
        lag = 2
        rows = [*(addresses[:lag] | WRITE)]
        for write, read in zip(addresses[lag:] | WRITE, addresses[:-lag], strict=True):
            rows += [write, read]
        rows += [*addresses[-lag:]]
        return self.transact(np.concatenate(rows), self._interleaved(polynomial))

    def _polynomials(
        self, read: NDArray[np.uint64], count: int, layers: int | None = None
    ) -> NDArray[np.uint64]:
        layers = layers or self.data_layers
        shaped = read.reshape(count, self.degree // 8, layers, 8).swapaxes(1, 2)
        return shaped.reshape(count, layers, self.degree)
