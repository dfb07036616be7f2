"""Sections of the workloads: noise, rotations, networks, distances, PageRank."""

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator

from models.config.base import Section
from models.parameters import ParameterSet

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


def bfv(n: int, primes: tuple[int, ...], t_bits: int) -> ParameterSet:
    """Return a BFV parameter set with a plaintext modulus of ``t_bits``, fit for batching."""
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
            bfv(n, primes, t_bits)
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
