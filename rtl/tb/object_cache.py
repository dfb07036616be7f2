"""Compiler prefix for Verilator's Makefiles: compile its runtime library once, not in every build.

Called as ``object_cache.py CXX ARGUMENTS``. Verilator compiles the same few files of its own in
every build, half of the time of a small one. Everything else goes to the compiler unchanged.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main(command: list[str]) -> int:
    """Run ``command``, or copy what an equal command made before; returns its exit status."""
    source = Path(command[-1])
    cache = os.environ.get("OBJECT_CACHE")
    # Not cocotb's verilator.cpp: it allocates the model, whose size differs between designs.
    shared = source.name.startswith("verilated") and source.suffix == ".cpp"
    if not cache or not shared or "-o" not in command:
        return subprocess.call(command)
    output = command[command.index("-o") + 1]
    rest = [word for word in command if word != output]
    key = hashlib.sha256("\0".join(rest).encode() + source.read_bytes()).hexdigest()[:24]
    kept = Path(cache) / f"{source.stem}-{key}.o"
    if kept.exists():
        shutil.copy(kept, output)
        return 0
    status = subprocess.call(command)
    if status == 0:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as scratch:
            scratch.write(Path(output).read_bytes())
        Path(scratch.name).replace(kept)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
