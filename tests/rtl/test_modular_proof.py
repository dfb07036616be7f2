import pytest

from rtl.formal.prove import FORMAL, proven
from rtl.tb.runner import RTL

PROPERTIES = FORMAL / "modular_properties.sv"
ADD, SUB, DIGIT = (RTL / "taco" / f"taco_mod_{name}.sv" for name in ("add", "sub", "digit"))
# A default of the modules is named after the package; its widths are overridden.
PACKAGE = RTL / "taco" / "taco_pkg.sv"


@pytest.mark.parametrize("width", [4, 6])
def test_adder_and_subtractor(width):
    assert proven("add_properties", [PACKAGE, ADD, SUB, PROPERTIES, DIGIT], {"Width": width})


@pytest.mark.parametrize(("prime", "radix"), [(5, 2), (5, 3), (6, 2)])
def test_reduction(prime, radix):
    parameters = {"PrimeWidth": prime, "RadixWidth": radix}
    assert proven("reduction_properties", [PACKAGE, ADD, SUB, DIGIT, PROPERTIES], parameters)


@pytest.mark.parametrize(
    ("file", "right", "wrong", "top"),
    [
        (ADD, "reduced[Width] ?", "(reduced[Width] | &sum[Width-1:0]) ?", "add_properties"),
        (SUB, "difference[Width] ?", "|difference ?", "add_properties"),
        (DIGIT, "+ OutWidth'(|value", "+ OutWidth'(value", "reduction_properties"),
    ],
)
def test_proof_notices_a_mistake(file, right, wrong, top, tmp_path):
    text = file.read_text()
    assert right in text
    broken = tmp_path / file.name
    broken.write_text(text.replace(right, wrong))
    files = [broken if file.name == f.name else f for f in (PACKAGE, ADD, SUB, DIGIT)]
    assert not proven(top, [*files, PROPERTIES])
