"""What the simulator is asked about: design points and HE parameters, as arrays that broadcast.

Every field is an integer or an array; together they broadcast to M points. A design space has one
(N, k) and many designs, Figure 8 has one design and many (N, k).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.config.platform import Accelerator
from models.parameters import ModulusChain

Array = NDArray[Any]


@dataclass(frozen=True)
class HePoints:
    """HE parameters. What depends on the width of the primes is not modelled: words are 64 bits."""

    poly_modulus_degree: Array
    key_residues: Array

    @property
    def data_residues(self) -> Array:
        """Residues of a fresh ciphertext: all but the key prime's, or the only one."""
        data: Array = np.maximum(1, self.key_residues - 1)
        return data


@dataclass(frozen=True)
class DesignPoints:
    """Design points; elements are those of one residue layer where a module is in every layer."""

    transform_units: Array
    ntt_butterflies: Array
    intt_butterflies: Array
    dyadic_multipliers: Array
    adders: Array
    modulus_switch_elements: Array
    encode_butterflies: Array
    generator_units: Array
    stream_buffer_bytes: Array
    clock_hz: Array
    error_distribution: Literal["clipped normal", "centered binomial"] = "clipped normal"


AXES: tuple[str, ...] = tuple(
    field.name for field in fields(DesignPoints) if field.name != "error_distribution"
)
"""Names of the numbers that make up a design point."""


def he_points(chains: Sequence[ModulusChain]) -> HePoints:
    """Gather parameter choices."""
    return HePoints(
        np.array([chain.poly_modulus_degree for chain in chains]),
        np.array([chain.key_residues for chain in chains]),
    )


def design_points(design: Accelerator) -> DesignPoints:
    """Return the one point of a configured accelerator."""
    return DesignPoints(
        **{axis: np.asarray(getattr(design, axis)) for axis in AXES},
        error_distribution=design.error_distribution,
    )
