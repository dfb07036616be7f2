"""The section of ``docs/validation.md`` on interpolated SRAM costs."""

import pandas as pd

from models.memory.study import MEASURED

_TITLE = {
    "area_m2": "area",
    "read_energy_j": "energy of a read",
    "write_energy_j": "energy of a write",
    "leakage_w": "leakage",
    "read_latency_s": "read latency",
    "write_latency_s": "write latency",
}


def interpolation_section(table: pd.DataFrame) -> str:
    """Word the interpolation of SRAM costs against runs of DESTINY that were left out.

    Args:
        table: rows of ``study.INTERPOLATION``.
    """
    kinds = table.groupby(["device_roadmap", "word_bits"]).ngroups
    lines = [
        "## SRAM: interpolated costs against DESTINY",
        "",
        "Every size that the design space uses is a run of DESTINY. DESTINY builds powers of two",
        "only, so other sizes cannot be run: each run is left out in turn and predicted from the",
        "next smaller and the next larger one, which are four times apart (the model never bridges",
        f"more than two). {kinds} combinations of devices and word width;",
        "relative errors, optimized for read energy, and over all eight targets.",
        "",
        "| quantity | left out | median | worst | worst at | median, all targets |",
        "|---|---|---|---|---|---|",
    ]
    chosen = table[table.optimization_target == "ReadDynamicEnergy"]
    for quantity in MEASURED:
        rows, every = chosen[chosen.quantity == quantity], table[table.quantity == quantity]
        worst = rows.loc[rows.error.idxmax()]
        where = f"{worst.capacity_bytes} bytes, {worst.word_bits} bits, {worst.device_roadmap}"
        lines.append(
            f"| {_TITLE[quantity]} | {len(rows)} | {rows.error.median():.1%} | "
            f"{worst.error:.1%} | {where} | {every.error.median():.1%} |"
        )
    return "\n".join(lines) + "\n"
