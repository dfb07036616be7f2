"""Section of the cell library that the accelerator's blocks are mapped to."""

from pathlib import Path

from pydantic import Field

from models.config.base import Section


class Pdk(Section):
    """The cell library of synthesis; paths are relative to the directory of the workflow."""

    name: str = Field("choco45", description="shown in tables; names the directory of the results")
    liberty: Path = Field(
        Path("rtl/lib/choco45.lib"),
        description="Liberty file, may be compressed (.gz); the default is our own 45 nm class",
    )
    lef: tuple[Path, ...] = Field(
        (), description="LEF files, technology first; for layout with OpenROAD only"
    )
    dont_use: tuple[str, ...] = Field(
        ("CLKBUF*",), description="patterns of cells that the mapper must leave alone"
    )
    layout: Path | None = Field(
        None,
        description="what layout must know beside LEF and Liberty, as "
        "rtl/synthesis/place_and_route/nangate45.yaml",
    )
    tracks: Path | None = Field(None, description="Tcl with make_tracks; default: pitches of LEF")
    wire_rc: Path | None = Field(None, description="Tcl with set_layer_rc; default: those of LEF")
    extraction_rules: Path | None = Field(
        None,
        description="rules of OpenRCX for extracting wires; without them wires are estimated from "
        "global routing",
    )
