"""Record the signals of one block while the whole machine works, as VCD.

    python -m rtl.tb.trace taco_ntt ntt.vcd --operation bfv_encrypt --from-cycle 5000 --cycles 2000

Without a file it lists the block's instances; ``--instance`` chooses another than the first. Cycles
count from the command on and take 10 ns each in the file, beginning at 0: the rising edge of
``clk_i`` is at 5 ns, and what stands there before it is what the block's registers sample. The
block's ports come with its other signals, under the path of the instance.
"""

import argparse
import re
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from rtl.tb.machine import Build, Machine
from rtl.tb.measure import OPERATIONS, machine_build, prepare
from rtl.tb.runner import sources

TOP = "taco_top"


@lru_cache
def _instantiated(module: str) -> dict[str, str]:
    """Return the module of each instance in ``module``, by name of the instance."""
    text = next(file for file in sources() if file.stem == module).read_text()
    pattern = r"^\s*(taco_\w+)\s[^;]*?\b(u_\w+)\s*\("
    return {name: kind for kind, name in re.findall(pattern, text, re.MULTILINE)}


def _module(path: list[str]) -> str | None:
    """Return the module at a path from the top on; None for a generate block."""
    module = TOP
    for name in path:
        if name.startswith("u_"):
            if name not in _instantiated(module):  # an assertion's, bound from outside
                return None
            module = _instantiated(module)[name]
    return module if not path or path[-1].startswith("u_") else None


def instances(build: Build, module: str, level: str = "-O1") -> list[str]:
    """Return the paths of a module's instances in the machine.

    Raises:
        ValueError: there is none.
    """
    machine = Machine(build, level, traced=True)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "header.vcd"
        machine.trace(file, "", 0, 0)
        machine.close()
        header = file.read_text()
    path: list[str] = []
    found = []
    for kind, name in re.findall(r"\$(scope|upscope)\s+(?:\w+ (\S+))?", header):
        if kind == "upscope":
            path.pop()
            continue
        path.append(name)
        if len(path) > 1 and _module(path[2:]) == module:
            found.append(".".join(path))
    if not found:
        raise ValueError(f"the machine has no {module}")
    return found


def record(
    build: Build,
    scope: str,
    file: Path,
    operation: str,
    size: tuple[int, int],
    window: tuple[int, int],
    level: str = "-O1",
) -> None:
    """Run an operation at a size (N, k) and record an instance.

    Args:
        build: the machine.
        scope: path of the instance.
        file: VCD to write.
        operation: one of ``rtl.tb.measure.OPERATIONS``.
        size: polynomial degree and number of residues.
        window: first cycle after the command, and how many.
        level: the C++ compiler's optimization.
    """
    machine = Machine(build, level, traced=True)
    operations = prepare(machine, *size)
    machine.trace(file, scope, *window)
    operations[operation]()
    machine.finish()
    machine.close()


def main(arguments: list[str]) -> None:
    """Record, or list what could be recorded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="name of a module of rtl/taco")
    parser.add_argument("vcd", type=Path, nargs="?", help="file to write")
    parser.add_argument("--instance", help="path, or its number in the list", default="0")
    parser.add_argument("--operation", choices=OPERATIONS, default="bfv_encrypt")
    parser.add_argument("--from-cycle", type=int, default=0)
    parser.add_argument("--cycles", type=int, default=1_000_000)
    parser.add_argument("--machine", default="4x2", help="butterflies x lanes")
    parser.add_argument("--poly-modulus-degree", type=int, default=8192)
    parser.add_argument("--key-residues", type=int, default=3)
    options = parser.parse_args(arguments)
    build = machine_build(options.machine)
    paths = instances(build, options.module)
    if options.vcd is None:
        print("\n".join(paths))
        return
    scope = paths[int(options.instance)] if options.instance.isdigit() else options.instance
    size = options.poly_modulus_degree, options.key_residues
    window = options.from_cycle, options.cycles
    record(build, scope, options.vcd, options.operation, size, window)


if __name__ == "__main__":
    main(sys.argv[1:])
