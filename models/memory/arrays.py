"""The table of SRAM arrays: one row for each array that DESTINY was run for and each target."""

from typing import get_args

from models.config.memory import DeviceRoadmap, OptimizationTarget
from models.tables import Check, Column, table_schema

KEY = ("device_roadmap", "word_bits", "capacity_bytes", "optimization_target")
"""Columns that name a row; ``optimization_target`` is what DESTINY's search minimized."""

QUANTITIES = (
    "area_m2",
    "read_latency_s",
    "write_latency_s",
    "precharge_latency_s",
    "read_energy_j",
    "write_energy_j",
    "leakage_w",
)
"""What DESTINY reports, for an array with one port; energies are of one access to a word."""

ORGANIZATION = ("bank", "mat", "subarray")
"""How it is built: mats in the bank, subarrays in a mat, rows x columns of cells."""

_positive = {name: Column(float, Check.gt(0)) for name in QUANTITIES}
SRAM_ARRAYS = table_schema(
    device_roadmap=Column(str, Check.isin(get_args(DeviceRoadmap))),
    word_bits=Column(int, Check.gt(0)),
    capacity_bytes=Column(int, Check.gt(0)),
    optimization_target=Column(str, Check.isin(get_args(OptimizationTarget))),
    **_positive,
    bank=str,
    mat=str,
    subarray=str,
)
