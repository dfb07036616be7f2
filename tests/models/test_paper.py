"""The paper as data: complete, and the arithmetic that its numbers must obey."""

from math import prod
from pathlib import Path

import numpy as np
import pytest
import yaml

from models import paper
from models.errors import ChocoError
from models.parameters import ParameterSet

DIRECTORY = Path(__file__).parents[2] / "results" / "paper"
NETWORKS = ("lenet_sm", "lenet_lg", "sqznet", "vgg16")


@pytest.fixture(scope="module")
def data() -> paper.PaperData:
    return paper.load(DIRECTORY)


def rounds_to(value: float, printed: float, digits: int) -> bool:
    return abs(value - printed) <= 0.5 * 10**-digits + 1e-9


def test_holds_every_cell_of_the_numeric_tables(data):
    by_table = {
        n: [c for c in data.claims if c.where == f"Table {n}" and c.id.startswith(f"table{n}")]
        for n in (1, 3, 4, 5)
    }
    assert {n: len(claims) for n, claims in by_table.items()} == {
        1: 7,
        3: 3 * 5 - 1,  # set C is CKKS and has no plaintext modulus
        4: 6 * 3,
        5: 4 * 11,
    }
    assert len(data.claims) >= 80


@pytest.mark.parametrize(
    "sides",
    [
        ("client_compute_speedup", "client_compute_speedup_section_5_5"),
        ("talk_client_compute_speedup", "client_compute_speedup_section_5_5"),
        ("ckks_encrypt_speedup", "derived_ckks_encrypt_speedup_from_times"),
        ("ckks_encrypt_speedup", "derived_ckks_encrypt_speedup_by_method"),
        ("table3_c_log2_q", "table3_c_coeff_modulus_bits"),
        ("communication_reduction_minimum", "derived_communication_reduction_xonn"),
        ("communication_time_overhead", "talk_software_overhead"),
        ("talk_accelerator_power", "derived_accelerator_power"),
        ("table5_vgg16_macs", "derived_vgg16_macs"),
        ("prng_average_rate", "derived_prng_average_rate"),
    ],
)
def test_each_contradiction_has_both_sides(data, sides):
    one, other = (data[side] for side in sides)
    assert other.id in one.contradicts
    assert one.id in other.contradicts
    assert one.note
    assert other.note
    if one.id != "communication_time_overhead":  # these two clash through a third quantity
        assert one.value != other.value


def test_contradicting_sides_differ_by_more_than_a_rounding_of_the_derived_one(data):
    """A derived value is linked as a contradiction only if the printed one is no rounding of it."""
    for claim in data.claims:
        if claim.source == "derived":
            for other in claim.contradicts:
                digits = len(f"{data.value(other):g}".partition(".")[2])
                assert not rounds_to(claim.value, data.value(other), digits), claim.id


@pytest.mark.parametrize("label", "abc")
def test_table_3_sizes_follow_from_the_definition(data, label):
    n = int(data.value(f"table3_{label}_poly_modulus_degree"))
    primes = tuple(map(int, data[f"table3_{label}_coeff_modulus_bits"].parts))
    parameters = ParameterSet(
        scheme="ckks", poly_modulus_degree=n, coeff_modulus_bits=primes, scale_bits=30
    )
    assert parameters.ciphertext_bytes() == data.value(f"table3_{label}_ciphertext_bytes")
    assert parameters.log2_q == data.value(f"table3_{label}_coeff_modulus_bits")


def test_table_4_falls_with_plain_modulus_and_with_every_operation(data):
    for n, bits in ((8192, (20, 23, 28)), (4096, (16, 18, 20))):
        budgets = [
            [data.value(f"table4_{n}_{t}_{s}") for s in ("initial", "post_rotate", "post_permute")]
            for t in bits
        ]
        assert all(row == sorted(row, reverse=True) for row in budgets)
        by_state = [list(column) for column in zip(*budgets, strict=True)]
        assert all(column == sorted(column, reverse=True) for column in by_state)


