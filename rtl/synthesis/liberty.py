"""Read a Liberty file: cells, pins, logic functions and tables.

Only what the flow asks of a library: which cell is a full adder, what each cell computes (replay of
a netlist), pin capacitances and areas. Timing and power are OpenSTA's business.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from models.errors import ChocoError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.+\-\[\]!*/<>&|\'^$]+|[(){}:;,]', re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_TERM = re.compile(r"\s*([A-Za-z_]\w*|[!'()*&+|^01])")


@dataclass
class Group:
    """A Liberty group: ``name (arguments) { attributes, groups }``."""

    name: str
    arguments: tuple[str, ...] = ()
    attributes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    groups: list["Group"] = field(default_factory=list)

    def children(self, *names: str) -> Iterator["Group"]:
        """Yield the groups of these kinds, in order."""
        return (group for group in self.groups if group.name in names)

    def value(self, name: str, default: str = "") -> str:
        """Return an attribute's only (or first) value."""
        return self.attributes.get(name, (default,))[0]


@dataclass(frozen=True)
class Cell:
    """A cell: its area and what it computes.

    Attributes:
        name: as in the library.
        area: in the library's unit (square micrometres in both libraries that we use).
        inputs: data and control inputs, clock included, in the library's order.
        outputs: output pin to its function of inputs and state variables.
        next_state: of a flip-flop, as a function; empty for combinational cells.
        clock: of a flip-flop, its function (``CK`` or ``!CK``).
        clear, preset: asynchronous, empty where there is none.
        state: names of the state variable and its complement.
        is_latch: a level-sensitive latch.
        capacitance_f: input pin to its capacitance in F.
    """

    name: str
    area: float
    inputs: tuple[str, ...]
    outputs: dict[str, str]
    next_state: str = ""
    clock: str = ""
    clear: str = ""
    preset: str = ""
    state: tuple[str, str] = ("", "")
    is_latch: bool = False
    capacitance_f: dict[str, float] = field(default_factory=dict)

    def truth_table(self, output: str) -> int:
        """Return the output's function as a mask: bit i is its value where input j is bit j of i.

        Raises:
            ChocoError: the function uses something that is not an input.
        """
        return truth_table(self.outputs[output], self.inputs)


def read_text(path: Path) -> str:
    """Return the text of a Liberty file, which may be compressed with gzip.

    Raises:
        ChocoError: there is no such file, or it is not text.
    """
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ChocoError(f"{path}: not a readable Liberty file: {error}") from None


def parse(text: str, name: str = "Liberty") -> Group:
    """Return the library group of a Liberty text.

    Raises:
        ChocoError: it does not begin with a library, or its braces do not match.
    """
    tokens = _TOKEN.findall(_COMMENT.sub(" ", text).replace("\\\n", " "))
    if not tokens or tokens[0] != "library":
        raise ChocoError(f"{name}: a Liberty file begins with `library`")
    root, stack, at = Group(""), [], 0
    stack.append(root)
    try:
        while at < len(tokens):
            token = tokens[at]
            if token == "}":
                stack.pop()
                at += 1
            elif token == ";":
                at += 1
            elif tokens[at + 1] == ":":
                end = tokens.index(";", at) if ";" in tokens[at : at + 40] else at + 3
                stack[-1].attributes[token] = (" ".join(map(_bare, tokens[at + 2 : end])),)
                at = end
            else:
                close = tokens.index(")", at)
                values = tuple(_bare(t) for t in tokens[at + 2 : close] if t != ",")
                at = close + 1
                if at < len(tokens) and tokens[at] == "{":
                    group = Group(token, values)
                    stack[-1].groups.append(group)
                    stack.append(group)
                    at += 1
                else:
                    stack[-1].attributes[token] = values
        if len(stack) != 1:
            raise IndexError
    except (IndexError, ValueError):
        raise ChocoError(f"{name}: braces or statements do not match") from None
    return root.groups[0]


def read_cells(path: Path) -> dict[str, Cell]:
    """Return the cells of a Liberty file by name.

    Raises:
        ChocoError: the file is missing or is not Liberty.
    """
    library = parse(read_text(path), str(path))
    value, unit = library.attributes.get("capacitive_load_unit", ("1", "ff"))
    farad = float(value) * {"ff": 1e-15, "pf": 1e-12}[unit.lower()]
    cells = {group.arguments[0]: _cell(group, farad) for group in library.children("cell")}
    if not cells:
        raise ChocoError(f"{path}: the library has no cells")
    return cells


