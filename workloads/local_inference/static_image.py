"""Turns an Arm shared library into assembly that a static program is linked with.

Debian has XNNPACK for Armv7 as a shared library only, and gem5's system call emulation runs static
programs: the dynamic loader makes system calls that it does not know. So what the loader would do
is done at link time. The assembly includes the library's segments byte by byte, with every word
that the loader would fill in given as an expression; the linker then binds the library's calls,
and its exported functions are symbols of the program like any other.

Formats: ELF for the Arm Architecture (Arm IHI 0044).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models.errors import ChocoError

_ELF32_LITTLE = b"\x7fELF\x01\x01"
_EM_ARM = 40
_PT_LOAD, _PT_DYNAMIC = 1, 2
_TAGS = {5: "strings", 6: "symbols", 17: "relocations", 18: "relocations_bytes"} | {
    23: "calls",
    2: "calls_bytes",
    25: "constructors",
    27: "constructors_bytes",
}
"""Entries of the dynamic section that matter here, by tag."""
_ABSOLUTE, _DATA, _CALL, _RELATIVE = 2, 21, 22, 23
"""Relocation types R_ARM_ABS32, R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT, R_ARM_RELATIVE."""
_WEAK = 2
_FUNCTION, _OBJECT = 2, 1
_PAGE = 0x10000


@dataclass(frozen=True)
class _Segment:
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int


@dataclass(frozen=True)
class _Symbol:
    name: str
    value: int
    size: int
    defined: bool
    weak: bool
    kind: int


class _Library:
    """An ELF file for 32-bit Arm, little endian, as the dynamic loader sees it."""

    def __init__(self, path: Path) -> None:
        self._content = content = path.read_bytes()
        if content[:6] != _ELF32_LITTLE or self._half(16) != 3 or self._half(18) != _EM_ARM:
            raise ChocoError(f"{path}: no shared library for 32-bit Arm")
        self.segments: list[_Segment] = []
        dynamic: dict[str, int] = {}
        headers, size, count = self._word(28), self._half(42), self._half(44)
        for start in range(headers, headers + size * count, size):
            kind, offset, address, _, in_file, in_memory = struct.unpack_from("<6I", content, start)
            if kind == _PT_LOAD:
                self.segments.append(_Segment(offset, address, in_file, in_memory))
            elif kind == _PT_DYNAMIC:
                for tag, value in struct.iter_unpack("<II", content[offset : offset + in_file]):
                    if tag == 0:
                        break
                    if tag in _TAGS:
                        dynamic[_TAGS[tag]] = value
        self._dynamic = dynamic

    def words_to_fill(self) -> dict[int, str]:
        """Return the expression of each word that the loader would fill in, by address."""
        filled = {}
        for table in ("relocations", "calls"):
            start, size = self._dynamic.get(table), self._dynamic.get(f"{table}_bytes", 0)
            for place in range(self._at(start), self._at(start) + size, 8) if start else ():
                address, info = struct.unpack_from("<II", self._content, place)
                filled[address] = self._expression(info & 0xFF, info >> 8, address)
        return filled

    def symbols(self) -> Iterator[_Symbol]:
        """Yield the dynamic symbols: what it exports and what it needs."""
        # The string table follows the symbol table: no other entry tells how many there are.
        first, end = self._dynamic["symbols"], self._dynamic["strings"]
        for index in range(1, (end - first) // 16):
            symbol = self._symbol(index)
            if symbol.name:
                yield symbol

    def constructors(self) -> list[int]:
        """Return the addresses of the words that point at constructors."""
        start = self._dynamic.get("constructors", 0)
        return list(range(start, start + self._dynamic.get("constructors_bytes", 0), 4))

    def _expression(self, kind: int, index: int, address: int) -> str:
        addend = self._word(self._at(address))
        if kind == _RELATIVE:
            return f"image + {addend:#x}"
        if kind in (_DATA, _CALL):  # the word holds no addend
            return self._symbol(index).name
        if kind == _ABSOLUTE:
            return f"{self._symbol(index).name} + {addend:#x}"
        raise ChocoError(f"relocation type {kind} at {address:#x} is not one of those handled")

    def _symbol(self, index: int) -> _Symbol:
        start = self._at(self._dynamic["symbols"]) + 16 * index
        name, value, size, info, _, section = struct.unpack_from("<IIIBBH", self._content, start)
        begin = self._at(self._dynamic["strings"]) + name
        text = self._content[begin : self._content.index(b"\0", begin)].decode()
        return _Symbol(text, value, size, section != 0, info >> 4 == _WEAK, info & 0xF)

    def _at(self, address: int | None) -> int:
        for segment in self.segments:
            if address is not None and 0 <= address - segment.address < segment.file_bytes:
                return address - segment.address + segment.offset
        raise ChocoError(f"address {address} is in no segment")

    def _word(self, offset: int) -> int:
        return int(struct.unpack_from("<I", self._content, offset)[0])

    def _half(self, offset: int) -> int:
        return int(struct.unpack_from("<H", self._content, offset)[0])


def assembly(path: Path) -> str:
    """Return GNU assembly with the contents of a shared library.

    Args:
        path: the library; the assembly names it, so it must stay where it is.

    Raises:
        ChocoError: it is no shared library for 32-bit Arm, or has a relocation not handled here.
    """
    library = _Library(path)
    filled = library.words_to_fill()
    lines = [
        f'.section .shared_library.{path.stem}, "awx", %progbits',
        f".balign {_PAGE}",
        "image:",
    ]
    end = 0
    for segment in sorted(library.segments, key=lambda segment: segment.address):
        lines += _zeros(segment.address - end)
        position = segment.address
        file_end = segment.address + segment.file_bytes
        for address in sorted(a for a in filled if position <= a < file_end):
            lines += _bytes(path, segment, position, address)
            lines.append(f".word {filled[address]}")
            position = address + 4
        lines += _bytes(path, segment, position, file_end)
        lines += _zeros(segment.memory_bytes - segment.file_bytes)
        end = segment.address + segment.memory_bytes
    for symbol in library.symbols():
        if not symbol.defined:
            lines += [f".weak {symbol.name}"] if symbol.weak else []
        elif symbol.kind in (_FUNCTION, _OBJECT):
            kind = "function" if symbol.kind == _FUNCTION else "object"
            # Bit 0 of a function's value says that it is Thumb code; the linker reads it there.
            lines += [
                f".global {symbol.name}",
                f".type {symbol.name}, %{kind}",
                f".set {symbol.name}, image + {symbol.value:#x}",
                f".size {symbol.name}, {symbol.size}",
            ]
    if constructors := library.constructors():
        lines.append('.section .init_array, "aw", %init_array')
        lines += [f".word {filled[address]}" for address in constructors]
    return "\n".join([*lines, '.section .note.GNU-stack, "", %progbits', ""])


def _bytes(path: Path, segment: _Segment, start: int, end: int) -> list[str]:
    offset = start - segment.address + segment.offset
    return [f'.incbin "{path}", {offset}, {end - start}'] if end > start else []


def _zeros(count: int) -> list[str]:
    return [f".zero {count}"] if count else []
