"""Tables of communication: published protocols (Figure 10) and single layers (Figure 15)."""

from models.baselines.protocols import CONFIDENCE
from models.tables import Check, Column, table_schema

NOT_FOUND = "not found"

_POSITIVE = Column(int, Check.gt(0))
_MISSING_TEXT = Column(str, nullable=True)
_MISSING_RATIO = Column(float, Check.gt(0), nullable=True)

PROTOCOLS = table_schema(
    protocol=str,
    data_set=_MISSING_TEXT,
    network=_MISSING_TEXT,
    communication_bytes=Column("Int64", Check.gt(0), nullable=True),
    confidence=Column(str, Check.isin([*CONFIDENCE.values(), NOT_FOUND])),
    compared=bool,
    ratio_to_ours=_MISSING_RATIO,
    ratio_to_paper=_MISSING_RATIO,
    our_network=_MISSING_TEXT,
    our_bytes=Column("Int64", Check.gt(0), nullable=True),
    our_key_bytes=Column("Int64", Check.gt(0), nullable=True),
    our_data=_MISSING_TEXT,
    paper_bytes=Column("Int64", Check.gt(0), nullable=True),
    cited_as=Column("Int64", Check.gt(0), nullable=True),
    citation=str,
    note=_MISSING_TEXT,
)
"""One row a published number, or a protocol without one. Bytes of one inference, both ways;
``compared`` marks the one result of a protocol and data set that figures and ratios use;
``cited_as`` is the protocol's number in the paper's references. Ours and the paper's are CHOCO's
bytes with the network of the same data set, without the evaluation keys (``our_key_bytes``), which
the client sends once and not for each inference."""

REDUCTIONS = table_schema(
    quantity=Column(str, Check.isin(["maximum", "minimum", "order_of_magnitude", "protocols"])),
    basis=Column(str, Check.isin(["ours", "paper"])),
    value=Column(float, Check.gt(0)),
)
"""Compared results over CHOCO's communication, ours or the paper's: extremes, the largest rounded
down to a power of ten, and how many protocols that the paper cites have a number."""

LAYERS = table_schema(
    workload=str,
    layer=str,
    kind=str,
    channels=_POSITIVE,
    height=_POSITIVE,
    width=_POSITIVE,
    out_channels=_POSITIVE,
    kernel=Column("Int64", Check.gt(0), nullable=True),
    macs=_POSITIVE,
    parameter_set=str,
    plain_modulus_bits=_POSITIVE,
    encryptions=_POSITIVE,
    decryptions=_POSITIVE,
    download_residues=_POSITIVE,
    upload_bytes=_POSITIVE,
    download_bytes=_POSITIVE,
    communication_bytes=_POSITIVE,
    macs_per_byte=Column(float, Check.gt(0)),
    predicted_budget_bits=Column(float, Check.gt(0)),
)
"""One row a layer, for one image. A fully connected layer has its features as channels and no
kernel; the noise budget is that of a result before primes are dropped."""

MICROBENCHMARK = "microbenchmark"
"""``workload`` of the layers that belong to no network."""
