"""Map one module to a library with Yosys: run as a process of its own, with a JSON job as argument.

Yosys keeps its design in the process and ends the process on an error, so the flow starts this file
with ``python -m rtl.synthesis.mapper``; ``rtl.synthesis.mapping`` does that and judges the result.

Steps: SystemVerilog front end (slang), with memories and blocks that have rows of their own left
out; Yosys' coarse synthesis; products and long sums as carry-save trees of full adders,
which ABC cannot map; flip-flops; ABC for everything else, for the clock that is aimed at.
"""

import json
import sys
from pathlib import Path
from typing import Any

ABC = (
    "strash",
    "map -B 0.9 {D}",
    "topo",
    "buffer -c",
    "upsize {D}",
    "dnsize {D}",
)
ABC_FAST = ("strash", "dch", *ABC[1:])
"""With structural choices, for the fastest clock: slower to run."""


def run(job: dict[str, Any]) -> None:
    """Map ``job['module']`` and write ``job['netlist']`` (Yosys JSON)."""
    from pyosys import libyosys

    def yosys(command: str) -> None:
        libyosys.run_pass(command)

    scratch = Path(job["netlist"]).parent
    parameters = " ".join(f"-G {name}={value}" for name, value in job["parameters"].items())
    boxes = " ".join(f"--blackboxed-module {name}" for name in job["black_boxes"])
    liberty = job["liberty"]
    yosys(
        f"read_slang --std 1800-2017 --top {job['module']} {parameters} {boxes} "
        + " ".join(job["files"])
    )
    yosys("synth -flatten -run begin:fine")
    yosys("opt -fast -full")
    yosys("memory_map")
    yosys("opt -undriven -fine")
    if job["full_adder"]:
        _map_full_adders(yosys, job["full_adder"], scratch)
    yosys("techmap")
    yosys("opt -fast")
    yosys("opt_clean -purge")
    dont_use = " ".join(f"-dont_use {pattern}" for pattern in job["dont_use"])
    yosys(f"dfflibmap -liberty {liberty} {dont_use}")
    yosys("opt_clean -purge")
    script = ABC_FAST if job["fast"] else ABC
    text = "+" + ";".join(script).replace(" ", ",")
    yosys(f"abc -liberty {liberty} {dont_use} -D {job['period_ps']:.0f} -script {text}")
    if job["ties"]:
        (high, high_pin), (low, low_pin) = job["ties"]
        yosys(f"hilomap -singleton -hicell {high} {high_pin} -locell {low} {low_pin}")
    yosys("setundef -zero")
    yosys("opt_clean -purge")
    yosys(f"write_json {job['netlist']}")


def _map_full_adders(yosys: Any, cell: tuple[str, dict[str, str]], scratch: Path) -> None:
    """Turn products and sums of more than two numbers into the library's full adders."""
    name, pins = cell
    here = Path(__file__).parent
    yosys("maccmap")
    yosys("simplemap t:$and t:$not t:$mux")
    before = -1
    while True:
        yosys("opt_expr")
        yosys("opt_clean")
        count = _count(yosys, "t:$fa", scratch)
        if count in (0, before):
            break
        before = count
        yosys(f"techmap -map {here / 'full_adder_split.v'}")
    connections = ", ".join(f".{pin}({port})" for port, pin in pins.items())
    mapping = scratch / "full_adder.v"
    mapping.write_text(
        '(* techmap_celltype = "$fa" *)\n'
        "module _full_adder (A, B, C, X, Y);\n  parameter WIDTH = 1;\n"
        f"  input A, B, C;\n  output X, Y;\n  {name} fa ({connections});\nendmodule\n"
    )
    yosys(f"techmap -map {mapping}")


def _count(yosys: Any, selection: str, scratch: Path) -> int:
    counted = scratch / "count.txt"
    yosys(f"tee -q -o {counted} select -count {selection}")
    return int(counted.read_text().split()[0])


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
