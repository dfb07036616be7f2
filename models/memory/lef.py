"""The abstract (LEF) of an SRAM macro: outline, pins, power stripes, blockages."""

from collections.abc import Iterator

from models.memory.macro_shape import Macro, Port

SUPPLIES = (("VDD", "POWER"), ("VSS", "GROUND"))

Rectangle = tuple[float, float, float, float]
"""Left, bottom, right, top in micrometres."""


def lef(macro: Macro) -> str:
    """Return the LEF of a macro; signal pins lie on the tracks of the pin layer, at two edges."""
    return "\n".join(_lines(macro)) + "\n"


def signal_pins(macro: Macro) -> dict[str, tuple[Port, Rectangle]]:
    """Return the rectangle of every signal pin: reading at the upper edge, writing at the lower."""
    shape = macro.interface
    edges = (
        (macro.read_ports, macro.height_um - shape.pin_height_um),
        (macro.write_ports, 0.0),
    )
    found: dict[str, tuple[Port, Rectangle]] = {}
    tracks = round(macro.width_um / shape.pitch_um) - 1
    for ports, bottom in edges:
        pins = [(name, port) for port in ports for name in port.pins]
        for place, (name, port) in enumerate(pins):
            track = 1 + place * (tracks - 1) // len(pins)
            left = shape.first_track_um + track * shape.pitch_um - shape.pin_width_um / 2
            right, top = left + shape.pin_width_um, bottom + shape.pin_height_um
            found[name] = port, _rounded(left, bottom, right, top)
    return found


def supply_stripes(macro: Macro) -> list[tuple[str, Rectangle]]:
    """Return the stripes of power and ground, alternating from left to right."""
    shape = macro.interface
    half = shape.stripe_width_um / 2
    step = shape.stripe_pitch_tracks * shape.pitch_um / 2
    count = max(2, int((macro.width_um - 2 * shape.edge_um) / step) + 1)
    step = min(step, (macro.width_um - 2 * shape.edge_um) / (count - 1))
    stripes = []
    for i in range(count):
        track = round((shape.edge_um + i * step) / shape.pitch_um)
        middle = shape.first_track_um + track * shape.pitch_um
        stripes.append(
            (
                SUPPLIES[i % 2][0],
                _rounded(
                    middle - half, shape.edge_um, middle + half, macro.height_um - shape.edge_um
                ),
            )
        )
    return stripes


def _lines(macro: Macro) -> Iterator[str]:
    shape = macro.interface
    stripes = supply_stripes(macro)
    yield "VERSION 5.7 ;"
    yield 'BUSBITCHARS "[]" ;'
    yield 'DIVIDERCHAR "/" ;'
    yield f"# {macro.description}"
    yield f"MACRO {macro.name}"
    yield "  CLASS BLOCK ;"
    yield f"  FOREIGN {macro.name} 0 0 ;"
    yield "  ORIGIN 0 0 ;"
    yield "  SYMMETRY X Y ;"
    yield f"  SIZE {macro.width_um:g} BY {macro.height_um:g} ;"
    for name, (port, box) in signal_pins(macro).items():
        use = "CLOCK" if name == "clk_i" else "SIGNAL"
        yield from _pin(name, "OUTPUT" if port.output else "INPUT", use, shape.pin_layer, [box])
    for supply, use in SUPPLIES:
        boxes = [box for name, box in stripes if name == supply]
        yield from _pin(supply, "INOUT", use, shape.pin_layer, boxes)
    yield "  OBS"
    for layer in shape.blocked_layers:
        yield f"    LAYER {layer} ;"
        yield f"      {_rect((0.0, 0.0, macro.width_um, macro.height_um))}"
    yield f"    LAYER {shape.pin_layer} ;"
    for box in _between(macro, stripes):
        yield f"      {_rect(box)}"
    yield "  END"
    yield f"END {macro.name}"
    yield "END LIBRARY"


def _pin(name: str, direction: str, use: str, layer: str, boxes: list[Rectangle]) -> Iterator[str]:
    yield f"  PIN {name}"
    yield f"    DIRECTION {direction} ;"
    yield f"    USE {use} ;"
    yield "    PORT"
    yield f"      LAYER {layer} ;"
    yield from (f"        {_rect(box)}" for box in boxes)
    yield "    END"
    yield f"  END {name}"


def _between(macro: Macro, stripes: list[tuple[str, Rectangle]]) -> Iterator[Rectangle]:
    """Yield what the stripes leave of the inside, a pitch away from each."""
    shape = macro.interface
    left = 0.0
    for _, (start, bottom, end, top) in stripes:
        if start - shape.pitch_um > left:
            yield _rounded(left, bottom, start - shape.pitch_um, top)
        left = end + shape.pitch_um
    if left < macro.width_um:
        yield _rounded(left, shape.edge_um, macro.width_um, macro.height_um - shape.edge_um)


def _rect(box: Rectangle) -> str:
    return f"RECT {' '.join(f'{value:g}' for value in box)} ;"


def _rounded(left: float, bottom: float, right: float, top: float) -> Rectangle:
    return round(left, 4), round(bottom, 4), round(right, 4), round(top, 4)
