"""Stage: an SRAM macro with one read and one write port, as LEF and Liberty."""

from pathlib import Path

from pydantic import Field

from models.config.base import Section
from models.config.memory import Memory
from models.memory.costs import load_sram
from models.memory.lef import lef
from models.memory.liberty import liberty
from models.memory.macro_shape import make_macro
from models.stage import Job, run_stage
from models.tables import replacing


class Settings(Section):
    """What the stage needs."""

    memory: Memory = Field(Memory(), description="the arrays")
    depth: int = Field(1024, ge=2, description="words")
    word_bits: int = Field(512, ge=8, description="bits of a word")


def stage(job: Job[Settings]) -> None:
    """Write the LEF and the Liberty of a macro; input: the table of arrays."""
    settings = job.settings
    model = load_sram(job.inputs["arrays"], settings.memory)
    macro = make_macro(model, settings.depth, settings.word_bits)
    for text, path in (
        (lef(macro), job.outputs["lef"]),
        (liberty(macro), job.outputs["liberty"]),
    ):
        _write(text, path)


def _write(text: str, path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_stage(stage, Settings)
