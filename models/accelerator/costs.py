"""Unit costs of arithmetic in hardware, read from ``unit_costs.yaml`` with their sources."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

_FILE = Path(__file__).with_name("unit_costs.yaml")


class Quantity(BaseModel):
    """A number in SI units, where it is from and how far it can be trusted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Annotated[float, Field(gt=0)]
    source: str
    confidence: Literal["published", "derived", "assumed"]


class UnitCosts(BaseModel):
    """The quantities of ``unit_costs.yaml``; energies of one operation, leakage of one unit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    multiplier_32b_energy_j: Quantity
    multiplier_32b_leakage_w: Quantity
    adder_32b_energy_j: Quantity
    adder_32b_leakage_w: Quantity
    register_bit_energy_j: Quantity
    multiplications_per_modular_product: Quantity
    multiplications_per_reduction: Quantity
    additions_per_modular_addition: Quantity
    generator_additions_per_byte: Quantity
    generator_register_bits_per_byte: Quantity
    generator_adders: Quantity
    layer_multiplier_bits: Quantity
    encoder_multiplier_bits: Quantity
    streaming_buffer_bytes: Quantity

    def __getitem__(self, name: str) -> float:
        """Return the value of a quantity."""
        quantity: Quantity = getattr(self, name)
        return quantity.value


@cache
def unit_costs() -> UnitCosts:
    """Return the unit costs that the project comes with."""
    return UnitCosts.model_validate(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
