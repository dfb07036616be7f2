"""Sections of what the models describe: tools, client, radio, accelerator."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

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


class Accelerator(Section):
    """A CHOCO-TACO design point; elements are per residue layer (CHOCO, Section 4.2).

    The paper draws its design point (Figure 6) without a table; the defaults are what its text
    implies. One 64-byte read and write a cycle feed 4 butterflies, and 4 products keep their pace.
    The generator's peak gives 0.74 error samples of 8 bytes a cycle, so one adder and one modulus
    switching element keep up. The encoder's transforms are "small": half a main one, which is
    still off the critical path of encryption.
    """

    clock_hz: Annotated[float, Field(gt=0)] = Field(100e6, description="clock in Hz")
    butterflies: Annotated[int, Field(ge=1, le=32)] = Field(
        4, description="butterflies of each NTT and INTT block"
    )
    dyadic_multipliers: Annotated[int, Field(ge=1, le=32)] = Field(
        4, description="modular multipliers of the dyadic product block"
    )
    adders: Annotated[int, Field(ge=1, le=32)] = Field(
        1, description="modular adders of the polynomial addition block"
    )
    modulus_switch_elements: Annotated[int, Field(ge=1, le=32)] = Field(
        1, description="elements of the modulus switching block"
    )
    encode_butterflies: Annotated[int, Field(ge=1, le=32)] = Field(
        2, description="butterflies of the message encoder and decoder"
    )
    generator_bytes_per_cycle: Annotated[float, Field(gt=0)] = Field(
        5.92, description="PRNG bytes per cycle (the paper's peak of 565 MiB/s at 100 MHz)"
    )
