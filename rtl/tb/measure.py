"""Measure cycles of the whole machine: encryption and decryption at several configurations.

    python -m rtl.tb.measure --cycles cycles.csv --counters counters.csv [--butterflies 1 2 4 ...]

Writes one row an operation, and one row an event counter of it. Cycles run from the command to the
last word at the host (``running``), with a host that never waits. Keys and messages are random
numbers: no cycle depends on them.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from rtl.tb.machine import CLEAR, Build, Machine
from rtl.tb.reference.primes import ntt_primes

PLAIN_MODULUS_BITS = 20
CLOCK_HZ = 100e6
SETS = ((1024, (27,)), (2048, (27, 27)), (4096, (36, 36, 37)), (8192, (58, 58, 59)))
MACHINES = tuple(
    Build(butterflies=butterflies, message_butterflies=butterflies, lanes=lanes)
    for butterflies, lanes in (
        *((1, 2), (2, 2), (4, 2), (8, 2), (16, 2), (32, 2)),
        *((4, 1), (4, 4), (8, 4), (16, 8), (32, 8)),
    )
)


@dataclass(frozen=True)
class Operation:
    """One measured operation."""

    butterflies: int
    message_butterflies: int
    lanes: int
    poly_modulus_degree: int
    key_residues: int
    coeff_modulus_bits: str
    scheme: str
    operation: str


def measure(build: Build, degree: int, bits: tuple[int, ...]) -> Iterator[tuple[Operation, dict]]:
    """Yield every operation of a machine at one parameter set, with its counters."""
    rng = np.random.default_rng(degree)
    primes = _primes(degree, bits)
    data = primes[:-1] or primes
    t = ntt_primes(degree, PLAIN_MODULUS_BITS, 1)[0]
    machine = Machine(build, level="-O1")
    machine.load_parameters(degree, primes)
    machine.load_plain_modulus(data, t)

    def below(moduli: list[int]) -> np.ndarray:
        return np.array([rng.integers(0, q, degree, dtype=np.uint64) for q in moduli])

    for number in range(3):
        machine.load_key(number, below(primes), primes)
    machine.load_seed(bytes(32), 1)
    message = below([t])[0]
    ciphertext = np.array([below(data), below(data)])
    plain = below(data)

    def encrypt_bfv() -> None:
        machine.load_message(message)
        machine.set(CLEAR, 0)
        machine.encrypt_bfv()

    operations = {
        ("bfv", "encrypt"): encrypt_bfv,
        ("bfv", "decrypt"): lambda: machine.decrypt_bfv(ciphertext),
        ("ckks", "encrypt"): lambda: machine.encrypt_ckks(plain),
        ("ckks", "decrypt"): lambda: machine.decrypt_ckks(ciphertext),
    }
    for (scheme, name), run in operations.items():
        machine.set(CLEAR, 0)
        run()
        machine.finish()
        assert machine.error() == "none"
        yield (
            Operation(
                build.butterflies,
                build.message_butterflies,
                build.lanes,
                degree,
                len(primes),
                ",".join(map(str, bits)),
                scheme,
                name,
            ),
            machine.counters(),
        )
    machine.close()


def _primes(degree: int, bits: tuple[int, ...]) -> list[int]:
    """Distinct primes of these bits, the largest first, as SEAL's CoeffModulus::Create."""
    left = {b: list(ntt_primes(degree, b, bits.count(b))) for b in set(bits)}
    return [left[b].pop() for b in bits]


def main(arguments: list[str]) -> None:
    """Measure and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=Path, required=True)
    parser.add_argument("--counters", type=Path, required=True)
    parser.add_argument("--butterflies", type=int, nargs="*", help="measure only these machines")
    options = parser.parse_args(arguments)
    machines = [b for b in MACHINES if b.butterflies in (options.butterflies or [b.butterflies])]
    header = list(Operation.__dataclass_fields__)
    with options.cycles.open("w") as cycles, options.counters.open("w") as counters:
        cycle_table, counter_table = (
            csv.writer(file, lineterminator="\n") for file in (cycles, counters)
        )
        cycle_table.writerow([*header, "cycles", "time_s"])
        counter_table.writerow([*header, "counter", "count"])
        progress = tqdm(total=len(machines) * len(SETS), desc="machines", file=sys.stderr)
        for build in machines:
            for degree, bits in SETS:
                for operation, counts in measure(build, degree, bits):
                    row, running = astuple(operation), counts["running"]
                    cycle_table.writerow([*row, running, f"{running / CLOCK_HZ:.8f}"])
                    for name, count in counts.items():
                        counter_table.writerow([*row, name, count])
                progress.update()
                cycles.flush()
                counters.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
