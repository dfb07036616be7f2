"""The Liberty reader, and our own library: monotonic tables, functions that hold."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import ChocoError
from rtl.lib import generate
from rtl.synthesis.liberty import (
    Group,
    full_adder,
    nominal_voltage,
    parse,
    read_cells,
    read_text,
    truth_table,
)

CELLS = read_cells(generate.LIBERTY)
LIBRARY = parse(read_text(generate.LIBERTY))


def test_the_committed_libraries_are_what_their_source_generates():
    assert generate.LIBERTY.read_text() == generate.generate()
    assert generate.WIRES.read_text() == generate.wires()


def test_it_has_what_a_mapper_needs():
    assert 30 <= len(CELLS) <= 80
    assert nominal_voltage(generate.LIBERTY) == pytest.approx(1.1)
    assert full_adder(CELLS)[0] == "FA_X1"
    assert {cell.clear or cell.preset for cell in CELLS.values() if cell.next_state} == {
        "",
        "!RN",
        "!SN",
    }
    constants = [c for c in CELLS.values() if not c.inputs]
    assert {c.truth_table("Y") for c in constants} == {0, 1}


@pytest.mark.parametrize(
    ("family", "meaning"),
    [
        ("NAND2", lambda a, b: not (a and b)),
        ("NOR3", lambda a, b, c: not (a or b or c)),
        ("XOR2", lambda a, b: a != b),
        ("AOI21", lambda a, b, c: not ((a and b) or c)),
        ("OAI22", lambda a, b, c, d: not ((a or b) and (c or d))),
        ("MUX2", lambda a, b, s: b if s else a),
    ],
)
def test_functions(family, meaning):
    cells = [cell for name, cell in CELLS.items() if name.startswith(f"{family}_X")]
    assert cells
    for cell in cells:
        table = cell.truth_table("Y")
        for i in range(2 ** len(cell.inputs)):
            values = [bool(i >> j & 1) for j in range(len(cell.inputs))]
            assert (table >> i & 1) == bool(meaning(*values)), (cell.name, values)


def tables(group: Group):
    """Yield (name, index 1, index 2, values) of the two-dimensional tables under a group."""
    templates = {t.arguments[0]: t for t in LIBRARY.children("lu_table_template")}
    for child in group.groups:
        if child.arguments and child.arguments[0] in templates:
            template = templates[child.arguments[0]]
            index = [
                np.array([float(x) for x in template.value(f"index_{i}").split(",")])
                for i in (1, 2)
            ]
            rows = [[float(x) for x in row.split(",")] for row in child.attributes["values"]]
            yield child.name, *index, np.array(rows)
        yield from tables(child)


def test_delays_grow_with_load_and_slew():
    seen = 0
    for cell in LIBRARY.children("cell"):
        for name, slew, load, values in tables(cell):
            assert values.shape == (len(slew), len(load))
            if name.startswith(("cell_", "rise_transition", "fall_transition")):
                seen += 1
                assert (values > 0).all(), (cell.arguments, name)
                assert (np.diff(values, axis=0) >= 0).all(), (cell.arguments, name)
                assert (np.diff(values, axis=1) > 0).all(), (cell.arguments, name)
    assert seen > 300


def test_larger_cells_are_larger_and_stronger():
    sizes: dict[str, list[tuple[int, str]]] = {}
    for name in CELLS:
        family, size = name.rsplit("_X", 1)
        sizes.setdefault(family, []).append((int(size), name))
    groups = {c.arguments[0]: c for c in LIBRARY.children("cell")}

    def drive(name):
        pins = [p for p in groups[name].children("pin") if p.value("direction") == "output"]
        return float(pins[0].value("max_capacitance", "0"))

    for members in sizes.values():
        for (_, small), (_, large) in pairwise(sorted(members)):
            assert CELLS[small].area < CELLS[large].area
            assert drive(small) < drive(large)


def test_fanout_of_four_is_what_the_source_states():
    cell = next(c for c in LIBRARY.children("cell") if c.arguments == ("INV_X1",))
    load = 4 * CELLS["INV_X1"].capacitance_f["A"] * 1e15
    slew, delays = 0.02, []
    for _ in range(20):  # an endless chain of its like settles
        delays = []
        slews = []
        for name, s, c, values in tables(cell):
            rows = [np.interp(load, c, row) for row in values]
            value = np.interp(slew, s, rows)
            (delays if name.startswith("cell") else slews).append(value)
        slew = np.mean(slews)
    import yaml

    stated = yaml.safe_load(generate.SOURCE.read_text())["technology"]["fo4_s"]["value"]
    assert np.mean(delays) * 1e-9 == pytest.approx(stated, rel=0.05)


@st.composite
def expressions(draw, depth=3):
    """Return a Liberty expression of A, B and C and the same for Python."""
    if depth == 0 or draw(st.booleans()):
        name = draw(st.sampled_from("ABC"))
        form = draw(st.sampled_from(["{}", "!{}", "{}'"]))
        return form.format(name), name if form == "{}" else f"(1-{name})"
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    liberty, python = draw(
        st.sampled_from([("&", "&"), ("*", "&"), (" ", "&"), ("|", "|"), ("+", "|"), ("^", "^")])
    )
    return f"({left[0]}) {liberty} ({right[0]})", f"(({left[1]}){python}({right[1]}))"


@given(expressions())
def test_truth_tables_of_any_expression(expression):
    liberty, python = expression
    table = truth_table(liberty, ("A", "B", "C"))
    for i in range(8):
        values = {"A": i & 1, "B": i >> 1 & 1, "C": i >> 2 & 1}
        assert table >> i & 1 == eval(python, {}, values)


def test_precedence():
    assert truth_table("A + B C", ("A", "B", "C")) == truth_table("A | (B & C)", ("A", "B", "C"))
    assert truth_table("!A & B", ("A", "B")) == 0b0100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with `library`"),
        ("module (x) {}", "begins with `library`"),
        ("library (x) { cell (y) {", "do not match"),
    ],
)
def test_what_is_not_liberty_is_refused(text, message):
    with pytest.raises(ChocoError, match=message):
        parse(text)


def test_missing_files_and_unknown_pins(tmp_path: Path):
    with pytest.raises(ChocoError, match="not a readable Liberty file"):
        read_cells(tmp_path / "none.lib")
    with pytest.raises(ChocoError, match="name 'Z' is not defined"):
        truth_table("A & Z", ("A",))
