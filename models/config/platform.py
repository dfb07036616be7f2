"""Sections of what the models describe: tools, client, radio, accelerator."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.config.base import Section

Provider = Literal["auto", "live", "recorded"]


class Providers(Section):
    """Where the numbers of an external tool come from."""

    gem5: Provider = Field("auto", description="gem5: auto, live or recorded")
    destiny: Provider = Field("auto", description="DESTINY: auto, live or recorded")
    openroad: Provider = Field("auto", description="OpenROAD: auto, live or recorded")
    a7: Literal["gem5", "fast"] = Field(
        "gem5",
        description="client operations: from gem5, or run now on the fast model of its core",
    )


class Tools(Section):
    """Binaries of external tools; empty means: look on PATH."""

    gem5: Path | None = Field(None, description="path of gem5.opt built for Arm")
    destiny: Path | None = Field(None, description="path of the destiny binary")
    openroad: Path | None = Field(None, description="path of the openroad binary")
    opensta: Path | None = Field(None, description="path of OpenSTA's binary, sta")


class Client(Section):
    """The client's processor (CHOCO, Section 5.2)."""

    name: str = Field("NXP i.MX6ULL, Arm Cortex-A7", description="shown on figures")
    clock_hz: Annotated[float, Field(gt=0)] = Field(528e6, description="core clock in Hz")
    active_power_w: Annotated[float, Field(gt=0)] = Field(
        0.2695, description="average active power in W (NXP AN5345, Dhrystone, as the paper cites)"
    )
    seal_version: Literal["3.4.5", "4.1.2", "4.4.3"] = Field(
        "3.4.5", description="SEAL on the client; the paper used 3.4 (clipped normal errors)"
    )


class Radio(Section):
    """The radio link between client and server (CHOCO, Section 5.7)."""

    name: str = Field("Bluetooth", description="shown on figures")
    bit_rate_bps: Annotated[float, Field(gt=0)] = Field(22e6, description="bit rate in bit/s")
    power_w: Annotated[float, Field(gt=0)] = Field(
        0.010, description="power while transferring in W (assumption of the paper)"
    )


Elements = Literal[1, 2, 4, 8, 16, 32]
Lanes = Literal[1, 2, 4, 8]


class Accelerator(Section):
    """A CHOCO-TACO design point; elements are per residue layer (CHOCO, Section 4.2).

    The paper draws its design point (Figure 6) without a table; the defaults are what its text
    implies. One 64-byte read and write a cycle feed 4 butterflies, and 4 products keep their pace.
    The generator makes 1.1 normally distributed samples of 8 bytes a cycle, so one adder and one
    modulus switching element keep up. The encoder's transforms are "small": half a main one.
    """

    transform_units: Literal[1, 2] = Field(
        2,
        description="transform blocks of a layer: 2, one for each direction (the paper's), or 1 "
        "for both (the RTL's)",
    )
    clock_hz: Annotated[float, Field(gt=0)] = Field(100e6, description="clock in Hz")
    ntt_butterflies: Elements = Field(4, description="butterflies of each NTT block")
    intt_butterflies: Elements = Field(4, description="butterflies of each INTT block")
    dyadic_multipliers: Lanes = Field(
        4, description="modular multipliers of the dyadic product block"
    )
    adders: Lanes = Field(1, description="modular adders of the polynomial addition block")
    modulus_switch_elements: Lanes = Field(1, description="elements of the modulus switching block")
    encode_butterflies: Elements = Field(
        2, description="butterflies of the message encoder and decoder"
    )
    generator_units: Lanes = Field(1, description="BLAKE3 generators, 64 bytes every 7 cycles each")
    stream_buffer_bytes: Annotated[int, Field(ge=0, le=65536)] = Field(
        0, description="buffer that collects error samples, one byte each, ahead of their use"
    )
    error_distribution: Literal["clipped normal", "centered binomial"] = Field(
        "clipped normal",
        description="errors as SEAL 3.4 draws them (8 random bytes each, the paper's), "
        "or as SEAL 4 does (5.3)",
    )

    @model_validator(mode="after")
    def _one_unit_has_one_size(self) -> Self:
        if self.transform_units == 1 and self.ntt_butterflies != self.intt_butterflies:
            raise ValueError(
                "transform_units: 1 needs ntt_butterflies = intt_butterflies, here "
                f"{self.ntt_butterflies} and {self.intt_butterflies}"
            )
        return self


class DesignSpace(Section):
    """The study of accelerator designs (CHOCO, Section 4.4, Figure 7)."""

    sweep: Path = Field(
        Path("config/sweeps/paper_space.yaml"), description="the space that is explored"
    )
    power_limit_w: Annotated[float, Field(gt=0)] = Field(
        0.2, description="largest average power in W of a design that is chosen"
    )
    time_margin: Annotated[float, Field(ge=0)] = Field(
        0.01, description="how much slower than the fastest the chosen design may be"
    )
    rule: Literal["paper", "fastest", "least_energy", "smallest"] = Field(
        "paper", description="selection rule: paper, fastest, least_energy or smallest"
    )


class Technology(Section):
    """What blocks and memories of the accelerator are made in."""

    library: str = Field("nangate45", description="cell library of the synthesized blocks")
    stage: Literal["synthesis", "post_route"] = Field(
        "synthesis", description="costs of blocks after synthesis, or after place and route"
    )


class CkksSoftware(Section):
    """What of CKKS encoding and decoding the accelerator takes over (CHOCO, Section 4.7)."""

    encode_transform_share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.59, description="share of transforms modulo the primes in the software's encoding time"
    )
    decode_transform_share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.46, description="the same in decoding; both as the paper profiled them"
    )
