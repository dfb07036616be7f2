import pytest

from rtl.formal.prove import FORMAL, proven
from rtl.tb.runner import RTL

FIFO = RTL / "taco" / "taco_fifo.sv"
PROPERTIES = FORMAL / "fifo_properties.sv"


@pytest.mark.parametrize("depth", [2, 4, 8])
def test_fifo_keeps_every_entry(depth):
    assert proven("fifo_properties", [FIFO, PROPERTIES], {"Width": 3, "Depth": depth})


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("level_o != Full;", "1'b1;"),
        ("if (pop)  read", "if (out_ready_i) read"),
        ("<= in_data_i;", "<= in_data_i ^ Width'(level_o == Full - 1'b1);"),
    ],
)
def test_proof_notices_a_broken_fifo(right, wrong, tmp_path):
    text = FIFO.read_text()
    assert right in text
    broken = tmp_path / "taco_fifo.sv"
    broken.write_text(text.replace(right, wrong))
    assert not proven("fifo_properties", [broken, PROPERTIES], {"Width": 3, "Depth": 4})
