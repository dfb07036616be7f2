"""The configuration: typed, validated before any job starts, documented where it is defined.

``config/config.yaml``, its JSON schema and the key table in ``config/README.md`` follow from these
models (``choco config write``); a test keeps them in step.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator
from pydantic_core import to_json

from models.config.base import Section, one_line
from models.config.client import ClientProgram
from models.config.memory import Memory
from models.config.pdk import Pdk
from models.config.platform import (
    Accelerator,
    CkksSoftware,
    Client,
    DesignSpace,
    Providers,
    Radio,
    Technology,
    Tools,
)
from models.config.workloads import (
    Datasets,
    Distance,
    Microbenchmark,
    Networks,
    Noise,
    PageRank,
    Permutation,
    TransportName,
    bfv,
)
from models.errors import ChocoError
from models.parameters import ModulusChain, ParameterSet, SecurityBits


class Config(Section):
    """Everything a user may change."""

    profile: Literal["full", "quick"] = Field(
        "full", description="full studies, or quick: fewer points and images where a rule says so"
    )
    seed: Annotated[int, Field(ge=0, lt=2**32)] = Field(
        2022, description="seed of every random choice, keys and encryption noise included"
    )
    security_bits: SecurityBits = Field(
        128, description="security that every parameter set must reach: 128, 192 or 256 bits"
    )
    transport: TransportName = Field(
        "in process",
        description="server of a network: in process, or a process of its own on loopback (TCP)",
    )
    providers: Providers = Field(Providers(), description="live tools or recorded outputs")
    tools: Tools = Field(Tools(), description="paths of external tools")
    parameter_sets: dict[str, ParameterSet] = Field(
        {
            "A": bfv(8192, (58, 58, 59), 23),
            "B": bfv(4096, (36, 36, 37), 18),
            "C": ParameterSet(
                scheme="ckks",
                poly_modulus_degree=8192,
                coeff_modulus_bits=(60, 60, 60),
                scale_bits=40,
            ),
            "SEAL": bfv(8192, (43, 43, 44, 44, 44), 23),
        },
        description="named HE parameter sets: A, B and C are the paper's Table 3; "
        "SEAL is what SEAL itself proposes at N = 8192, the paper's baseline",
    )
    client: Client = Field(Client(), description="the client's processor")
    client_program: ClientProgram = Field(
        ClientProgram(), description="the client's program, where its profile is live"
    )
    radio: Radio = Field(Radio(), description="the link to the server")
    memory: Memory = Field(Memory(), description="on-chip SRAM (DESTINY)")
    accelerator: Accelerator = Field(Accelerator(), description="the CHOCO-TACO design point")
    technology: Technology = Field(Technology(), description="what the accelerator is made in")
    design_space: DesignSpace = Field(
        DesignSpace(), description="the study of accelerator designs (Figure 7)"
    )
    ckks_software: CkksSoftware = Field(
        CkksSoftware(), description="CKKS coding, half of which stays in software"
    )
    pdk: Pdk = Field(Pdk(), description="cell library of `snakemake synthesis`")
    scaling_points: tuple[ModulusChain, ...] = Field(
        tuple(
            ModulusChain(poly_modulus_degree=n, coeff_modulus_bits=bits)
            for n, bits in (
                (1024, (27,)),
                (2048, (54,)),
                (4096, (36, 36, 37)),
                (8192, (58, 58, 59)),
                (8192, (43, 43, 44, 44, 44)),
                (16384, (48, 48, 48, 49, 49, 49, 49, 49, 49)),
                (32768, (55,) * 15 + (56,)),
            )
        ),
        description="(N, k) at which encryption is compared (Figure 8)",
    )
    noise: Noise = Field(Noise(), description="noise budgets (Table 4)")
    datasets: Datasets = Field(Datasets(), description="images on this machine")
    permutation: Permutation = Field(
        Permutation(), description="windowed rotations in sequence (Figure 4)"
    )
    networks: Networks = Field(Networks(), description="encrypted inference")
    microbenchmark: Microbenchmark = Field(
        Microbenchmark(), description="communication of single convolutions (Figure 15)"
    )
    distance: Distance = Field(Distance(), description="encrypted distances (Figure 11)")
    pagerank: PageRank = Field(PageRank(), description="client-aided PageRank (Figure 13)")

    @model_validator(mode="before")
    @classmethod
    def _inherit_security(cls, data: Any) -> Any:
        """Give every parameter set the global security level, unless it asks for its own."""
        if not isinstance(data, dict) or "security_bits" not in data:
            return data
        level = {"security_bits": data["security_bits"]}
        sets = data.get("parameter_sets", cls.model_fields["parameter_sets"].default)
        if not isinstance(sets, dict):
            return data
        inherited = {}
        for name, given in sets.items():
            if isinstance(given, ParameterSet):
                given = given.model_dump(exclude={"security_bits"})
            inherited[name] = level | given if isinstance(given, dict) else given
        return data | {"parameter_sets": inherited}

    @model_validator(mode="after")
    def _references_exist(self) -> Self:
        named = [("bfv", f"networks.{name}", n.parameter_set) for name, n in self.networks]
        named.append(("bfv", "microbenchmark", self.microbenchmark.parameter_set))
        named.append(("ckks", "distance", self.distance.parameter_set))
        named += [("bfv", "permutation", name) for name in self.permutation.parameter_sets]
        for scheme, section, name in named:
            allowed = [n for n, s in self.parameter_sets.items() if s.scheme == scheme]
            if name not in allowed:
                raise ValueError(
                    f"{section}.parameter_set: {name!r} is not a {scheme.upper()} set; "
                    f"parameter_sets has {', '.join(allowed)}"
                )
        for name, _ in self.networks:
            try:
                self.network_parameters(name)
            except ValidationError as error:
                raise ValueError(f"networks.{name}: {one_line(error)}") from None
        try:
            self.microbenchmark_parameters()
        except ValidationError as error:
            raise ValueError(f"microbenchmark: {one_line(error)}") from None
        return self

    def network_parameters(self, network: str) -> ParameterSet:
        """Return the HE parameters that a network runs with."""
        inference = getattr(self.networks, network)
        return self._with_plain_modulus(inference.parameter_set, inference.plain_modulus_bits)

    def microbenchmark_parameters(self) -> ParameterSet:
        """Return the HE parameters of the microbenchmark's layers."""
        chosen = self.microbenchmark
        return self._with_plain_modulus(chosen.parameter_set, chosen.plain_modulus_bits)

    def _with_plain_modulus(self, name: str, plain_modulus_bits: int | None) -> ParameterSet:
        """Return a named set, with a plaintext modulus of its own size where one is given."""
        named = self.parameter_sets[name]
        if plain_modulus_bits is None:
            return named
        own = {"plain_modulus_bits": plain_modulus_bits, "plain_modulus": None}
        return ParameterSet.model_validate(named.model_dump() | own)


def validate(data: dict[str, Any]) -> Config:
    """Check a configuration as read from YAML.

    Raises:
        ChocoError: one line that names the key, its value and what is allowed.
    """
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise ChocoError(f"configuration: {one_line(error, Config)}") from None


def as_json(values: dict[str, Any]) -> str:
    """Return settings for a stage as JSON; sections of the configuration may be among them."""
    return to_json(values, exclude_none=True).decode()


def load(path: Path) -> Config:
    """Read and check a YAML configuration file.

    Raises:
        ChocoError: the file is missing, is not YAML, or does not validate.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ChocoError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ChocoError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise ChocoError(f"{path}: expected keys and values, found {data!r}")
    return validate(data)
