"""Files that follow from the configuration models: default file, JSON schema, key table.

``choco config write`` makes all three; a test shows the difference where they are out of step.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from models.config import Config
from models.tables import replacing

DEFAULTS = Path("config/config.yaml")
SCHEMA = Path("config/schema.json")
MANUAL = Path("config/README.md")
KEY_TABLE_START, KEY_TABLE_END = "<!-- keys -->", "<!-- end of keys -->"

_HEADER = """\
# Configuration of the workflow. Every key is optional: what is left out has the value shown here.
# Change a value here, or for one run: snakemake fig8 --config 'accelerator={clock_hz: 2.0e+8}'
# Meaning, type and range of every key: config/README.md; checked by config/schema.json.
"""


def default_yaml() -> str:
    """Return the commented default configuration."""
    return _HEADER + "".join(_yaml_lines(Config(), indent=0))


def json_schema() -> str:
    """Return the JSON schema of a configuration file."""
    return json.dumps(Config.model_json_schema(), indent=2) + "\n"


def key_table() -> str:
    """Return a Markdown table of all keys: name, default, meaning."""
    rows = [f"| `{key}` | `{value}` | {text} |\n" for key, value, text in _keys(Config(), "")]
    return "| key | default | meaning |\n|---|---|---|\n" + "".join(rows)


def manual_with_keys(manual: str) -> str:
    """Return the manual with the table between its two markers brought up to date."""
    before, _, rest = manual.partition(KEY_TABLE_START)
    _, _, after = rest.partition(KEY_TABLE_END)
    return f"{before}{KEY_TABLE_START}\n{key_table()}{KEY_TABLE_END}{after}"


def write(root: Path) -> list[Path]:
    """Write the three files below ``root`` and return their paths."""
    contents = {
        DEFAULTS: default_yaml(),
        SCHEMA: json_schema(),
        MANUAL: manual_with_keys((root / MANUAL).read_text(encoding="utf-8")),
    }
    for path, content in contents.items():
        with replacing(root / path) as temporary:
            temporary.write_text(content, encoding="utf-8")
    return list(contents)


def _yaml_lines(section: BaseModel, indent: int) -> Iterator[str]:
    pad = "  " * indent
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if indent == 0:
            yield "\n"
        if field.description:
            yield f"{pad}# {field.description}\n"
        if isinstance(value, BaseModel):
            yield f"{pad}{name}:\n"
            yield from _yaml_lines(value, indent + 1)
        elif isinstance(value, Mapping) or _is_list_of_models(value):
            yield f"{pad}{name}:\n"
            yield from (f"{pad}  {line}\n" for line in _entries(value))
        else:
            yield f"{pad}{name}: {_scalar(value)}\n"


def _entries(value: Any) -> list[str]:
    """Return named or listed entries, one line each in flow style, unset keys left out."""
    if isinstance(value, Mapping):
        return [f"{name}: {_scalar(entry)}" for name, entry in value.items()]
    return [f"- {_scalar(entry)}" for entry in value]


def _is_list_of_models(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], BaseModel)


def _scalar(value: Any) -> str:
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, Path):
        value = str(value)
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1000)
    return str(text).removesuffix("...\n").strip()


def _keys(section: BaseModel, prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _keys(value, f"{prefix}{name}.")
        elif isinstance(value, Mapping) or _is_list_of_models(value):
            yield f"{prefix}{name}", "see config.yaml", field.description or ""
            entry = next(iter(value.values())) if isinstance(value, Mapping) else value[0]
            mark = ".NAME." if isinstance(value, Mapping) else "[]."
            for key, child in type(entry).model_fields.items():
                yield f"{prefix}{name}{mark}{key}", "", child.description or ""
        else:
            yield f"{prefix}{name}", _scalar(value), field.description or ""
