"""The bootstrap must find a uv wheel for the machine in the lock, and refuse altered bytes."""

import importlib.util
import io
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def bootstrap():
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "bootstrap.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("platform", "machine", "libc", "wheel"),
    [
        (
            "linux",
            "x86_64",
            "glibc",
            "uv-0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        ),
        ("linux", "aarch64", "glibc", "uv-0-py3-none-manylinux_2_28_aarch64.whl"),
        ("linux", "x86_64", "", "uv-0-py3-none-musllinux_1_1_x86_64.whl"),
        ("darwin", "arm64", "", "uv-0-py3-none-macosx_11_0_arm64.whl"),
    ],
)
def test_picks_the_wheel_of_this_machine(bootstrap, monkeypatch, platform, machine, libc, wheel):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(bootstrap.platform, "machine", lambda: machine)
    monkeypatch.setattr(bootstrap.platform, "libc_ver", lambda: (libc, ""))
    assert bootstrap.fits_this_machine(f"file:///{wheel}")
    assert not bootstrap.fits_this_machine("file:///uv-0-py3-none-win_amd64.whl")


def test_altered_wheel_is_refused(bootstrap, tmp_path):
    wheel = tmp_path / "uv.whl"
    wheel.write_bytes(b"not what was pinned")
    with pytest.raises(SystemExit, match="pinned checksum"):
        bootstrap.download(wheel.as_uri(), "sha256:" + "0" * 64)


def test_unpacks_an_executable(bootstrap, tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("uv-1.data/scripts/uv", "#!/bin/sh\necho here\n")
    program = tmp_path / "tools" / "uv-1"
    bootstrap.unpack(content.getvalue(), program)
    assert program.stat().st_mode & 0o111
