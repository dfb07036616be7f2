"""Where a number comes from.

Every row of every result table carries a ``provenance`` string made here, so that a reader can
tell a live tool run from a recorded one, a measurement on real ciphertexts from a model, and
either from the paper.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

PAPER = "paper"
_OUR_PACKAGES = ("models", "plots", "rtl", "workloads")


def live(tool: str, version: str) -> str:
    """Return the provenance of an external tool run now, e.g. ``live gem5 24.0.0.1``."""
    return f"live {tool} {version}"


def recorded(tool: str, version: str, date: str) -> str:
    """Return the provenance of a committed output of a real run (``date`` is ISO 8601)."""
    return f"recorded {tool} {version} {date}"


def library(name: str, distribution: str) -> str:
    """Return the provenance of a number computed by a Python library, e.g. ``SEAL 4.4.0``.

    ``distribution`` is the installed package that the version is read from.
    """
    return f"{name} {metadata.version(distribution)}"


def model(name: str, *, preliminary: bool = False) -> str:
    """Return the provenance of a number computed by one of our own models."""
    return f"model {name}" + (" (preliminary)" if preliminary else "")


def combine(*sources: str) -> str:
    """Join the sources of a number that depends on several, each named once, in order."""
    parts = (part for source in sources for part in source.split(" + "))
    return " + ".join(dict.fromkeys(parts))


def code_hash(*modules: str) -> str:
    """Hash the source of the named modules and of everything of ours that they import.

    Snakemake does not see that a rule's result depends on library code; rules pass this hash
    as a parameter, so that editing a module reruns what uses it and nothing else.

    Raises:
        ModuleNotFoundError: a name is not a module of this project.
    """
    digest = hashlib.sha256()
    for name in sorted(_closure(modules)):
        digest.update(name.encode())
        digest.update(_source(name).read_bytes())
    return digest.hexdigest()[:16]


def _closure(modules: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending.extend(_imports(name))
    return seen


@lru_cache
def _imports(module: str) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(_source(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from package import name`: the name is a module, or something inside the package.
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                found.add(submodule if _is_module(submodule) else node.module)
    return frozenset(name for name in found if name.split(".")[0] in _OUR_PACKAGES)


@lru_cache
def _is_module(name: str) -> bool:
    if name.split(".")[0] not in _OUR_PACKAGES:
        return False
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@lru_cache
def _source(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {module!r} in this project")
    return Path(spec.origin)