def test_table_4_initial_budget_falls_by_two_bits_for_each_bit_of_the_plain_modulus(data):
    """One bit by definition and one more by the way SEAL before 3.4.3 counted."""
    for n, (low, high) in ((8192, (20, 28)), (4096, (16, 20))):
        fall = data.value(f"table4_{n}_{low}_initial") - data.value(f"table4_{n}_{high}_initial")
        assert fall == 2 * (high - low)


def test_table_5_communication_is_whole_ciphertexts_in_decimal_megabytes(data):
    unit = data.value("table3_b_ciphertext_bytes") / 1e6
    for network, digits in zip(NETWORKS, (2, 1, 1, 1), strict=True):
        printed = data.value(f"table5_{network}_communication")
        assert rounds_to(round(printed / unit) * unit, printed, digits), network


def test_table_5_four_bit_models_take_at_least_half_a_byte_per_weight(data):
    """They are a quarter of the floating point models: stored one byte a weight."""
    for network in NETWORKS[1:]:
        ratio = data.value(f"table5_{network}_model_size_4_bit") / data.value(
            f"table5_{network}_model_size_float"
        )
        assert 1 / 8 < ratio < 0.3, network


@pytest.mark.parametrize(
    ("factors", "result", "tolerance"),
    [
        (("talk_software_overhead_maximum", "talk_software_speedup_worst_network"), 180, 0.005),
        (
            ("talk_client_compute_speedup_maximum", "talk_software_speedup_worst_network"),
            341,
            0.005,
        ),
        (("talk_fpga_overhead_maximum", "talk_fpga_speedup"), 96.3, 0.01),
        (("talk_speedup_over_fpga_maximum", "talk_fpga_speedup"), 182, 0.01),
        (("derived_fpga_speedup", "fpga_overhead"), 62.5, 0.005),
    ],
)
def test_ratios_of_the_talk_multiply(data, factors, result, tolerance):
    assert prod(map(data.value, factors)) == pytest.approx(result, rel=tolerance)


def test_derived_values_follow_from_the_claims_they_name(data):
    v = data.value
    samples = v("table3_a_poly_modulus_degree") * (
        v("ternary_sample_size") + 2 * v("normal_sample_size")
    )
    expected = {
        "client_encrypt_time": v("accelerator_encrypt_time") * v("encrypt_speedup"),
        "client_encrypt_energy": v("accelerator_encrypt_energy") * v("encrypt_energy_gain"),
        "client_encrypt_time_from_energy": 1000
        * v("accelerator_encrypt_energy")
        * v("encrypt_energy_gain")
        / v("client_active_power"),
        "client_decrypt_time": v("accelerator_decrypt_time") * v("decrypt_speedup"),
        "accelerator_power": 1000 * v("accelerator_encrypt_energy") / v("accelerator_encrypt_time"),
        "prng_average_rate": samples / (v("accelerator_encrypt_time") * 1e-3) / 1e6,
        "ckks_encrypt_speedup_from_times": v("ckks_encrypt_software_time")
        / v("ckks_encrypt_accelerated_time"),
        "ckks_encrypt_speedup_by_method": amdahl(
            v("ckks_encrypt_supported_share"), v("encrypt_speedup")
        ),
        "ckks_decrypt_speedup_by_method": amdahl(
            v("ckks_decrypt_supported_share"), v("decrypt_speedup")
        ),
        "communication_reduction_xonn": 32.13 / v("table5_lenet_lg_communication"),
        "vgg16_macs": vgg16_macs() / 1e6,
        "vgg16_macs_per_megabyte": v("table5_vgg16_macs") / v("table5_vgg16_communication"),
        "sqznet_macs_per_megabyte": v("table5_sqznet_macs") / v("table5_sqznet_communication"),
        "local_inference_rate": v("table5_vgg16_macs") / local_vgg16_time_s(v),
        "heax_speedup": v("client_compute_speedup") / v("client_compute_speedup_over_heax"),
        "fpga_speedup": v("client_compute_speedup") / v("client_compute_speedup_over_fpga"),
    }
    for network in NETWORKS:
        seconds = 8 * v(f"table5_{network}_communication") / v("radio_bit_rate")
        expected[f"{network}_communication_time"] = seconds
        expected[f"{network}_communication_energy"] = seconds * v("radio_power")
    derived = {c.id.removeprefix("derived_"): c.value for c in data.claims if c.derived_from}
    assert derived == pytest.approx(expected, rel=5e-4)


