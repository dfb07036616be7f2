"""Tables of the windowed rotation study (Figure 4): written by a workload, drawn by a plot."""

from models.tables import Check, Column, table_schema

METHODS = ("masking", "redundancy")

_KEYS = {
    "parameter_set": str,
    "method": Column(str, Check.isin(METHODS)),
    "window_slots": Column(int, Check.gt(0)),
}

WINDOWED_ROTATION = table_schema(
    **_KEYS,
    poly_modulus_degree=int,
    log2_t=float,
    coeff_modulus_bits=str,
    slots_per_value=Column(float, Check.ge(1)),
    galois_keys=int,
    consecutive=Column(int, Check.ge(0)),
    budget_bits=Column(int, Check.ge(0)),
    predicted_bits=Column(float, Check.ge(0)),
    rotations=int,
    plain_multiplications=int,
    additions=int,
    ntts=int,
    intts=int,
)
"""One row a ciphertext after so many consecutive windowed rotations. Operations are those of the
last one, and an NTT of a whole ciphertext counts as one."""

WINDOWED_ROTATION_TIMINGS = table_schema(
    **_KEYS,
    repetitions=Column(int, Check.gt(0)),
    time_s=Column(float, Check.gt(0)),
    time_min_s=Column(float, Check.gt(0)),
)
"""Server seconds of one windowed rotation of a fresh ciphertext: median and smallest."""
