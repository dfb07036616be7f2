"""The report: one self-contained page with claims, figures, and where every number comes from."""

import base64
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel

from models.config import Config
from models.errors import ChocoError
from models.stage import Job, run_stage
from models.tables import read_table, replacing

STATUSES = ("reproduced", "differs", "not yet")


class Settings(BaseModel):
    """The configuration of the run, printed in the report."""

    configuration: Config


@dataclass(frozen=True)
class FigureEntry:
    """A figure of the report: its name, its caption, its SVG as a data URI."""

    name: str
    caption: str
    uri: str


@dataclass(frozen=True)
class Source:
    """How many rows of a table come from one source."""

    table: str
    provenance: str
    rows: int


def stage(job: Job[Settings]) -> None:
    """Render the report.

    Inputs: ``template``, ``claims`` (table), ``captions`` (directory of NAME.rst), and any number
    of figures (``*.svg``) and tables (``*.csv``), named as they shall appear.
    Output: ``page`` (HTML).
    """
    template, captions = job.inputs["template"], job.inputs["captions"]
    claims = read_table(job.inputs["claims"])
    figures = [
        figure_entry(name, path, captions)
        for name, path in job.inputs.items()
        if path.suffix == ".svg"
    ]
    sources = [
        source
        for name, path in job.inputs.items()
        if path.suffix == ".csv"
        for source in sources_of(name, read_table(path))
    ]
    environment = Environment(
        loader=FileSystemLoader(template.parent), undefined=StrictUndefined, autoescape=True
    )
    page = environment.get_template(template.name).render(
        claims=claims.astype(object).fillna("").to_dict("records"),
        counts={status: int((claims["status"] == status).sum()) for status in STATUSES},
        figures=figures,
        sources=sources,
        configuration=yaml.safe_dump(
            job.settings.configuration.model_dump(mode="json", exclude_none=True), sort_keys=False
        ),
    )
    with replacing(job.outputs["page"]) as temporary:
        temporary.write_text(page, encoding="utf-8")


def figure_entry(name: str, svg: Path, captions: Path) -> FigureEntry:
    """Return a figure with its caption.

    Raises:
        ChocoError: the figure has no caption file.
    """
    caption = captions / f"{name}.rst"
    if not caption.is_file():
        raise ChocoError(f"{caption}: every figure needs a caption")
    data = base64.b64encode(svg.read_bytes()).decode()
    return FigureEntry(name, caption.read_text("utf-8"), f"data:image/svg+xml;base64,{data}")


def sources_of(name: str, table: pd.DataFrame) -> list[Source]:
    """Count the rows of a table by the source that each row names; unmade claims have none."""
    counted = Counter(table["provenance"].dropna())
    return [Source(name, provenance, rows) for provenance, rows in sorted(counted.items())]


if __name__ == "__main__":
    run_stage(stage, Settings)
