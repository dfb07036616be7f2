"""Unit costs of arithmetic in hardware, read from ``unit_costs.yaml`` with their sources."""

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.config.base import one_line
from models.errors import ChocoError

COSTS_FILE = Path(__file__).with_name("unit_costs.yaml")


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


def load_costs(path: Path = COSTS_FILE) -> UnitCosts:
    """Read unit costs; without a path, those that the project comes with.

    Raises:
        ChocoError: the file is missing, is not YAML, or does not validate; one line.
    """
    try:
        return UnitCosts.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise ChocoError(f"{path}: {one_line(error)}") from None
