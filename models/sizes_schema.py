"""Table 3: HE parameter sets with the sizes of their ciphertexts and keys."""

from models.tables import Check, Column, table_schema

_OPTIONAL_INTEGER = Column("Int64", nullable=True)

TABLE3 = table_schema(
    label=str,
    reading=Column(str, nullable=True),
    scheme=Column(str, Check.isin(("bfv", "ckks"))),
    poly_modulus_degree=int,
    log2_q=int,
    coeff_modulus_bits=str,
    log2_t=Column(float, nullable=True),
    ciphertext_bytes=int,
    serialized_bytes=int,
    public_key_bytes=int,
    serialized_public_key_bytes=int,
    secret_key_bytes=int,
    serialized_secret_key_bytes=int,
    galois_key_bytes=_OPTIONAL_INTEGER,
    serialized_galois_key_bytes=_OPTIONAL_INTEGER,
    security_bits=int,
    max_log2_q=int,
    paper_log2_q=_OPTIONAL_INTEGER,
    paper_ciphertext_bytes=_OPTIONAL_INTEGER,
)
"""One row a parameter set. ``galois_key_bytes`` is one element, missing without a key prime;
``reading`` tells apart the two ways to understand a set that the paper prints inconsistently."""
