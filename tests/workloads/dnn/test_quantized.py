"""The integer network against SciPy, exact fractions and brute force."""

from collections import Counter
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.signal import correlate

from models.errors import ChocoError
from workloads.dnn.network import Network
from workloads.dnn.plain import (
    apply_nonlinear,
    average_pool,
    divide_rounded,
    max_pool,
    requantize,
)
from workloads.dnn.quantized import QuantizedLayer, QuantizedNetwork, Scale, convolve
from workloads.dnn.weights_file import load_weights, save_weights

NETWORK = Network.model_validate(
    {
        "name": "tiny",
        "input": {"channels": 2, "height": 6, "width": 5},
        "layers": [
            {"kind": "convolution", "name": "conv", "out_channels": 3, "kernel": 3, "padding": 1},
            {"kind": "relu"},
            {"kind": "max_pool", "size": 2},
            {"kind": "fully_connected", "name": "fc", "out_features": 4},
        ],
    }
)


def tiny(seed=0):
    rng = np.random.default_rng(seed)
    layers = (
        QuantizedLayer(
            rng.integers(-7, 8, (3, 2, 3, 3)), rng.integers(-20, 21, 3), Scale.nearest(0.03)
        ),
        QuantizedLayer(rng.integers(-7, 8, (4, 18)), rng.integers(-20, 21, 4), None),
    )
    return QuantizedNetwork(NETWORK, 4, 4, layers, {"seed": seed})


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 2))
def test_convolution_equals_scipy(seed, stride, padding):
    rng = np.random.default_rng(seed)
    values, weights = rng.integers(-99, 99, (3, 8, 7)), rng.integers(-99, 99, (2, 3, 5, 5))
    padded = np.pad(values, ((0, 0), (padding, padding), (padding, padding)))
    expected = [correlate(padded, w, mode="valid")[0, ::stride, ::stride] for w in weights]
    np.testing.assert_array_equal(convolve(values, weights, stride, padding), expected)


def half_away(value):
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


@given(st.integers(-(2**40), 2**40), st.integers(1, 2**20))
def test_division_rounds_halves_away_from_zero(value, divisor):
    result = divide_rounded(np.array([value]), divisor)
    assert result[0] == half_away(Fraction(value, divisor))


@given(st.integers(-(2**20), 2**20), st.floats(1e-5, 0.5), st.integers(2, 8))
def test_requantization_is_the_rounded_clipped_product(value, factor, bits):
    scale = Scale.nearest(factor)
    exact = half_away(value * Fraction(scale.multiplier, 2**scale.shift))
    result = requantize(np.array([value]), scale.multiplier, scale.shift, bits)
    assert result[0] == min(max(exact, 0), 2**bits - 1)
    assert scale.multiplier / 2**scale.shift == pytest.approx(factor, rel=2**-15)


@given(arrays(np.int64, (2, 7, 6), elements=st.integers(-50, 50)))
def test_pooling_takes_the_maximum_of_each_window(values):
    pooled = max_pool(values, 3, 2)
    assert pooled.shape == (2, 3, 2)
    for c, y, x in np.ndindex(pooled.shape):
        assert pooled[c, y, x] == max(
            values[c, 2 * y + dy, 2 * x + dx] for dy in range(3) for dx in range(3)
        )


