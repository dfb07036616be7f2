"""Stage: map one block, all of it, to the library; SRAM stays outside."""

from pydantic import BaseModel

from models.config.pdk import Pdk
from models.stage import Job, run_stage
from rtl.synthesis.blocks import block_list
from rtl.synthesis.liberty import read_cells
from rtl.synthesis.map import plain_liberty
from rtl.synthesis.mapping import map_block
from rtl.synthesis.place_and_route.settings import find_block


class Settings(BaseModel):
    """Which block, which library."""

    block: str
    pdk: Pdk = Pdk()
    period_s: float = 10e-9


def stage(job: Job[Settings]) -> None:
    """Write the netlist of one block."""
    settings = job.settings
    block = find_block(settings.block)
    directory = job.outputs["netlist"].parent
    liberty = plain_liberty(settings.pdk.liberty, directory)
    netlist = map_block(
        block.module,
        block.parameters,
        block_list().memories,
        liberty,
        read_cells(settings.pdk.liberty),
        directory,
        period_s=settings.period_s,
        dont_use=settings.pdk.dont_use,
    )
    if liberty.parent == directory.absolute():
        liberty.unlink()
    print(f"{block.name}: {len(netlist.instances)} cells, {len(netlist.boxes)} SRAM macros")


if __name__ == "__main__":
    run_stage(stage, Settings)
