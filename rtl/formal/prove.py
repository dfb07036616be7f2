"""Prove properties of a module with Yosys: induction over time with its SAT solver."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

FORMAL = Path(__file__).resolve().parent


def script(top: str, files: Sequence[Path], parameters: Mapping[str, int], steps: int) -> list[str]:
    """Return the Yosys commands that prove all assertions in ``top`` for every input sequence.

    The base case starts in reset, the induction step in any state in which the assertions held
    for up to ``steps`` cycles. ``sat`` fails, and Yosys with it, if either does.
    """
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    return [
        f"read_slang --std 1800-2017 {values} --top {top} {' '.join(map(str, files))}",
        "hierarchy -check",
        "proc",
        "flatten",
        "memory_map",
        "async2sync",
        "chformal -lower",
        "opt_clean",
        "dffunmap",
        f"sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps {steps} "
        f"-set-at 1 rst_ni 0 {top}",
    ]


def proven(
    top: str, files: Sequence[Path], parameters: Mapping[str, int] | None = None, steps: int = 5
) -> bool:
    """Tell whether every assertion in ``top`` is proven.

    Raises:
        RuntimeError: Yosys stopped for another reason than a failed proof.
    """
    commands = script(top, files, parameters or {}, steps)
    # A process of its own: Yosys keeps its design and ends the process on an error.
    run = subprocess.run([sys.executable, __file__, *commands], capture_output=True, text=True)
    if run.returncode and "proof did fail" not in run.stdout + run.stderr:
        raise RuntimeError((run.stdout + run.stderr)[-4000:])
    return run.returncode == 0 and "SUCCESS!" in run.stdout


def main() -> None:
    """Run the Yosys commands given as arguments, one an argument."""
    from pyosys import libyosys

    for command in sys.argv[1:]:
        libyosys.run_pass(command)


if __name__ == "__main__":
    main()
