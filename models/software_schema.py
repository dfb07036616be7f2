"""Tables of CHOCO's software against SEAL's defaults: counts of both, and what is gained."""

from models.tables import Check, Column, table_schema

BASELINE = table_schema(
    network=str,
    parameter_set=str,
    encryptions=Column(int, Check.gt(0)),
    decryptions=Column(int, Check.gt(0)),
    upload_bytes=Column(int, Check.gt(0)),
    download_bytes=Column(int, Check.gt(0)),
    source=Column(str, Check.isin(["ciphertexts", "layouts"])),
    min_budget_bits=Column("Int64", Check.gt(0), nullable=True),
)
"""One row a network, for one image with SEAL's default parameters and without rotational
redundancy: measured on real ciphertexts, or counted from the layouts, which a measurement of the
first network has confirmed."""

_TIME = Column(float, Check.gt(0), nullable=True)
_RATIO = Column(float, Check.gt(0))

SOFTWARE_GAIN = table_schema(
    network=str,
    ciphertext_reduction=Column(float, Check.lt(1)),
    communication_reduction=Column(float, Check.lt(1)),
    encryption_ratio=_RATIO,
    decryption_ratio=_RATIO,
    client_time_s=_TIME,
    baseline_client_time_s=_TIME,
    client_speedup=_TIME,
)
"""One row a network, and their ``mean`` and ``largest``. Reductions are shares of the baseline's
bytes; ratios are the baseline's operations over ours; times are of the client's encryption and
decryption in software, and empty where the operations have no recorded cost."""
