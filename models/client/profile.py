"""Where the client's time goes: cycles of an operation by group of functions."""

from typing import Literal, get_args

from models.tables import Check, Column, table_schema

FunctionGroup = Literal[
    "ntt",
    "intt",
    "dyadic_product",
    "random_generator",
    "error_sampling",
    "modulus_switch",
    "encoding",
    "rest",
]
"""Groups in which CHOCO discusses SEAL's encryption and decryption (Sections 2.2 and 4.2)."""

CLIENT_PROFILE = table_schema(
    seal_version=str,
    scheme=str,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    operation=str,
    function_group=Column(str, Check.isin(get_args(FunctionGroup))),
    cycles=Column(float, Check.ge(0)),
)
"""One row for each operation and group of one program; ``coeff_modulus_bits`` joined by commas."""
