"""Table 3: computed sizes against objects that SEAL serializes."""

from pathlib import Path

import pandas as pd
import pytest
from pydantic import ValidationError

from models.config import Config
from models.parameters import ParameterSet
from models.sizes_schema import TABLE3
from models.stage import Job
from models.tables import read_table
from workloads import serialized_sizes
from workloads.he import context, seal
from workloads.serialized_sizes import Settings

PAPER = Path(__file__).parents[2] / "results" / "paper"
HEADER_BYTES = 128
"""More than SEAL's headers take in any object of a ciphertext or a polynomial pair."""

SETS = {
    **Config().parameter_sets,
    "one prime": ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, coeff_modulus_bits=(54,), plain_modulus_bits=16
    ),
    "SEAL's default": ParameterSet(
        scheme="bfv",
        poly_modulus_degree=8192,
        coeff_modulus_bits=(43, 43, 44, 44, 44),
        plain_modulus_bits=20,
    ),
}


def table(path, **settings):
    serialized_sizes.stage(Job(Settings(**settings), {"paper": PAPER}, {"table3": path}))
    return read_table(path, TABLE3)


@pytest.mark.parametrize("chosen", SETS.values(), ids=SETS)
def test_sizes_are_those_of_seal_within_its_headers(chosen):
    sizes = serialized_sizes.serialized_sizes(chosen)
    pairs = {
        chosen.ciphertext_bytes(): sizes["serialized_bytes"],
        chosen.public_key_bytes: sizes["serialized_public_key_bytes"],
        chosen.secret_key_bytes: sizes["serialized_secret_key_bytes"],
    }
    for computed, serialized in pairs.items():
        assert 0 < serialized - computed <= HEADER_BYTES
    galois = sizes["serialized_galois_key_bytes"]
    if chosen.key_residues == 1:
        assert galois is None
    else:
        index = 8 * chosen.poly_modulus_degree
        headers = HEADER_BYTES * (chosen.data_residues + 3)
        assert 0 < galois - chosen.key_switching_key_bytes - index <= headers


def test_a_ciphertext_shrinks_and_grows_as_computed():
    chosen = SETS["SEAL's default"]
    made = context(chosen)
    keys = seal.KeyGenerator(made)
    encryptor = seal.Encryptor(made, keys.create_public_key())
    evaluator = seal.Evaluator(made)
    square = evaluator.square(encryptor.encrypt(seal.BatchEncoder(made).encode([3])))
    for residues in range(chosen.data_residues, 0, -1):
        serialized = square.save_size(seal.compr_mode_type.none)
        computed = chosen.ciphertext_bytes(residues, polynomials=3)
        assert 0 < serialized - computed <= HEADER_BYTES
        if residues > 1:
            evaluator.mod_switch_to_next_inplace(square)


def test_the_papers_sets_have_the_papers_sizes_and_c_two_readings(tmp_path):
    rows = table(tmp_path / "table3.csv")
    rows = rows[rows["label"].isin(["A", "B", "C"])]
    assert list(rows["label"]) == ["A", "B", "C", "C"]
    assert (rows["ciphertext_bytes"] == rows["paper_ciphertext_bytes"]).all()
    c = rows[rows["label"] == "C"]
    assert sorted(c["log2_q"] - c["paper_log2_q"]) == [0, 40]
    assert c["reading"].nunique() == 2
    assert (rows[rows["label"] != "C"]["log2_q"] == [175, 109]).all()
    assert (rows["log2_q"] <= rows["max_log2_q"]).all()


def test_a_set_of_the_user_is_not_compared_with_the_paper(tmp_path):
    own = {"C": SETS["SEAL's default"], "tiny": SETS["one prime"]}
    rows = table(tmp_path / "table3.csv", parameter_sets=own)
    assert list(rows["label"]) == ["C", "tiny"]
    assert rows["paper_log2_q"].isna().all()
    assert not rows["provenance"].str.contains("paper").any()
    assert pd.isna(rows["galois_key_bytes"][1])


def test_an_insecure_set_is_refused(tmp_path):
    insecure = {"scheme": "bfv", "poly_modulus_degree": 4096, "coeff_modulus_bits": (60, 60)}
    with pytest.raises(ValidationError, match="insecure at N = 4096; at most 109"):
        table(tmp_path / "t.csv", parameter_sets={"A": {**insecure, "plain_modulus_bits": 20}})
