"""The configuration: documented files in step, and one-line errors."""

import difflib
from pathlib import Path

import jsonschema
import pytest
import yaml

from models import config, config_docs
from models.errors import ChocoError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("path", "generated"),
    [
        (config_docs.SCHEMA, config_docs.json_schema),
        (
            config_docs.MANUAL,
            lambda: config_docs.manual_with_keys((ROOT / config_docs.MANUAL).read_text()),
        ),
    ],
)
def test_documentation_follows_the_models(path, generated):
    committed = (ROOT / path).read_text().splitlines()
    difference = "\n".join(difflib.unified_diff(committed, generated().splitlines(), lineterm=""))
    assert not difference, f"{path} is out of step; run `choco config write`\n{difference}"


def test_configuration_file_names_every_key_with_its_meaning():
    """Values are the user's to change; keys and comments follow the models."""

    def keys_and_comments(text: str) -> list[str]:
        lines = (line.strip() for line in text.splitlines())
        return [line if line.startswith("#") else line.partition(":")[0] for line in lines]

    committed = keys_and_comments((ROOT / config_docs.DEFAULTS).read_text())
    for line in keys_and_comments(config_docs.default_yaml()):
        if not line.startswith(("- ", "A", "B", "C")):
            assert line in committed, f"{line!r} is missing; run `choco config write`"


def test_committed_configuration_is_valid_and_fits_its_schema():
    data = yaml.safe_load((ROOT / config_docs.DEFAULTS).read_text())
    jsonschema.validate(data, config.Config.model_json_schema())
    config.validate(data)


def test_default_file_means_the_defaults():
    assert config.validate(yaml.safe_load(config_docs.default_yaml())) == config.Config()


def _set_b(**changes):
    b = {
        "scheme": "bfv",
        "poly_modulus_degree": 4096,
        "coeff_modulus_bits": [36, 36, 37],
        "plain_modulus_bits": 18,
    }
    return {"parameter_sets": {"B": b | changes}}


@pytest.mark.parametrize(
    ("data", "key", "value", "allowed"),
    [
        ({"sed": 1}, "sed", "unknown key", "'seed'"),
        ({"client": {"clok_hz": 1}}, "client.clok_hz", "unknown key", "'clock_hz'"),
        (_set_b(sheme="bfv"), "parameter_sets.B.sheme", "unknown key", "'scheme'"),
        ({"client": {"clock_hz": "fast"}}, "client.clock_hz", "'fast'", "number"),
        ({"radio": {"power_w": -1}}, "radio.power_w", "-1", "greater than 0"),
        ({"providers": {"gem5": "yes"}}, "providers.gem5", "'yes'", "'live' or 'recorded'"),
        (_set_b(poly_modulus_degree=5000), "poly_modulus_degree", "5000", "power of two"),
        (_set_b(coeff_modulus_bits=[36, 36, 38]), "coeff_modulus_bits", "110", "at most 109"),
        (_set_b(coeff_modulus_bits=[36, 10]), "coeff_modulus_bits", "10 bits", "at least 14"),
        (_set_b(plain_modulus=65536), "plain_modulus", "65536", "prime that is 1 modulo"),
        (_set_b(plain_modulus=40961), "plain_modulus", "plain_modulus_bits", "one of"),
        ({"security_bits": 256}, "parameter_sets.A", "175", "at most 118"),
        ({"security_bits": 100}, "security_bits", "100", "128, 192 or 256"),
        ({"networks": {"lenet_sm": {"parameter_set": "C"}}}, "lenet_sm.parameter_set", "C", "A, B"),
    ],
)
def test_errors_name_key_value_and_what_is_allowed(data, key, value, allowed):
    with pytest.raises(ChocoError) as error:
        config.validate(data)
    message = str(error.value)
    assert "\n" not in message
    assert key in message
    assert value in message
    assert allowed in message


@pytest.mark.parametrize("content", ["a: [", "just text", None])
def test_unreadable_file_is_one_line(tmp_path, content):
    path = tmp_path / "config.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ChocoError) as error:
        config.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
