"""What the metrics of a placed and routed block mean: its row of costs, as mapped and as routed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.errors import ChocoError

UM2, NS = 1e-12, 1e-9
STAGES = {"synthesis": "synthesis", "post_route": "finish"}
"""Stage of a row to the prefix of its metrics: before there are wires, and with all of them."""


def read_metrics(path: Path) -> dict[str, Any]:
    """Read the metrics of one block.

    Raises:
        ChocoError: they are missing, or not JSON.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ChocoError(f"{path}: no metrics here: {error}") from None
    return found


def row(metrics: Mapping[str, Any], stage: str, provenance: str) -> dict[str, Any]:
    """Return the costs of a block at a stage: columns of ``rtl.synthesis.table.BLOCKS``.

    Area, leakage and energy are those of the cells: SRAM macros are left out, as they are in every
    row. What the cells spend on the nets between them and a macro is theirs.

    Args:
        metrics: of ``run.py``.
        stage: ``synthesis`` (mapped, clock ideal, no wires) or ``post_route``.
        provenance: where the metrics come from.

    Raises:
        ChocoError: a measurement is missing.
    """
    prefix = STAGES[stage]

    def value(name: str) -> float:
        if f"{prefix}__{name}" not in metrics:
            raise ChocoError(f"{metrics.get('choco__block')}: no metric {prefix}__{name}")
        return float(metrics[f"{prefix}__{name}"])

    def energy(mode: str) -> float:
        watts = value(f"power__internal__total__{mode}") - value(f"power__internal__macro__{mode}")
        watts += value(f"power__switching__total__{mode}")
        watts += value(f"power__switching__inputs__{mode}")
        return watts * float(metrics["clock__period"]) * NS

    leakage = value("power__leakage__total__active") - value("power__leakage__macro__active")
    return {
        "block": metrics["choco__block"],
        "parameters": metrics["choco__parameters"],
        "library": metrics["choco__library"],
        "stage": stage,
        "cells": int(value("design__instance__count__stdcell")),
        "area_m2": value("design__instance__area__stdcell") * UM2,
        "min_period_s": value("timing__min_period") * NS,
        "leakage_w": leakage,
        "active_energy_j": energy("active"),
        "idle_energy_j": energy("idle"),
        "activity": metrics["choco__activity"],
        "provenance": provenance,
    }


def memory_energy_j(metrics: Mapping[str, Any], mode: str) -> float:
    """Return the energy a cycle of the accesses to SRAM macros, 0 in a block without any."""
    watts = float(metrics[f"finish__power__internal__macro__{mode}"])
    return watts * float(metrics["clock__period"]) * NS