@given(arrays(np.int64, (2, 7, 6), elements=st.integers(-50, 50)), st.integers(0, 1))
def test_padding_is_never_the_maximum(values, padding):
    pooled = max_pool(values, 3, 2, padding)
    side = 2 * padding - 3
    assert pooled.shape == (2, (7 + side) // 2 + 1, (6 + side) // 2 + 1)
    for c, y, x in np.ndindex(pooled.shape):
        top, left = 2 * y - padding, 2 * x - padding
        window = values[c, max(top, 0) : top + 3, max(left, 0) : left + 3]
        assert pooled[c, y, x] == window.max()


@given(arrays(np.int64, (2, 6, 4), elements=st.integers(-(2**40), 2**40)))
def test_average_pooling_rounds_the_mean_of_each_window(values):
    pooled = average_pool(values, 2, 2)
    assert pooled.shape == (2, 3, 2)
    for c, y, x in np.ndindex(pooled.shape):
        window = values[c, 2 * y : 2 * y + 2, 2 * x : 2 * x + 2]
        assert pooled[c, y, x] == half_away(Fraction(int(window.sum()), 4))


def test_plain_operations_count_the_elements_they_read():
    counts = Counter()
    apply_nonlinear(np.ones((3, 6, 5), dtype=np.int64), NETWORK.steps[0].nonlinear, counts)
    assert counts == {"relu": 90, "max_pool": 90}


def test_logits_follow_the_layers_one_by_one():
    quantized = tiny()
    image = np.random.default_rng(5).integers(0, 16, (2, 6, 5))
    conv, fc = quantized.layers
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    planes = np.stack([correlate(padded, w, mode="valid")[0] for w in conv.weights])
    planes = np.maximum(planes + conv.bias[:, None, None], 0)[:, :6, :4]
    pooled = planes.reshape(3, 3, 2, 2, 2).max(axis=(2, 4))
    factor = Fraction(conv.scale.multiplier, 2**conv.scale.shift)
    hidden = np.array([min(half_away(int(v) * factor), 15) for v in pooled.reshape(-1)])
    np.testing.assert_array_equal(quantized.logits(image), fc.weights @ hidden + fc.bias)


@given(st.integers(0, 2**32 - 1))
def test_accumulators_reach_their_bound_and_never_more(seed):
    rng = np.random.default_rng(seed)
    layer = QuantizedLayer(rng.integers(-7, 8, (3, 6)), rng.integers(-9, 10, 3), None)
    corners = np.array(list(np.ndindex((2,) * 6))) * 15  # extremes are taken at the corners
    assert np.abs(layer.weights @ corners.T + layer.bias[:, None]).max() == layer.accumulator_bound(
        15
    )


def test_a_plain_modulus_below_the_accumulators_is_refused_by_layer():
    quantized = tiny()
    bounds = [layer.accumulator_bound(15) for layer in quantized.layers]
    quantized.check_plain_modulus(2 * max(bounds) + 1)
    with pytest.raises(ChocoError, match=rf"tiny: \w+: .*{max(bounds)} .*t = {2 * max(bounds)}"):
        quantized.check_plain_modulus(2 * max(bounds))


def test_weights_that_do_not_fit_are_refused():
    conv, fc = tiny().layers
    with pytest.raises(ChocoError, match="conv: weights exceed 3"):
        QuantizedNetwork(NETWORK, 3, 4, (conv, fc))
    with pytest.raises(ChocoError, match="weights for 1 layers, not 2"):
        QuantizedNetwork(NETWORK, 4, 4, (conv,))
    with pytest.raises(ChocoError, match="fc: weights and bias are"):
        QuantizedNetwork(NETWORK, 4, 4, (conv, QuantizedLayer(fc.weights[:, :5], fc.bias, None)))
    with pytest.raises(ChocoError, match="every layer but the last needs"):
        QuantizedNetwork(NETWORK, 4, 4, (QuantizedLayer(conv.weights, conv.bias, None), fc))


def test_weight_file_round_trip_is_byte_stable(tmp_path, monkeypatch):
    quantized = tiny()
    save_weights(quantized, tmp_path / "a.npz")
    monkeypatch.setattr("time.time", lambda: 2e9)
    save_weights(load_weights(tmp_path / "a.npz", NETWORK), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    image = np.full((2, 6, 5), 9)
    again = load_weights(tmp_path / "b.npz", NETWORK)
    np.testing.assert_array_equal(again.logits(image), quantized.logits(image))
    assert again.metadata == {"seed": 0}


@pytest.mark.parametrize("bits", [2, 4, 5, 8])
def test_weight_files_hold_every_weight_of_their_bits(tmp_path, bits):
    largest = 2 ** (bits - 1) - 1
    rng = np.random.default_rng(1)
    drawn = tuple(
        QuantizedLayer(
            rng.integers(-largest, largest + 1, layer.weights.shape), layer.bias, layer.scale
        )
        for layer in tiny().layers
    )
    save_weights(QuantizedNetwork(NETWORK, bits, 4, drawn), tmp_path / "a.npz")
    again = load_weights(tmp_path / "a.npz", NETWORK)
    for ours, theirs in zip(drawn, again.layers, strict=True):
        np.testing.assert_array_equal(ours.weights, theirs.weights)


def test_wrong_weight_files_are_refused(tmp_path):
    save_weights(tiny(), tmp_path / "a.npz")
    with pytest.raises(ChocoError, match="no such weight file"):
        load_weights(tmp_path / "none.npz", NETWORK)
    other = Network.model_validate(NETWORK.model_dump() | {"name": "other"})
    with pytest.raises(ChocoError, match="weights of another network than other"):
        load_weights(tmp_path / "a.npz", other)
    data = (tmp_path / "a.npz").read_bytes()
    for damaged in (b"", b"junk", data[: len(data) // 2], data[:1500] + b"xx" + data[1502:]):
        (tmp_path / "bad.npz").write_bytes(damaged)
        with pytest.raises(ChocoError, match="not a weight file"):
            load_weights(tmp_path / "bad.npz", NETWORK)
