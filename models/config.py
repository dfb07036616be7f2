"""The configuration: typed, validated before any job starts, documented where it is defined.

``config/config.yaml``, its JSON schema and the key table in ``config/README.md`` follow from these
models (``choco config write``); a test keeps them in step.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import to_json

from models.errors import ChocoError
from models.parameters import ModulusChain, ParameterSet, SecurityBits

Provider = Literal["auto", "live", "recorded"]
TransportName = Literal["in process", "TCP"]
"""How client and server of a workload are connected: both carry the same bytes."""
Packing = Literal[
    "point_major",
    "dimension_major",
    "stacked_point_major",
    "stacked_dimension_major",
    "collapsed_point_major",
]
"""Packings of the distance kernels (CHOCO, Section 5.1)."""


class Section(BaseModel):
    """Base of every section: immutable, and a misspelt key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Providers(Section):
    """Where the numbers of an external tool come from."""

    gem5: Provider = Field("auto", description="gem5: auto, live or recorded")
    destiny: Provider = Field("auto", description="DESTINY: auto, live or recorded")
    openroad: Provider = Field("auto", description="OpenROAD: auto, live or recorded")


class Tools(Section):
    """Binaries of external tools; empty means: look on PATH."""

    gem5: Path | None = Field(None, description="path of gem5.opt built for Arm")
    destiny: Path | None = Field(None, description="path of the destiny binary")
    openroad: Path | None = Field(None, description="path of the openroad binary")


class Client(Section):
    """The client's processor (CHOCO, Section 5.2)."""

    name: str = Field("NXP i.MX6ULL, Arm Cortex-A7", description="shown on figures")
    clock_hz: Annotated[float, Field(gt=0)] = Field(528e6, description="core clock in Hz")
    active_power_w: Annotated[float, Field(gt=0)] = Field(
        0.2695, description="average active power in W (NXP AN5345, Dhrystone, as the paper cites)"
    )
    seal_version: Literal["3.4.5", "4.4.3"] = Field(
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


def _bfv(n: int, primes: tuple[int, ...], t_bits: int) -> ParameterSet:
    return ParameterSet(
        scheme="bfv", poly_modulus_degree=n, coeff_modulus_bits=primes, plain_modulus_bits=t_bits
    )


class Noise(Section):
    """The noise study (Table 4)."""

    seeds: Annotated[int, Field(ge=1, le=100)] = Field(
        5, description="independent keys and encryptions per row"
    )
    rows: tuple[ParameterSet, ...] = Field(
        tuple(
            _bfv(n, primes, t_bits)
            for n, primes, t_sizes in (
                (8192, (58, 58, 59), (20, 23, 28)),
                (4096, (36, 36, 37), (16, 18, 20)),
            )
            for t_bits in t_sizes
        ),
        description="parameter choices, one row of Table 4 each",
    )


DataName = Literal["digits", "mnist", "cifar10"]


class Datasets(Section):
    """Images on this machine; the digits come inside scikit-learn."""

    mnist: Path | None = Field(None, description="directory of MNIST's four IDX files")
    cifar10: Path | None = Field(None, description="directory of CIFAR-10's binary version")


class Inference(Section):
    """An encrypted, client-aided inference run."""

    parameter_set: str = Field(description="name of an entry of parameter_sets (bfv)")
    plain_modulus_bits: int | None = Field(
        None, description="bits of t for this network; null: those of its parameter set"
    )
    weights: Path | None = Field(
        None, description="weight file, as training writes it; null: seeded synthetic weights"
    )
    data: DataName | Literal["synthetic"] = Field(
        "digits", description="images: digits, mnist, cifar10, or synthetic (seeded)"
    )
    activation_bits: Annotated[int, Field(ge=2, le=8)] = Field(
        4, description="bits of quantized activations"
    )
    weight_bits: Annotated[int, Field(ge=2, le=8)] = Field(
        4, description="bits of quantized weights"
    )
    images: Annotated[int, Field(ge=1, le=300)] = Field(
        10, description="test images to classify, one inference each"
    )
    training_epochs: Annotated[int, Field(ge=1)] = Field(
        24, description="epochs of training; half as many follow at each number of bits"
    )
    switch_downloads: bool = Field(
        True, description="server drops data primes from results before it sends them"
    )
    weight_memory_bytes: Annotated[int, Field(ge=0)] = Field(
        1 << 30,
        description="memory for weights that the server encodes once, for all images; "
        "layers beyond it are encoded at each use",
    )


class Permutation(Section):
    """Windowed rotation by masking and by rotational redundancy (Figure 4)."""

    parameter_sets: tuple[str, ...] = Field(
        ("A", "B"), min_length=1, description="names of entries of parameter_sets (bfv)"
    )
    windows: tuple[Annotated[int, Field(ge=2, le=512)], ...] = Field(
        (16, 64, 256), min_length=1, description="slots of the rotated windows"
    )
    rotations: Annotated[int, Field(ge=1, le=1000)] = Field(
        64, description="consecutive windowed rotations, at most"
    )


class Networks(Section):
    """The networks whose linear layers run encrypted (CHOCO, Table 5).

    There is no trained SqzNet and VGG16 here: their weights and images are synthetic by default.
    t covers the accumulators of any weights and activations of these bits.
    """

    lenet_sm: Inference = Field(
        Inference(
            parameter_set="B", weights=Path("workloads/dnn/weights/lenet_sm_digits_4bit.npz")
        ),
        description="LeNetSm",
    )
    lenet_lg: Inference = Field(
        Inference(
            parameter_set="B",
            plain_modulus_bits=20,
            weights=Path("workloads/dnn/weights/lenet_lg_digits_4bit.npz"),
            images=2,
            training_epochs=12,
        ),
        description="LeNetLg",
    )
    sqznet: Inference = Field(
        Inference(parameter_set="B", data="synthetic", images=1), description="SqzNet"
    )
    vgg16: Inference = Field(
        Inference(parameter_set="B", plain_modulus_bits=20, data="synthetic", images=1),
        description="VGG16",
    )


class Microbenchmark(Section):
    """Convolutions whose communication is set against their computation (Figure 15).

    As many output as input channels; t covers the accumulators of the largest.
    """

    parameter_set: str = Field("B", description="name of an entry of parameter_sets (bfv)")
    plain_modulus_bits: int | None = Field(
        20, description="bits of t; null: those of its parameter set"
    )
    image_sizes: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (2, 4, 8, 16, 32), min_length=1, description="widths of the square images"
    )
    channels: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (32, 64, 128, 256, 512), min_length=1, description="channels, input and output alike"
    )
    kernels: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (1, 3), min_length=1, description="widths of the square filters, odd"
    )
    activation_bits: Annotated[int, Field(ge=2, le=8)] = Field(
        4, description="bits of quantized activations"
    )
    weight_bits: Annotated[int, Field(ge=2, le=8)] = Field(
        4, description="bits of quantized weights"
    )

    @field_validator("kernels")
    @classmethod
    def _odd(cls, kernels: tuple[int, ...]) -> tuple[int, ...]:
        for kernel in kernels:
            if kernel % 2 == 0:
                raise ValueError(f"{kernel} is even; same padding needs odd filters")
        return kernels