def nominal_voltage(path: Path) -> float:
    """Return the voltage in V that a Liberty file is for.

    Raises:
        ChocoError: it does not say.
    """
    found = re.search(r"nom_voltage\s*:\s*([\d.]+)", read_text(path))
    if found is None:
        raise ChocoError(f"{path}: no nom_voltage")
    return float(found[1])


def full_adder(cells: dict[str, Cell]) -> tuple[str, dict[str, str]] | None:
    """Return the smallest full adder and its pins (A, B, C in; X carry, Y sum), or None."""
    found = []
    for cell in cells.values():
        if len(cell.inputs) != 3 or len(cell.outputs) != 2 or cell.state[0]:
            continue
        tables = {cell.truth_table(output): output for output in cell.outputs}
        if tables.keys() == {0xE8, 0x96}:
            a, b, c = cell.inputs
            pins = {"A": a, "B": b, "C": c, "X": tables[0xE8], "Y": tables[0x96]}
            found.append((cell.area, cell.name, pins))
    return min(found)[1:] if found else None


@cache
def truth_table(function: str, inputs: tuple[str, ...]) -> int:
    """Return a Liberty function as a bit mask over its inputs (bit i: input j is bit j of i).

    Raises:
        ChocoError: it is not a Boolean expression of these inputs.
    """
    python = _python(function)
    table = 0
    for i, values in enumerate(product((0, 1), repeat=len(inputs))):
        names = dict(zip(reversed(inputs), values, strict=True))
        try:
            table |= (eval(python, {"__builtins__": {}}, names) & 1) << i
        except (NameError, SyntaxError) as error:
            raise ChocoError(f"function {function!r} of {', '.join(inputs)}: {error}") from None
    return table


def _python(function: str) -> str:
    """Translate a Liberty function: not ! ', and * & space, or + |, exclusive or ^."""
    # Precedence in Liberty: negation, exclusive or, and, or: what Python gives to ~, *, @ ... is
    # not the same, so the expression is parsed here.
    tokens = _TERM.findall(function)
    if "".join(tokens) != re.sub(r"\s+", "", function):
        raise ChocoError(f"function {function!r}: not a Boolean expression")
    position = 0

    def peek() -> str:
        return tokens[position] if position < len(tokens) else ""

    def either() -> str:
        nonlocal position
        text = both()
        while peek() in ("+", "|"):
            position += 1
            text = f"({text}|{both()})"
        return text

    def both() -> str:
        nonlocal position
        text = exclusive()
        while peek() and peek() not in ("+", "|", ")"):
            if peek() in ("*", "&"):
                position += 1
            text = f"({text}&{exclusive()})"
        return text

    def exclusive() -> str:
        nonlocal position
        text = negated()
        while peek() == "^":
            position += 1
            text = f"({text}^{negated()})"
        return text

    def negated() -> str:
        nonlocal position
        token = peek()
        position += 1
        if token == "!":
            return f"(1^{negated()})"
        if token == "(":
            text = f"({either()})"
            position += 1
        else:
            text = token
        while peek() == "'":
            position += 1
            text = f"(1^{text})"
        return text

    return either()


def _cell(group: Group, farad: float) -> Cell:
    inputs, outputs, loads = [], {}, {}
    for pin in _pins(group):
        if pin.value("direction") == "input":
            inputs.append(pin.arguments[0])
            loads[pin.arguments[0]] = float(pin.value("capacitance", "0")) * farad
        elif pin.value("direction") == "output" and "function" in pin.attributes:
            outputs[pin.arguments[0]] = pin.value("function")
    storage = next(group.children("ff", "latch"), None)
    name, area = group.arguments[0], float(group.value("area", "0"))
    if storage is None:
        return Cell(name, area, tuple(inputs), outputs, capacitance_f=loads)
    is_latch = storage.name == "latch"
    return Cell(
        name,
        area,
        tuple(inputs),
        outputs,
        capacitance_f=loads,
        next_state=storage.value("data_in" if is_latch else "next_state"),
        clock=storage.value("enable" if is_latch else "clocked_on"),
        clear=storage.value("clear"),
        preset=storage.value("preset"),
        state=(storage.arguments[0], storage.arguments[1]),
        is_latch=is_latch,
    )


def _pins(group: Group) -> Iterator[Group]:
    yield from group.children("pin")
    for bundle in group.children("bus", "bundle"):
        yield from bundle.children("pin")


def _bare(token: str) -> str:
    return token[1:-1] if token.startswith('"') else token
