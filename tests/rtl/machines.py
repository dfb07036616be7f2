"""SEAL's side of the whole-machine tests: contexts, keys, and a machine that holds them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rtl.tb.machine import Build, Machine
from rtl.tb.reference import seal_objects
from workloads.he import seal

SEED, NONCE = bytes(range(32)), 7


@dataclass(frozen=True)
class Parameters:
    """HE parameters of a test; the last prime is the key prime."""

    degree: int
    coeff_modulus_bits: tuple[int, ...]
    plain_modulus_bits: int | None = 18  # None: CKKS


class Client:
    """Keys made by SEAL, and what SEAL does with them."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.degree = parameters.degree
        bits = parameters.plain_modulus_bits
        scheme = seal.scheme_type.bfv if bits else seal.scheme_type.ckks
        settings = seal.EncryptionParameters(scheme)
        settings.set_poly_modulus_degree(self.degree)
        coeff_modulus = seal.CoeffModulus.Create(self.degree, list(parameters.coeff_modulus_bits))
        settings.set_coeff_modulus(coeff_modulus)
        if bits:
            settings.set_plain_modulus(seal.PlainModulus.Batching(self.degree, bits))
            self.plain_modulus = settings.plain_modulus().value()
        self.primes = [prime.value() for prime in coeff_modulus]
        self.data_primes = self.primes[:-1] or self.primes
        self.context = seal.SEALContext(settings)
        keys = seal.KeyGenerator(self.context)
        self.key = keys.create_public_key()
        self.public_key = seal_objects.public_key(self.key, len(self.primes), self.degree)
        self.secret_key = seal_objects.secret_key(keys.secret_key(), len(self.primes), self.degree)
        self.encryptor = seal.Encryptor(self.context, self.key)
        self.decryptor = seal.Decryptor(self.context, keys.secret_key())
        self.evaluator = seal.Evaluator(self.context)

    @cached_property
    def encoder(self) -> Any:
        """SEAL's batching encoder (BFV)."""
        return seal.BatchEncoder(self.context)

    def message(self, number: int) -> np.ndarray:
        """Return a random message below t."""
        rng = np.random.default_rng(number)
        return rng.integers(0, self.plain_modulus, self.degree, dtype=np.uint64)

    def encrypt(self, message: np.ndarray) -> Any:
        """Encrypt with SEAL (BFV)."""
        return self.encryptor.encrypt(self.encoder.encode(message))

    def decrypt(self, ciphertext: Any) -> np.ndarray:
        """Decrypt with SEAL (BFV)."""
        plain = self.decryptor.decrypt(ciphertext)
        return (np.array(self.encoder.decode(plain)) % self.plain_modulus).astype(np.uint64)

    def load(self, machine: Machine) -> None:
        """Write parameters, keys and a seed into a machine."""
        machine.load_parameters(self.degree, self.primes)
        if self.parameters.plain_modulus_bits:
            machine.load_plain_modulus(self.data_primes, self.plain_modulus)
        machine.load_key(0, self.public_key[0], self.primes)
        machine.load_key(1, self.public_key[1], self.primes)
        machine.load_key(2, self.secret_key, self.primes)
        machine.load_seed(SEED, NONCE)
        assert machine.error() == "none"


def machine_for(client: Client, build: Build | None = None) -> Machine:
    """Return a machine that is ready for commands."""
    machine = Machine(build or Build())
    client.load(machine)
    return machine
