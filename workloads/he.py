"""Microsoft SEAL for this project: contexts from our parameter sets, repeatable randomness.

Import SEAL from here (``from workloads.he import seal``), never directly: the entropy library must
be loaded before the binding. Keys and ciphertexts are secret-quality random until ``seed`` is
called; a seeded process repeats the same keys and ciphertexts.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from models import provenance
from models.errors import ChocoError
from models.parameters import ParameterSet

_SOURCE = Path(__file__).with_name("entropy.cpp")
_BUILD = Path(__file__).with_name("_build")


def _entropy_library() -> Path:
    """Return the compiled entropy library, building it where its source is new (one second)."""
    digest = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:16]
    library = _BUILD / f"entropy-{digest}.so"
    if not library.exists():
        candidates = (os.environ.get("CXX"), "c++", "g++", "clang++")
        compiler = next((c for c in candidates if c and shutil.which(c)), None)
        if compiler is None:
            raise ChocoError("no C++ compiler found: install g++ or clang++, or set CXX")
        _BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_BUILD) as scratch:
            built = Path(scratch) / "entropy.so"
            run = subprocess.run(
                [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", str(_SOURCE), "-o", str(built)],
                capture_output=True,
                text=True,
            )
            if run.returncode:
                raise ChocoError(f"{compiler} cannot build {_SOURCE}: {run.stderr.strip()}")
            built.replace(library)
    return library


def _load() -> tuple[ctypes.CDLL, Any]:
    entropy = ctypes.CDLL(str(_entropy_library()), mode=ctypes.RTLD_GLOBAL)
    import seal  # only now: its random_device must resolve to the library just loaded

    return entropy, seal


_ENTROPY, seal = _load()


def seed(value: int) -> None:
    """Make everything random that SEAL does from here on a function of ``value`` (64 bits)."""
    _ENTROPY.choco_seed(ctypes.c_uint64(value))


def unseed() -> None:
    """Return to the operating system's entropy."""
    _ENTROPY.choco_unseed()


def seal_provenance() -> str:
    """Return the provenance of what SEAL computes here, e.g. ``SEAL 4.4.0``."""
    return provenance.library("SEAL", "seal-python")


def context(parameters: ParameterSet) -> Any:
    """Build the ``SEALContext`` of a parameter set; SEAL checks its security once more.

    Raises:
        ChocoError: SEAL refuses the parameters; carries SEAL's own reason.
    """
    scheme = getattr(seal.scheme_type, parameters.scheme)
    n = parameters.poly_modulus_degree
    settings = seal.EncryptionParameters(scheme)
    settings.set_poly_modulus_degree(n)
    settings.set_coeff_modulus(seal.CoeffModulus.Create(n, list(parameters.coeff_modulus_bits)))
    if parameters.plain_modulus is not None:
        settings.set_plain_modulus(parameters.plain_modulus)
    elif parameters.plain_modulus_bits is not None:
        settings.set_plain_modulus(seal.PlainModulus.Batching(n, parameters.plain_modulus_bits))
    level = getattr(seal.sec_level_type, f"tc{parameters.security_bits}")
    made = seal.SEALContext(settings, True, level)
    if not made.parameters_set():
        raise ChocoError(f"SEAL refuses {parameters}: {made.parameter_error_message()}")
    return made
