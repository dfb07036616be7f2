import re

import pytest

from rtl.tb.machine import Build
from rtl.tb.reference.random_stream import Samples
from rtl.tb.trace import instances, record

BUILD = Build(residues=1, max_log_n=10, butterflies=1, message_butterflies=1, lanes=1)
LEVEL = "-O0"  # it runs for a moment
SEED, NONCE = bytes(32), 1  # what rtl.tb.measure.prepare loads


def signals_before_edges(vcd):
    """Yield all values by name before each rising edge of the clock."""
    names, values = {}, {}
    clock = None
    for line in vcd.read_text().splitlines():
        if declared := re.match(r"\s*\$var wire \d+ (\S+) (\w+)", line):
            names[declared[1]] = declared[2]
        elif changed := re.match(r"b([01]+) (\S+)|([01])(\S+)", line):
            name, value = names[changed[2] or changed[4]], int(changed[1] or changed[3], 2)
            if name == "clk_i" and value and not clock:
                yield dict(values)
            clock = value if name == "clk_i" else clock
            values[name] = value


def test_trace_holds_what_went_through_a_block(tmp_path):
    """The samples that a layer takes during an encryption are the generator's."""
    (scope,) = instances(BUILD, "taco_rns_expand", LEVEL)
    assert scope == "TOP.taco_top.u_datapath.gen_layer[0].u_layer.u_expand"
    file = tmp_path / "expand.vcd"
    record(BUILD, scope, file, "bfv_encrypt", (1024, 1), (0, 1_000_000), LEVEL)
    samples = [
        (cycle["in_data_i"] ^ 128) - 128
        for cycle in signals_before_edges(file)
        if cycle["in_valid_i"] and cycle["in_ready_o"]
    ]
    reference = Samples(SEED, NONCE)
    drawn = reference.ternary(1024), reference.error(1024), reference.error(1024)
    assert samples == [value for polynomial in drawn for value in polynomial.tolist()]


def test_unknown_module():
    with pytest.raises(ValueError, match="no taco_nothing"):
        instances(BUILD, "taco_nothing", LEVEL)
