"""A shared library as assembly: what is refused; that it runs is what test_program shows."""

import shutil
import subprocess

import pytest

from models.errors import ChocoError
from workloads.local_inference.static_image import assembly

COMPILER = "arm-linux-gnueabihf-gcc"
LIBRARY = """
extern int outside(int);
static int counter = 40;
int *where = &counter;
int table[100];
__attribute__((constructor)) static void start(void) { counter += 1; }
int add(int x) { table[3] = x; return outside(x) + *where + table[3]; }
"""
MAIN = """
int outside(int x) { return x * 100; }
int add(int);
int main(void) { return add(1) == 142 && add(2) == 243 ? 7 : 1; }
"""


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "library.so"
    path.write_bytes(b"\x7fELF\x02\x01" + bytes(100))
    with pytest.raises(ChocoError, match="no shared library for 32-bit Arm"):
        assembly(path)


@pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which("qemu-arm")), reason="no Arm compiler or QEMU"
)
@pytest.mark.parametrize("encoding", ["-marm", "-mthumb"])
def test_a_library_runs_inside_a_static_program(tmp_path, encoding):
    def gcc(*arguments):
        subprocess.run([COMPILER, "-O1", *arguments], cwd=tmp_path, check=True)

    (tmp_path / "library.c").write_text(LIBRARY)
    (tmp_path / "main.c").write_text(MAIN)
    gcc(encoding, "-shared", "-fPIC", "library.c", "-o", "library.so")
    (tmp_path / "library.s").write_text(assembly(tmp_path / "library.so"))
    gcc("-static", "-marm", "-Wl,--no-warn-rwx-segments", "main.c", "library.s", "-o", "program")
    assert subprocess.run(["qemu-arm", str(tmp_path / "program")]).returncode == 7
