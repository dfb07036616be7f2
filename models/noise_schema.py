"""Tables of the noise study: one row a ciphertext, and Table 4 made from them."""

from models.tables import Check, Column, table_schema

STATES = ("initial", "post_rotate", "post_permute")
"""A fresh ciphertext; after one rotation; after a windowed rotation by masking."""

KEYS = {
    "poly_modulus_degree": int,
    "plain_modulus_bits": int,
    "coeff_modulus_bits": str,
}

BUDGETS = table_schema(
    **KEYS,
    seed=int,
    state=Column(str, Check.isin(STATES)),
    budget_bits=Column(int, Check.ge(0)),
)

TABLE4 = table_schema(
    **KEYS,
    state=Column(str, Check.isin(STATES)),
    budget_bits=Column(float, Check.ge(0)),
    budget_min_bits=int,
    budget_max_bits=int,
    predicted_bits=Column(float, Check.ge(0)),
    before_3_4_3_bits=Column(float, Check.ge(0)),
    seal_3_4_2_bits=Column(float, nullable=True),
    paper_bits=Column(float, nullable=True),
)
"""Medians over seeds. ``before_3_4_3_bits`` is the measured budget less log2 t, what SEAL before
3.4.3 would have reported; ``seal_3_4_2_bits`` is what it did report in a recorded run."""
