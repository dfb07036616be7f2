#!/usr/bin/env python3
"""Fetch uv, the environment manager, with nothing but a Python interpreter.

A fresh Debian has neither pip nor venv beside python3. This script reads which uv wheel the
project pins in uv.lock, downloads it, checks its SHA-256, and unpacks the one program in it to
.tools/uv. Run by the Makefile; it does nothing where that program is already there.
"""

import hashlib
import io
import platform
import ssl
import sys
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools"


def main() -> None:
    """Put the pinned uv at .tools/uv."""
    if sys.version_info < (3, 11):
        sys.exit(f"error: Python 3.11 or newer is needed, this is {platform.python_version()}")
    import tomllib  # new in 3.11

    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    uv = next(package for package in lock["package"] if package["name"] == "uv")
    program = TOOLS / f"uv-{uv['version']}"
    if not program.exists():
        wheel = next((w for w in uv["wheels"] if fits_this_machine(w["url"])), None)
        if wheel is None:
            sys.exit(f"error: no uv wheel for {sys.platform} {platform.machine()}; put uv on PATH")
        print(f"fetching uv {uv['version']} ...", file=sys.stderr)
        unpack(download(wheel["url"], wheel["hash"]), program)
    link = TOOLS / "uv"
    link.unlink(missing_ok=True)
    link.symlink_to(program.name)


def fits_this_machine(url: str) -> bool:
    """Tell from its file name whether a wheel runs here."""
    machine = platform.machine().lower()
    name = url.rsplit("/", 1)[-1]
    if sys.platform == "darwin":
        return "macosx" in name and machine in name
    libc = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux"
    return libc in name and f"_{machine}." in name


def download(url: str, expected: str) -> bytes:
    """Return the bytes at ``url`` after checking them against ``expected`` ("sha256:...")."""
    # A minimal system has no certificate store. Trust does not rest on the connection here: the
    # content must have the hash that the repository pins.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, timeout=120, context=context) as answer:
            content: bytes = answer.read()
    except OSError as error:
        sys.exit(f"error: cannot fetch uv: {error}")
    if f"sha256:{hashlib.sha256(content).hexdigest()}" != expected:
        sys.exit(f"error: the uv wheel does not have its pinned checksum {expected}")
    return content


def unpack(wheel: bytes, program: Path) -> None:
    """Extract the uv program from its wheel and make it executable."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        member = next(n for n in archive.namelist() if n.endswith(".data/scripts/uv"))
        content = archive.read(member)
    program.parent.mkdir(exist_ok=True)
    scratch = program.with_suffix(".part")
    scratch.write_bytes(content)
    scratch.chmod(0o755)
    scratch.replace(program)


if __name__ == "__main__":
    main()
