"""Stage: place and route one block of the list with OpenROAD, and measure it."""

import json
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from models import provenance
from models.config.memory import Memory
from models.config.pdk import Pdk
from models.errors import ChocoError
from models.memory.costs import load_sram
from models.memory.lef import lef
from models.memory.liberty import liberty
from models.memory.macro_shape import Macro, make_macro
from models.stage import Job, run_stage
from models.tables import replacing
from models.tools import OPENROAD, probe_version, resolve
from rtl.synthesis.blocks import block_list
from rtl.synthesis.liberty import nominal_voltage, read_cells
from rtl.synthesis.map import plain_liberty
from rtl.synthesis.netlist import Netlist, read, write_verilog
from rtl.synthesis.place_and_route import openroad
from rtl.synthesis.place_and_route.activity import MODES, replay_block, write_activity
from rtl.synthesis.place_and_route.floorplan import Size, plan
from rtl.synthesis.place_and_route.settings import Block, find_block, read_technology
from rtl.synthesis.place_and_route.settings import block_list as routed_blocks


class Settings(BaseModel):
    """Which block, in which library and memories, by which OpenROAD."""

    block: str
    pdk: Pdk = Pdk()
    memory: Memory = Memory()
    period_s: float = 10e-9
    openroad: Path | None = None
    threads: int = 2


def stage(job: Job[Settings]) -> None:
    """Write the metrics of one block; everything else stays beside them."""
    settings = job.settings
    block = find_block(settings.block)
    _check(settings.pdk)
    tool = resolve(OPENROAD, "live", settings.openroad).path
    assert tool is not None  # a live resolution has a path
    directory = job.outputs["metrics"].parent.absolute()
    cells = read_cells(settings.pdk.liberty)
    netlist = read(job.inputs["netlist"], cells, block_list().memories)
    recording = job.inputs["recordings"] / f"{block.module}.hex"
    replayed = replay_block(netlist, cells, recording, directory)
    for mode in MODES:
        write_activity(netlist, cells, replayed, mode, directory / f"{mode}.activity")
    macros = write_macros(netlist, job.inputs["arrays"], settings.memory, directory)
    write_verilog(with_macros(netlist, macros), directory / "mapped.v")
    write_job(block, netlist, macros, settings, directory)
    metrics = openroad.run(tool, directory)
    text = json.dumps(
        {
            **metrics,
            "clock__period": settings.period_s * 1e9,
            "choco__block": block.module,
            "choco__parameters": block.text,
            "choco__library": settings.pdk.name,
            "choco__activity": routed_blocks().machine.describe(),
            "choco__active_cycles": replayed.active_cycles,
            "choco__macros": sorted(macro.description for macro in set(macros.values())),
            "choco__provenance": provenance.live("OpenROAD", probe_version(OPENROAD, tool)),
        },
        indent=2,
        sort_keys=True,
    )
    with replacing(job.outputs["metrics"]) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def write_macros(
    netlist: Netlist, arrays: Path, memory: Memory, directory: Path
) -> dict[str, Macro]:
    """Write LEF and Liberty of every SRAM macro; return the macro of each instance."""
    if not netlist.boxes:
        return {}
    model = load_sram(arrays, memory)
    found = {}
    for i, box in enumerate(netlist.boxes):
        macro = make_macro(model, box.parameters["Depth"], box.parameters["Width"])
        (directory / f"{macro.name}.lef").write_text(lef(macro), encoding="utf-8")
        (directory / f"{macro.name}.lib").write_text(liberty(macro), encoding="utf-8")
        found[f"b{i}"] = macro
    return found


def with_macros(netlist: Netlist, macros: dict[str, Macro]) -> Netlist:
    """Return the netlist with each SRAM as an instance of its macro."""
    boxes = tuple(replace(box, module=macros[f"b{i}"].name) for i, box in enumerate(netlist.boxes))
    return replace(netlist, boxes=boxes)


def write_job(
    block: Block, netlist: Netlist, macros: dict[str, Macro], settings: Settings, directory: Path
) -> None:
    """Plan the floor and write what flow.tcl reads."""
    pdk = settings.pdk
    assert pdk.layout is not None  # checked before
    technology = read_technology(pdk.layout)
    cells = read_cells(pdk.liberty)
    floor = plan(
        sum(cells[i.kind].area for i in netlist.instances),
        {name: Size(macro.width_um, macro.height_um) for name, macro in macros.items()},
        block.utilization,
        technology.row_height,
        technology.snap_x,
        technology.halo,
    )
    names = sorted({macro.name for macro in macros.values()})
    job = {
        "module": block.module,
        "verilog": "mapped.v",
        "lef": [*(str(p.absolute()) for p in pdk.lef), *(f"{name}.lef" for name in names)],
        "liberty": [
            str(plain_liberty(pdk.liberty, directory)),
            *(f"{name}.lib" for name in names),
        ],
        "tracks": pdk.tracks and str(pdk.tracks.absolute()),
        "wire_rc": pdk.wire_rc and str(pdk.wire_rc.absolute()),
        "extraction_rules": pdk.extraction_rules and str(pdk.extraction_rules.absolute()),
        "period_s": settings.period_s,
        "voltage_v": nominal_voltage(pdk.liberty),
        "density": block.utilization,
        "detailed": block.detailed,
        "route_iterations": block.route_iterations,
        "threads": settings.threads,
        **{f"activity_{mode}": f"{mode}.activity" for mode in MODES},
    }
    openroad.write_job(directory, job, technology, floor)


def _check(pdk: Pdk) -> None:
    """Refuse a library that cannot be laid out.

    Raises:
        ChocoError: it has no LEF or no description for layout, or a file of it is missing.
    """
    if not pdk.lef or pdk.layout is None:
        raise ChocoError(
            f"pdk {pdk.name}: place and route needs pdk.lef (technology first, then cells) and "
            "pdk.layout; our own library choco45 has neither, Nangate45 has both"
        )
    for path in (*pdk.lef, pdk.layout, pdk.tracks, pdk.wire_rc, pdk.extraction_rules):
        if path is not None and not path.is_file():
            raise ChocoError(f"pdk {pdk.name}: no file {path}")


if __name__ == "__main__":
    run_stage(stage, Settings)