class KernelShape(Section):
    """The size of a distance kernel."""

    dimensions: Annotated[int, Field(ge=1)] = Field(description="coordinates of a point")
    points: Annotated[int, Field(ge=1)] = Field(description="points of the server")


class DistanceApplication(Section):
    """A run of K-nearest neighbours or K-means on encrypted distances."""

    algorithm: Literal["knn", "kmeans"] = Field(
        description="K-nearest neighbours (knn) or K-means (kmeans)"
    )
    data: Literal["iris", "digits", "blobs"] = Field(
        description="data set: scikit-learn's iris or digits, or synthetic blobs"
    )
    packings: tuple[Packing, ...] = Field(
        ("collapsed_point_major",), description="kernels to run it on"
    )
    points: Annotated[int, Field(ge=2)] | None = Field(
        None, description="points of the server; all that the data set has by default"
    )
    quick: bool = Field(False, description="part of the quick profile, too")


class Distance(Section):
    """Encrypted distance kernels (Figure 11) and what is built on them."""

    parameter_set: str = Field("C", description="name of an entry of parameter_sets (ckks)")
    shapes: tuple[KernelShape, ...] = Field(
        tuple(
            KernelShape(dimensions=dimensions, points=points)
            for dimensions, points in (
                (2, 64),
                (4, 2048),
                (16, 256),
                (16, 1024),
                (64, 256),
                (64, 1024),
                (256, 64),
                (256, 256),
            )
        ),
        description="dimension-point pairs of Figure 11; the paper does not state its own",
    )
    quick_points: Annotated[int, Field(ge=1)] = Field(
        256, description="the quick profile leaves out shapes with more points"
    )
    repetitions: Annotated[int, Field(ge=1)] = Field(
        5, description="queries to each kernel; one where it takes more than 64 ciphertexts"
    )
    neighbors: Annotated[int, Field(ge=1)] = Field(5, description="neighbours that vote")
    classified: Annotated[int, Field(ge=1)] = Field(
        10, description="new points that K-nearest neighbours classifies"
    )
    applications: tuple[DistanceApplication, ...] = Field(
        (
            DistanceApplication(algorithm="knn", data="iris", packings=("point_major",)),
            DistanceApplication(
                algorithm="knn", data="iris", packings=get_args(Packing)[1:], quick=True
            ),
            DistanceApplication(algorithm="knn", data="digits"),
            DistanceApplication(
                algorithm="kmeans",
                data="iris",
                packings=("dimension_major", "stacked_dimension_major", "collapsed_point_major"),
                quick=True,
            ),
            DistanceApplication(algorithm="kmeans", data="blobs", quick=True),
            DistanceApplication(algorithm="kmeans", data="digits", points=300),
        ),
        description="applications to run and to compare with scikit-learn",
    )


