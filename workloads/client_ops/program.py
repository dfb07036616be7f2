"""The built client program: which SEAL it has, how it is called, what it is run with."""

import re
import subprocess
from pathlib import Path

from models.config.client import ClientProgram, SealBuild
from models.config.platform import Client
from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads.client_ops import build as client_ops

OPERATIONS = ("encode", "encrypt", "decrypt", "decode")
QEMU = "qemu-arm"


def arguments(parameters: ParameterSet, program: ClientProgram) -> list[str]:
    """Return the options of client_ops for a parameter set."""
    bits = ",".join(map(str, parameters.coeff_modulus_bits))
    common = ["--scheme", parameters.scheme, "--coeff-modulus-bits", bits]
    common += ["--poly-modulus-degree", str(parameters.poly_modulus_degree)]
    common += ["--encryption", program.encryption, "--message", program.message]
    if program.random_generator != "blake2xb":  # which is every version's default
        common += ["--generator", program.random_generator]
    if parameters.scheme == "bfv":
        return [*common, "--plain-modulus-bits", str(parameters.plain_modulus_bits)]
    return [*common, "--scale-bits", str(parameters.scale_bits)]


def seal_version(built: Path) -> str:
    """Return the version of the SEAL that an Arm program was built with.

    Raises:
        ChocoError: it does not say.
    """
    run = subprocess.run([QEMU, str(built), "--version"], capture_output=True, text=True)
    if run.returncode or not (found := re.fullmatch(r"SEAL (\S+)\n", run.stdout)):
        raise ChocoError(f"{built}: does not print its SEAL version")
    return found[1]


def arm_program(program: ClientProgram, client: Client) -> Path:
    """Return the Arm program, built where it is not, with the SEAL that the client has.

    Raises:
        ChocoError: it cannot be built, or has another version of SEAL.
    """
    chosen = {name: getattr(program, name) for name in SealBuild.model_fields}
    built = client_ops.build(client_ops.Settings(**chosen))
    version = seal_version(built)
    if version != client.seal_version:
        raise ChocoError(
            f"client.seal_version: the program has SEAL {version}, not {client.seal_version}; "
            f"set it to {version}, or client_program.seal_dir to where SEAL "
            f"{client.seal_version} is"
        )
    return built
