"""The section of ``docs/validation.md`` on interpolated SRAM costs."""

import pandas as pd

_TITLES = {
    "area": ["area_m2"],
    "energy, read or write": ["read_energy_j", "write_energy_j"],
    "energy of a read": ["read_energy_j"],
    "energy of a write": ["write_energy_j"],
    "leakage": ["leakage_w"],
    "latency, read or write": ["read_latency_s", "write_latency_s"],
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
        "others, across a factor of four in capacity (the model never bridges more than two).",
        f"Relative errors over {kinds} combinations of devices and word width, optimized for read",
        "energy; in the last column over all eight targets of the optimization.",
        "",
        "| quantity | left out | median | worst | worst at | median, all targets |",
        "|---|---|---|---|---|---|",
    ]
    chosen = table[table.optimization_target == "ReadDynamicEnergy"]
    for title, quantities in _TITLES.items():
        every = table[table.quantity.isin(quantities)]
        rows = chosen[chosen.quantity.isin(quantities)]
        worst = rows.loc[rows.error.idxmax()]
        where = f"{worst.capacity_bytes} bytes, {worst.word_bits} bits, {worst.device_roadmap}"
        lines.append(
            f"| {title} | {len(rows)} | {rows.error.median():.1%} | "
            f"{worst.error:.1%} | {where} | {every.error.median():.1%} |"
        )
    return "\n".join(lines) + "\n"