class PageRank(Section):
    """Client-aided PageRank (CHOCO, Section 5.6 and Figure 13).

    The fixed-point formats are the coarsest whose rounding stays below the tolerance; CKKS needs
    more bits than BFV, as its noise and the rounding of encoded weights lie in the low ones.
    """

    nodes: Annotated[int, Field(ge=2, le=8192)] = Field(
        32, description="nodes of the synthetic graph; all ranks are in one ciphertext"
    )
    mean_out_degree: Annotated[int, Field(ge=1)] = Field(
        4, description="links of a node of the synthetic graph, on average"
    )
    damping: Annotated[float, Field(gt=0, lt=1)] = Field(0.85, description="damping factor d")
    tolerance_l1: Annotated[float, Field(gt=0, lt=2)] = Field(
        0.05, description="largest L1 error of the ranks, which sum to 1, after any total"
    )
    bfv_rank_bits: Annotated[int, Field(ge=4, le=30)] = Field(
        10, description="fractional bits of encrypted ranks (BFV)"
    )
    bfv_weight_bits: Annotated[int, Field(ge=4, le=30)] = Field(
        8, description="fractional bits of the transition matrix (BFV)"
    )
    ckks_min_scale_bits: Annotated[int, Field(ge=15, le=45)] = Field(
        20, description="smallest log2 of the scale of encrypted ranks that is tried (CKKS)"
    )
    ckks_weight_bits: Annotated[int, Field(ge=8, le=30)] = Field(
        14, description="log2 of the scale of the transition matrix (CKKS)"
    )
    max_iterations: Annotated[int, Field(ge=1, le=48)] = Field(
        48, description="largest total of iterations; profile quick: at most 6"
    )
    max_poly_modulus_degree: Annotated[int, Field(ge=2048, le=32768)] = Field(
        32768, description="largest N that is tried; profile quick: at most 16384"
    )
    trials: Annotated[int, Field(ge=1, le=20)] = Field(
        3, description="keys and inputs that confirm a parameter set of N <= 8192"
    )


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
            "A": _bfv(8192, (58, 58, 59), 23),
            "B": _bfv(4096, (36, 36, 37), 18),
            "C": ParameterSet(
                scheme="ckks",
                poly_modulus_degree=8192,
                coeff_modulus_bits=(60, 60, 60),
                scale_bits=40,
            ),
            "SEAL": _bfv(8192, (43, 43, 44, 44, 44), 23),
        },
        description="named HE parameter sets: A, B and C are the paper's Table 3; "
        "SEAL is what SEAL itself proposes at N = 8192, the paper's baseline",
    )
    client: Client = Field(Client(), description="the client's processor")
    radio: Radio = Field(Radio(), description="the link to the server")
    accelerator: Accelerator = Field(Accelerator(), description="the CHOCO-TACO design point")
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
        raise ChocoError(f"configuration: {one_line(error)}") from None


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


def one_line(error: ValidationError) -> str:
    """Word the first error of a failed validation for the user: key, value, what is allowed."""
    errors = error.errors()
    # A misspelt key shows up twice, as unknown and as missing: what the user typed comes first.
    first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        # Only the configuration's own keys are known here; settings and manifests come by, too.
        hint = _hint(first["loc"]) if error.title == Config.__name__ else ""
        return f"{key}: unknown key{hint}"
    if first["type"] == "missing":
        return f"{key}: this key is required"
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":  # our own checks name the value themselves
        return f"{key}: {message}" if key else message
    return f"{key}: {first['input']!r} is not allowed: {message}"


def _hint(location: tuple[int | str, ...]) -> str:
    """Suggest the nearest known key, or list the allowed ones."""
    model: Any = Config
    for part in location[:-1]:
        model = _model_under(model, part)
    if model is None:
        return ""
    known = list(model.model_fields)
    close = get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known keys: {', '.join(known)}"


def _model_under(parent: Any, part: int | str) -> Any:
    """Return the model of the value at ``part``: of a field, or of every entry of a container."""
    annotation = parent
    if isinstance(parent, type) and issubclass(parent, BaseModel) and isinstance(part, str):
        annotation = parent.model_fields[part].annotation
    elif parent is not None:  # the parent was a dict or tuple of models
        annotation = next((a for a in get_args(parent) if _is_model(a)), None)
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
