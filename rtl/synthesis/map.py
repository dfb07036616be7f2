"""Stage: map one block of the list to the library."""

from pathlib import Path

from pydantic import BaseModel

from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job, run_stage
from rtl.synthesis.blocks import block_list, by_name
from rtl.synthesis.liberty import read_cells, read_text
from rtl.synthesis.mapping import map_block


class Settings(BaseModel):
    """Which block, which library."""

    block: str
    pdk: Pdk = Pdk()
    period_s: float | None = 10e-9


def plain_liberty(path: Path, directory: Path) -> Path:
    """Return the Liberty as a plain text file, decompressed into ``directory`` if it is not."""
    if path.suffix != ".gz":
        return path.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    plain = (directory / path.stem).absolute()
    plain.write_text(read_text(path), encoding="utf-8")
    return plain


def stage(job: Job[Settings]) -> None:
    """Write the netlist of one block."""
    settings = job.settings
    if settings.block not in by_name():
        raise ChocoError(f"{settings.block!r} is not a block of rtl/synthesis/blocks.yaml")
    block = by_name()[settings.block]
    cells = read_cells(settings.pdk.liberty)
    directory = job.outputs["netlist"].parent
    liberty = plain_liberty(settings.pdk.liberty, directory)
    netlist = map_block(
        block.module,
        dict(block.parameters),
        (*block.entry.boxes, *block_list().memories),
        liberty,
        cells,
        directory,
        period_s=settings.period_s,
        dont_use=settings.pdk.dont_use,
    )
    if liberty.parent == directory.absolute():
        liberty.unlink()
    print(f"{block.name}: {len(netlist.instances)} cells, {len(netlist.boxes)} boxes")


if __name__ == "__main__":
    run_stage(stage, Settings)
