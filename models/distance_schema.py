"""Tables of encrypted distances."""

from typing import get_args

from models.config.workloads import Packing
from models.tables import Check, Column, table_schema

_COUNT = Column(int, Check.ge(0))
_BYTES = Column(int, Check.gt(0))
_PACKING = Column(str, Check.isin(get_args(Packing)))

KERNELS = table_schema(
    packing=_PACKING,
    dimensions=Column(int, Check.gt(0)),
    points=Column(int, Check.gt(0)),
    parameter_set=str,
    profile=str,
    encryptions=Column(int, Check.gt(0)),
    decryptions=Column(int, Check.gt(0)),
    upload_bytes=_BYTES,
    download_bytes=_BYTES,
    communication_bytes=_BYTES,
    download_residues=Column(int, Check.gt(0)),
    server_rotations=_COUNT,
    server_multiplications=_COUNT,
    server_relinearizations=_COUNT,
    server_plain_multiplications=_COUNT,
    server_additions=_COUNT,
    server_rescales=_COUNT,
    galois_keys=_COUNT,
    key_bytes=_BYTES,
    repetitions=Column(int, Check.gt(0)),
    max_abs_error=Column(float, Check.ge(0)),
)
"""One row a packing and shape, for one query. Ciphertext bytes count 8 N for each residue of each
polynomial; ``key_bytes`` are evaluation keys as serialized, sent once. ``max_abs_error`` is that
of squared distances between coordinates from 0 to 1."""

APPLICATIONS = table_schema(
    algorithm=Column(str, Check.isin(["knn", "kmeans"])),
    data=str,
    packing=_PACKING,
    parameter_set=str,
    profile=str,
    dimensions=Column(int, Check.gt(0)),
    points=Column(int, Check.gt(0)),
    queries=Column(int, Check.gt(0)),
    rounds=Column(int, Check.gt(0)),
    encryptions=Column(int, Check.gt(0)),
    decryptions=Column(int, Check.gt(0)),
    upload_bytes=_BYTES,
    download_bytes=_BYTES,
    labels=Column(int, Check.gt(0)),
    labels_equal=Column(int, Check.ge(0)),
    max_relative_error=Column(float, Check.ge(0)),
)
"""One row a run. ``queries`` are encrypted together; ``rounds`` is how often client and server
met; ciphertexts and bytes are those of all rounds. ``labels_equal`` of ``labels`` are the same as
scikit-learn's; the error is that of squared distances, relative to the largest."""

DISTANCE_CLIENT = table_schema(
    packing=_PACKING,
    dimensions=Column(int, Check.gt(0)),
    points=Column(int, Check.gt(0)),
    system=Column(str, Check.isin(["choco_software", "choco_taco"])),
    component=Column(str, Check.isin(["encrypt", "decrypt", "communication"])),
    time_s=Column(float, Check.ge(0)),
    energy_j=Column(float, Check.ge(0)),
)
"""The client's cost of one query; a system without costs at these parameters has no rows."""

_CASES = Column("Int64", Check.ge(0), nullable=True)

DISTANCE_SUMMARY = table_schema(
    packing=_PACKING,
    cases=Column(int, Check.gt(0)),
    least_communication=_CASES,
    least_communication_alone=_CASES,
    least_client=_CASES,
    least_client_alone=_CASES,
)
"""One row a packing: in how many cases no other needs fewer bytes, or less client time in software
(missing without a cost at these parameters); ``alone``: every other one needs more."""


def kernel_name(packing: str, dimensions: int, points: int) -> str:
    """Return the name of a kernel in traces and timings."""
    return f"{packing} {dimensions}x{points}"