def local_vgg16_time_s(v):
    """Solve Section 5.7's energy saving and the talk's largest gain for VGG16's local time."""
    ciphertexts = v("table5_vgg16_communication") * 1e6 / v("table3_a_ciphertext_bytes")
    hidden_mj = v("accelerator_encrypt_energy") * ciphertexts
    busy_ms = ciphertexts * (v("accelerator_encrypt_time") + v("accelerator_decrypt_time")) / 2
    power_w, gain = v("client_active_power") / 1e3, v("talk_speedup_over_local_maximum")
    # unknowns: local time and the client's other work, in ms
    matrix = [[(1 - v("vgg16_energy_saving") / 100) * power_w, -power_w], [1, -gain]]
    constants = [v("derived_vgg16_communication_energy") + hidden_mj, gain * busy_ms]
    local_ms, _ = np.linalg.solve(matrix, constants)
    return local_ms / 1e3


def amdahl(supported_percent: float, speedup: float) -> float:
    share = supported_percent / 100
    return 1 / (1 - share + share / speedup)


def vgg16_macs() -> int:
    width, channels, macs = 32, 3, 0
    for stage in ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512)):
        for out in stage:
            macs += 9 * channels * out * width**2
            channels = out
        width //= 2
    return macs + 512 * 512 + 512 * 10


def test_two_ways_to_the_software_encryption_time_agree(data):
    by_energy = data.value("derived_client_encrypt_time_from_energy")
    assert by_energy == pytest.approx(data.value("derived_client_encrypt_time"), rel=0.005)


def test_unknown_id_names_the_nearest(data):
    with pytest.raises(ChocoError, match=r"no claim 'encrypt_speedups'.*'encrypt_speedup'"):
        data.value("encrypt_speedups")


CLAIM = {"id": "one", "where": "Section 1", "statement": "Some", "value": 1, "unit": "ms"}


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ([CLAIM, CLAIM], "two claims have the id 'one'"),
        ([CLAIM | {"unit": "furlong"}], "claim one: 0.unit: 'furlong' is not allowed"),
        ([CLAIM | {"valeu": 2}], "claim one: 0.valeu: unknown key"),
        ([CLAIM | {"id": "No Id"}], "'No Id' is not allowed"),
        ([CLAIM | {"parts": [1, 2]}], "1 is not the sum of parts"),
        ([CLAIM | {"source": "derived"}], "derived_from: needed"),
        ([CLAIM | {"contradicts": ["two"], "note": "n"}], "one refers to 'two', which is no other"),
        ([CLAIM | {"contradicts": ["one"], "note": "n"}], "one refers to 'one', which is no other"),
        (
            [CLAIM | {"contradicts": ["two"], "note": "n"}, CLAIM | {"id": "two"}],
            "one contradicts two, but two does not say so",
        ),
        ([CLAIM | {"contradicts": ["two"]}, CLAIM | {"id": "two"}], "note: needed"),
        ({"one": CLAIM}, "is not allowed"),
    ],
)
def test_bad_data_is_refused_in_one_line(tmp_path, claims, message):
    (tmp_path / "bad.yaml").write_text(yaml.safe_dump(claims))
    with pytest.raises(ChocoError) as error:
        paper.load(tmp_path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_no_files_and_no_yaml_are_refused(tmp_path):
    with pytest.raises(ChocoError, match=r"no \*\.yaml file"):
        paper.load(tmp_path)
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ChocoError, match=r"bad\.yaml: not YAML"):
        paper.load(tmp_path)
