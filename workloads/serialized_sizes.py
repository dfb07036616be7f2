"""Stage: Table 3, sizes of ciphertexts and keys, computed and as SEAL serializes them.

Serialized objects are uncompressed and carry SEAL's headers, about a hundred bytes; Galois keys
also a table of 8 N bytes that says which elements are present.
"""

from typing import Any

import pandas as pd
from pydantic import Field

from models import paper
from models.config import Config
from models.config.base import Section
from models.parameters import MAX_COEFF_MODULUS_BITS, ParameterSet
from models.provenance import PAPER, combine, model
from models.sizes_schema import TABLE3
from models.stage import Job, run_stage
from models.tables import write_table
from workloads.he import context, seal, seal_provenance


class Settings(Section):
    """The parameter sets of Table 3."""

    parameter_sets: dict[str, ParameterSet] = Field(
        Config().parameter_sets, description="named HE parameter sets"
    )
    second_readings: dict[str, ParameterSet] = Field(
        {
            "C": ParameterSet(
                scheme="ckks",
                poly_modulus_degree=8192,
                coeff_modulus_bits=(60, 40, 40),
                scale_bits=40,
            )
        },
        description="what else the paper's set of this name may mean",
    )


def stage(job: Job[Settings]) -> None:
    """Compute and measure the sizes of every parameter set; output ``table3``."""
    data = paper.load(job.inputs["paper"])
    settings = job.settings
    rows = []
    for label, chosen in settings.parameter_sets.items():
        second = settings.second_readings.get(label)
        # Where the user has put another set under the paper's name, the paper's is not in doubt.
        doubtful = second is not None and bool(_stated(data, label, chosen))
        rows.append(_row(data, label, chosen, _primes(chosen) if doubtful else None))
        if second is not None and doubtful:
            rows.append(_row(data, label, second, f"log2 q = {second.log2_q}"))
    table = pd.DataFrame(rows, columns=list(TABLE3.columns))  # also those that nobody filled
    write_table(table, job.outputs["table3"], TABLE3)


def _row(
    data: paper.PaperData, label: str, chosen: ParameterSet, reading: str | None
) -> dict[str, Any]:
    n = chosen.poly_modulus_degree
    stated = _stated(data, label, chosen)
    sources = [model("parameters"), seal_provenance(), *([PAPER] if stated else [])]
    return {
        "label": label,
        "reading": reading,
        "scheme": chosen.scheme,
        "poly_modulus_degree": n,
        "log2_q": chosen.log2_q,
        "coeff_modulus_bits": ",".join(map(str, chosen.coeff_modulus_bits)),
        "log2_t": chosen.log2_t if chosen.scheme == "bfv" else None,
        "ciphertext_bytes": chosen.ciphertext_bytes(),
        "public_key_bytes": chosen.public_key_bytes,
        "secret_key_bytes": chosen.secret_key_bytes,
        "galois_key_bytes": chosen.key_switching_key_bytes if chosen.key_residues > 1 else None,
        "security_bits": chosen.security_bits,
        "max_log2_q": MAX_COEFF_MODULUS_BITS[chosen.security_bits][n],
        "provenance": combine(*sources),
        **serialized_sizes(chosen),
        **stated,
    }


def serialized_sizes(chosen: ParameterSet) -> dict[str, int | None]:
    """Make a ciphertext and keys of a parameter set and return their serialized sizes in bytes.

    Keys of the result are the ``serialized_*_bytes`` columns of ``TABLE3``.
    """
    made = context(chosen)
    keys = seal.KeyGenerator(made)
    public_key = keys.create_public_key()
    fresh = seal.Encryptor(made, public_key).encrypt(_plaintext(made, chosen))
    return {
        "serialized_bytes": fresh.save_size(seal.compr_mode_type.none),
        "serialized_public_key_bytes": len(public_key.to_string()),
        "serialized_secret_key_bytes": len(keys.secret_key().to_string()),
        "serialized_galois_key_bytes": _one_galois_key_bytes(keys)
        if chosen.key_residues > 1
        else None,
    }


def _plaintext(made: "seal.SEALContext", chosen: ParameterSet) -> "seal.Plaintext":
    if chosen.scheme == "bfv":
        return seal.BatchEncoder(made).encode([1])
    assert chosen.scale_bits is not None  # ParameterSet makes sure of it
    return seal.CKKSEncoder(made).encode(1.0, 2.0**chosen.scale_bits)


def _one_galois_key_bytes(keys: "seal.KeyGenerator") -> int:
    one = seal.GaloisKeys()
    keys.create_galois_keys([1], one)
    return len(one.to_string())


def _stated(data: paper.PaperData, label: str, chosen: ParameterSet) -> dict[str, int]:
    """Return what the paper states of a set; nothing if the set is another than the paper's."""
    name = f"table3_{label.lower()}"
    if f"{name}_log2_q" not in data:
        return {}
    log2_q = int(data.value(f"{name}_log2_q"))
    degree = data.value(f"{name}_poly_modulus_degree")
    primes = data[f"{name}_coeff_modulus_bits"].parts
    if chosen.poly_modulus_degree != degree or (
        chosen.coeff_modulus_bits != primes and chosen.log2_q != log2_q
    ):
        return {}
    size = int(data.value(f"{name}_ciphertext_bytes"))
    return {"paper_log2_q": log2_q, "paper_ciphertext_bytes": size}


def _primes(chosen: ParameterSet) -> str:
    return "{" + ",".join(map(str, chosen.coeff_modulus_bits)) + "}"


if __name__ == "__main__":
    run_stage(stage, Settings)
