"""Stage: noise budgets of fresh, rotated and permuted ciphertexts on SEAL (CHOCO, Table 4).

One experiment is one seed at one parameter choice: new keys, a batched message of random slots,
one encryption, then

- ``initial``: the fresh ciphertext;
- ``post_rotate``: after one ``rotate_rows``, all that rotational redundancy needs;
- ``post_permute``: after a windowed rotation of the same slots without redundancy, that is, two
  rotations, two masking plaintext products and an addition (CHOCO, Figure 4 A).

Whatever still has budget is decrypted and compared with the permutation it should be.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field
from tqdm import tqdm

from models.config import Noise
from models.errors import ChocoError
from models.noise_schema import BUDGETS
from models.parameters import ParameterSet
from models.stage import Job, run_stage
from models.tables import write_table
from workloads.he import context, seal, seal_provenance, seed

WINDOW, SHIFT = 24, 8
"""Slots of the rotated window and steps to the left; noise depends on neither."""


class Settings(Noise):
    """The noise study, and the seed that all of its experiments derive theirs from."""

    seed: int = Field(2022, ge=0, lt=2**32, description="seed of the whole configuration")


def stage(job: Job[Settings]) -> None:
    """Measure the noise budgets of every configured row and seed; output ``budgets``."""
    settings = job.settings
    rows = [(row, trial) for row in settings.rows for trial in range(settings.seeds)]
    measured = [
        {
            "poly_modulus_degree": chosen.poly_modulus_degree,
            "plain_modulus_bits": chosen.plain_modulus_bits,
            "coeff_modulus_bits": ",".join(map(str, chosen.coeff_modulus_bits)),
            "seed": trial,
            "state": state,
            "budget_bits": budget_bits,
            "provenance": seal_provenance(),
        }
        for chosen, trial in tqdm(rows, desc="noise budgets", unit="key pair")
        for state, budget_bits in measure(
            chosen, experiment_seed(settings.seed, chosen, trial)
        ).items()
    ]
    write_table(pd.DataFrame(measured), job.outputs["budgets"], BUDGETS)


def experiment_seed(base: int, chosen: ParameterSet, trial: int) -> int:
    """Derive 64 bits for one experiment; rows do not share randomness, nor depend on each other."""
    primes = chosen.coeff_modulus_bits
    entropy = (base, chosen.poly_modulus_degree, int(chosen.log2_t), *primes, trial)
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def measure(chosen: ParameterSet, seed_value: int) -> dict[str, int]:
    """Return the noise budget in bits by state, one experiment of new keys and randomness.

    Raises:
        ChocoError: a ciphertext with budget left decrypts to something else than it should.
    """
    seed(seed_value)
    client, server = _key_pair(chosen)
    random = np.random.default_rng(seed_value)
    values = random.integers(0, chosen.batching_modulus, client.slots, dtype=np.uint64)
    fresh = client.encryptor.encrypt(client.encoder.encode(values))
    rotated = server.evaluator.rotate_rows(fresh, SHIFT, server.galois_keys)
    return {
        "initial": client.budget_bits(fresh, values),
        "post_rotate": client.budget_bits(rotated, rotate_rows(values, SHIFT)),
        "post_permute": client.budget_bits(server.rotate_window(fresh), rotate_window(values)),
    }


def rotate_rows(values: NDArray[np.uint64], steps: int) -> NDArray[np.uint64]:
    """Rotate both rows of a batched message, shape (N,), to the left."""
    return np.roll(values.reshape(2, -1), -steps, axis=1).ravel()


def rotate_window(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rotate the first ``WINDOW`` slots to the left and clear all others, shape (N,)."""
    rotated = np.zeros_like(values)
    rotated[:WINDOW] = np.roll(values[:WINDOW], -SHIFT)
    return rotated


@dataclass(frozen=True)
class _Client:
    encoder: "seal.BatchEncoder"
    encryptor: "seal.Encryptor"
    decryptor: "seal.Decryptor"

    @property
    def slots(self) -> int:
        return int(self.encoder.slot_count())

    def budget_bits(self, ciphertext: "seal.Ciphertext", expected: NDArray[np.uint64]) -> int:
        """Return the budget left, after checking what the ciphertext decrypts to."""
        budget_bits = int(self.decryptor.invariant_noise_budget(ciphertext))
        decoded = self.encoder.decode_uint64(self.decryptor.decrypt(ciphertext))
        if budget_bits > 0 and not np.array_equal(decoded, expected):
            raise ChocoError(f"a ciphertext with {budget_bits} bits of budget decrypts wrongly")
        return budget_bits


@dataclass(frozen=True)
class _Server:
    encoder: "seal.BatchEncoder"
    evaluator: "seal.Evaluator"
    galois_keys: "seal.GaloisKeys"

    def rotate_window(self, fresh: "seal.Ciphertext") -> "seal.Ciphertext":
        """Rotate the window by masking: what stays inside it, plus what wraps around."""
        inside = self._masked(fresh, SHIFT, slice(0, WINDOW - SHIFT))
        wrapped = self._masked(fresh, SHIFT - WINDOW, slice(WINDOW - SHIFT, WINDOW))
        return self.evaluator.add(inside, wrapped)

    def _masked(self, fresh: "seal.Ciphertext", steps: int, kept: slice) -> "seal.Ciphertext":
        mask = np.zeros(self.encoder.slot_count(), dtype=np.uint64)
        mask[kept] = 1
        rotated = self.evaluator.rotate_rows(fresh, steps, self.galois_keys)
        return self.evaluator.multiply_plain(rotated, self.encoder.encode(mask))


def _key_pair(chosen: ParameterSet) -> tuple[_Client, _Server]:
    made = context(chosen)
    keys = seal.KeyGenerator(made)
    galois_keys = seal.GaloisKeys()
    keys.create_galois_keys([SHIFT, SHIFT - WINDOW], galois_keys)
    encoder = seal.BatchEncoder(made)
    client = _Client(
        encoder=encoder,
        encryptor=seal.Encryptor(made, keys.create_public_key()),
        decryptor=seal.Decryptor(made, keys.secret_key()),
    )
    return client, _Server(encoder, seal.Evaluator(made), galois_keys)


if __name__ == "__main__":
    run_stage(stage, Settings)
