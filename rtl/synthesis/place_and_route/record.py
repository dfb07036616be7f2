"""Stage: record the signals of the blocks of the list while a small machine works."""

import contextlib

from pydantic import BaseModel

from models.config.pdk import Pdk
from models.errors import ChocoError
from models.stage import Job, run_stage
from rtl.synthesis.blocks import block_list as synthesized
from rtl.synthesis.liberty import read_cells
from rtl.synthesis.netlist import read
from rtl.synthesis.place_and_route.settings import block_list
from rtl.synthesis.record import RecordedMachine, bindings, build, operate
from rtl.synthesis.signals import signals


class Settings(BaseModel):
    """The library whose netlists say which signals there are."""

    pdk: Pdk = Pdk()


def stage(job: Job[Settings]) -> None:
    """Write a file of hexadecimal lines a block; input: the directory of their netlists."""
    cells = read_cells(job.settings.pdk.liberty)
    listed = block_list()
    wanted = {}
    for block in listed.blocks:
        netlist = job.inputs["netlists"] / block.name / "netlist.json"
        wanted[block.module] = signals(read(netlist, cells, synthesized().memories))
    directory = job.outputs["recordings"].absolute()
    directory.mkdir(parents=True, exist_ok=True)
    options = listed.machine_build()
    library = build(bindings(wanted), options)
    with contextlib.chdir(directory):
        machine = RecordedMachine(options, library)
        operate(machine, listed.machine)
        machine.close()
    for module in wanted:
        if not (directory / f"{module}.hex").is_file():
            raise ChocoError(f"the recorded machine has no {module} where blocks.yaml says")


if __name__ == "__main__":
    run_stage(stage, Settings)
