"""Section of the client program: how SEAL is built for it and on which core it runs."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from models.config.base import Section


class SealBuild(Section):
    """The SEAL that the client program uses."""

    error_sampler: Literal["binomial", "normal"] = Field(
        "normal",
        description="SEAL's error distribution: clipped normal, as before version 4 and in the "
        "paper, or binomial",
    )
    seal_dir: Path | None = Field(
        None,
        description="an installed SEAL for Arm or SEAL's source; null: SEAL 4.1.2 from a package",
    )


class ClientProgram(SealBuild):
    """The program of a live profile."""

    core: Path = Field(
        Path("gem5-configs/cores/cortex_a7_ddr3_1600.yaml"),
        description="the simulated core: pipeline, caches, memory",
    )
    random_generator: Literal["blake2xb", "shake256"] = Field(
        "blake2xb", description="SEAL's random generator: blake2xb or shake256"
    )
    message: Literal["random", "periodic"] = Field(
        "random",
        description="what is encrypted: random slots, or slot i holds i mod 16 as in the recorded "
        "gem5 runs",
    )
    encryption: Literal["public", "secret"] = Field(
        "public", description="encryption with the public key, or seeded with the secret key"
    )
