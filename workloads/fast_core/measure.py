"""Stage: the client's operations on the fast model of its core.

QEMU runs the Arm program instruction by instruction; a plugin of ours (the C++ beside this) gives
every instruction the cycles at which the core would fetch, issue and commit it, with its caches
and branch predictor. Cycles come by function.
"""

import functools
import hashlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import get_args

import pandas as pd
import yaml
from pydantic import Field
from tqdm import tqdm

from models.client.core import Core, fast_parameters, read_core
from models.client.operations import CLIENT_OPERATIONS
from models.client.profile import CLIENT_PROFILE, FunctionGroup
from models.config.base import Section
from models.config.client import ClientProgram
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ModulusChain, ParameterSet
from models.provenance import live
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads.client_ops.program import OPERATIONS, QEMU, arguments, arm_program

TIMINGS = table_schema(
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    instructions=Column(int, Check.gt(0)),
    wall_clock_s=Column(float, Check.gt(0)),
)

_HERE = Path(__file__).parent
_BUILD = _HERE.parent / "_build"


class Settings(Section):
    """What to run, and on which core."""

    client: Client = Field(
        Client(), description="clock and power of the client, version of its SEAL"
    )
    program: ClientProgram = Field(ClientProgram(), description="what runs, and on which core")
    parameter_sets: dict[str, ParameterSet] = Field({}, description="named HE parameter sets")
    scaling_points: tuple[ModulusChain, ...] = Field((), description="(N, k), run with BFV")


@dataclass(frozen=True)
class Counts:
    """What happened in one operation."""

    instructions: int
    cycles: int
    operations: int
    instruction_accesses: int
    instruction_misses: int
    data_accesses: int
    data_misses: int
    l2_misses: int
    branches: int
    mispredicted: int


@dataclass(frozen=True)
class Region:
    """One operation on the fast model."""

    counts: Counts
    functions: dict[str, int]
    """Cycles by function (mangled name)."""

    def groups(self) -> dict[FunctionGroup, int]:
        """Return cycles by function group; all groups, also those that took none."""
        cycles = dict.fromkeys(get_args(FunctionGroup), 0)
        for function, count in self.functions.items():
            cycles[function_group(function)] += count
        return cycles


@functools.cache
def function_group(function: str) -> FunctionGroup:
    """Return the group of a function by its mangled name (``function_groups.yaml``)."""
    name = plain_name(function)
    for group, pattern in _group_patterns():
        if pattern.search(name):
            return group
    return "rest"


def plain_name(function: str) -> str:
    """Return ``seal::util::add`` of a mangled C++ name, without arguments; C names as they are."""
    if not (start := re.match(r"_ZN?[VK]*", function)):
        return function
    rest, parts = function[start.end() :], []
    rest = rest.removeprefix("St")
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
        if "N" not in start[0]:
            break
    return "::".join(parts) or function


@functools.cache
def _group_patterns() -> list[tuple[FunctionGroup, re.Pattern[str]]]:
    path = _HERE / "function_groups.yaml"
    return [(g, re.compile(p)) for g, p in yaml.safe_load(path.read_text(encoding="utf-8"))]


def plugin() -> Path:
    """Return the plugin, building it where its source is new (seconds).

    Raises:
        ChocoError: there is no C++ compiler, or the build fails.
    """
    sources = sorted(_HERE.glob("*.cpp"))
    digest = hashlib.sha256()
    for path in [*sources, *sorted(_HERE.glob("*.h"))]:
        digest.update(path.read_bytes())
    library = _BUILD / f"fast_core-{digest.hexdigest()[:16]}.so"
    if not library.exists():
        compiler = next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)
        if compiler is None:
            raise ChocoError("no C++ compiler found: install g++ or clang++")
        _BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_BUILD) as scratch:
            built = Path(scratch) / "fast_core.so"
            options = ["-std=c++17", "-O3", "-march=native", "-flto=auto", "-shared", "-fPIC"]
            run = subprocess.run(
                [compiler, *options, *map(str, sources), "-o", str(built)],
                capture_output=True,
                text=True,
            )
            if run.returncode:
                raise ChocoError(f"{compiler} cannot build the fast core: {run.stderr.strip()}")
            built.replace(library)
    return library


