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

from models.config.workloads import Noise
from models.errors import ChocoError
from models.noise_schema import BUDGETS
from models.parameters import ParameterSet
from models.stage import Job, run_stage
from models.tables import write_table
from workloads.he import context, seal, seal_provenance, seed
from workloads.packing.evaluator import CountingEvaluator, make_galois_keys
from workloads.packing.permutation import MaskedRotation, Windows, roll

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
    client, server, permutation = _key_pair(chosen)
    random = np.random.default_rng(seed_value)
    values = random.integers(0, chosen.batching_modulus, client.slots, dtype=np.uint64)
    fresh = client.encryptor.encrypt(client.encoder.encode(values))
    rotated = server.rotate(fresh, SHIFT)
    return {
        "initial": client.budget_bits(fresh, values),
        "post_rotate": client.budget_bits(rotated, rotate_rows(values, SHIFT)),
        "post_permute": client.budget_bits(permutation.apply(fresh), rotate_window(values)),
    }


def rotate_rows(values: NDArray[np.uint64], steps: int) -> NDArray[np.uint64]:
    """Rotate both rows of a batched message, shape (N,), to the left."""
    return np.roll(values.reshape(2, -1), -steps, axis=1).ravel()


def rotate_window(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rotate the first ``WINDOW`` slots to the left and clear all others, shape (N,)."""
    rotated = np.zeros_like(values)
    rotated[:WINDOW] = roll(values[:WINDOW].astype(np.int64), SHIFT)
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


def _key_pair(chosen: ParameterSet) -> tuple[_Client, CountingEvaluator, MaskedRotation]:
    """Return the client, the server's evaluator with its keys, and its windowed rotation."""
    made = context(chosen)
    keys = seal.KeyGenerator(made)
    server = CountingEvaluator(made)
    permutation = MaskedRotation(server, Windows(server.row_size, WINDOW, rows=(0,)), SHIFT)
    server.set_keys(make_galois_keys(keys, permutation.rotation_steps), None)
    client = _Client(
        encoder=seal.BatchEncoder(made),
        encryptor=seal.Encryptor(made, keys.create_public_key()),
        decryptor=seal.Decryptor(made, keys.secret_key()),
    )
    return client, server, permutation


if __name__ == "__main__":
    run_stage(stage, Settings)