def simulate(core: Core, command: list[str]) -> list[Region]:
    """Run an Arm program and return its regions of interest, in order.

    Args:
        core: the core that is modelled.
        command: the program and its arguments.

    Raises:
        ChocoError: QEMU is missing or the program fails; its own message.
    """
    if shutil.which(QEMU) is None:
        raise ChocoError(f"no {QEMU} on PATH: the fast model runs in it (Debian: qemu-user)")
    with tempfile.TemporaryDirectory() as scratch:
        parameters, out = Path(scratch) / "core", Path(scratch) / "regions.tsv"
        parameters.write_text(fast_parameters(core), encoding="utf-8")
        load = f"{plugin()},core={parameters},out={out}"
        run = subprocess.run([QEMU, "-plugin", load, *command], capture_output=True, text=True)
        if run.returncode:
            raise ChocoError(run.stderr.strip().removeprefix("error: ") or f"{QEMU} failed")
        if not out.exists():
            raise ChocoError(f"{command[0]}: ended without a region of interest")
        return _parse(out.read_text(encoding="utf-8"))


def _parse(text: str) -> list[Region]:
    regions: list[Region] = []
    for line in text.splitlines():
        _, function, *numbers = line.split("\t")
        if function == "=":
            regions.append(Region(Counts(*map(int, numbers)), {}))
        else:
            functions = regions[-1].functions
            functions[function] = functions.get(function, 0) + int(numbers[1])
    return regions


def points(settings: Settings) -> list[ParameterSet]:
    """Return all parameter sets to run, each (scheme, N, {k}) once."""
    found = {_key(p): p for p in settings.parameter_sets.values()}
    for chain in settings.scaling_points:
        n = chain.poly_modulus_degree
        scaled = ParameterSet(
            scheme="bfv",
            poly_modulus_degree=n,
            coeff_modulus_bits=chain.coeff_modulus_bits,
            security_bits=chain.security_bits,
            plain_modulus_bits=14 if n == 1024 else 20,
        )
        found.setdefault(_key(scaled), scaled)
    return sorted(found.values(), key=lambda p: (p.scheme, p.poly_modulus_degree, p.key_residues))


def _key(p: ParameterSet) -> tuple[str, int, tuple[int, ...]]:
    return p.scheme, p.poly_modulus_degree, p.coeff_modulus_bits


def stage(job: Job[Settings]) -> None:
    """Run all parameter sets; outputs ``operations``, ``profile`` and ``timings``."""
    settings = job.settings
    chosen = settings.program
    core = read_core(chosen.core).model_copy(update={"clock_hz": settings.client.clock_hz})
    built = arm_program(chosen, settings.client)
    source = live("fast model", hashlib.sha256(plugin().read_bytes()).hexdigest()[:8])
    operations, profile, timings = [], [], []
    for parameters in tqdm(points(settings), desc="fast model", unit="set"):
        start = perf_counter()
        regions = simulate(core, [str(built), *arguments(parameters, chosen)])
        row = {
            "seal_version": settings.client.seal_version,
            "scheme": parameters.scheme,
            "poly_modulus_degree": parameters.poly_modulus_degree,
            "coeff_modulus_bits": ",".join(map(str, parameters.coeff_modulus_bits)),
            "key_residues": parameters.key_residues,
            "provenance": source,
        }
        total = sum(region.counts.instructions for region in regions)
        timings.append(row | {"instructions": total, "wall_clock_s": perf_counter() - start})
        for operation, region in zip(OPERATIONS, regions, strict=True):
            time_s = region.counts.cycles / core.clock_hz
            operations.append(
                row
                | {
                    "operation": operation,
                    "cycles": region.counts.cycles,
                    "instructions": region.counts.instructions,
                    "time_s": time_s,
                    "energy_j": time_s * settings.client.active_power_w,
                }
            )
            profile += [
                row | {"operation": operation, "function_group": group, "cycles": float(cycles)}
                for group, cycles in region.groups().items()
            ]
    write_table(pd.DataFrame(operations), job.outputs["operations"], CLIENT_OPERATIONS)
    write_table(pd.DataFrame(profile), job.outputs["profile"], CLIENT_PROFILE)
    write_table(pd.DataFrame(timings), job.outputs["timings"], TIMINGS)


if __name__ == "__main__":
    run_stage(stage, Settings)
