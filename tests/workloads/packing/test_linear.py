"""Encrypted linear layers equal the integers computed by SciPy and NumPy, for random shapes."""

from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.signal import correlate

from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.he import seal
from workloads.packing.convolution import ConvolutionPlan
from workloads.packing.evaluator import CountingEvaluator, make_galois_keys
from workloads.packing.masked_convolution import MaskedConvolutionPlan
from workloads.packing.matvec import FullyConnectedPlan

SET_B = ParameterSet(
    scheme="bfv", poly_modulus_degree=4096, coeff_modulus_bits=(36, 36, 37), plain_modulus_bits=18
)
ROW = 2048
FEW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


DEEP = ParameterSet(
    scheme="bfv", poly_modulus_degree=8192, coeff_modulus_bits=(58, 58, 59), plain_modulus_bits=18
)


@pytest.fixture(scope="module")
def party():
    return make_party(SET_B)


@pytest.fixture(scope="module")
def deep_party():
    return make_party(DEEP)


def make_party(parameters):
    context = he.context(parameters)
    generator = seal.KeyGenerator(context)
    return SimpleNamespace(
        context=context,
        generator=generator,
        encryptor=seal.Encryptor(context, generator.create_public_key()),
        decryptor=seal.Decryptor(context, generator.secret_key()),
        encoder=seal.BatchEncoder(context),
    )


def run_encrypted(party, plan, values, weights, bias, *, keep=True):
    """Return the decrypted result, the smallest budget and the operation counts."""
    evaluator = CountingEvaluator(party.context)
    evaluator.galois_keys = make_galois_keys(party.generator, plan.rotation_steps)
    operator = plan.encode(evaluator, weights, bias, keep=keep)
    packed = plan.pack(values)
    assert len(packed) == plan.input_ciphertexts
    results = operator.apply(
        [party.encryptor.encrypt(party.encoder.encode(p.reshape(-1))) for p in packed]
    )
    assert len(results) == plan.output_ciphertexts
    budget = min(party.decryptor.invariant_noise_budget(r) for r in results)
    slots = [party.encoder.decode(party.decryptor.decrypt(r)).reshape(2, -1) for r in results]
    return plan.unpack(slots), budget, evaluator.take_counts()


def reference_convolution(values, weights, bias, stride, padding):
    padded = np.pad(values, ((0, 0), (padding, padding), (padding, padding)))
    full = [correlate(padded, w, mode="valid")[0] for w in weights]
    return np.stack(full)[:, ::stride, ::stride] + bias[:, None, None]


@st.composite
def convolutions(draw, row_size=ROW):
    """Planes of all sizes, with so many channels that rows and ciphertexts are shared or not."""
    kernel = draw(st.integers(1, 5))
    side = st.integers(kernel, draw(st.sampled_from((6, 15, 30))))
    height, width = draw(side), draw(side)
    planes = 2 * row_size // 2 ** (height * width - 1).bit_length()
    return ConvolutionPlan(
        name="conv",
        row_size=row_size,
        channels=draw(st.integers(1, min(2 * planes + 3, 40))),
        height=height,
        width=width,
        out_channels=draw(st.integers(1, min(2 * planes + 3, 40))),
        kernel=kernel,
        stride=draw(st.integers(1, 3)),
        padding=draw(st.integers(0, (kernel - 1) // 2)),
    )


@FEW
@given(plan=convolutions(), seed=st.integers(0, 2**32 - 1), keep=st.booleans())
@example(ConvolutionPlan("rows differ, unfolded", ROW, 9, 16, 16, 21, 3, 1, 1), 1, False)
@example(ConvolutionPlan("folded in the row", ROW, 33, 8, 8, 5, 3, 2, 1), 2, True)
@example(ConvolutionPlan("folded, more outputs", ROW, 3, 8, 8, 11, 3), 3, True)
@example(ConvolutionPlan("a plane a row", ROW, 3, 40, 40, 3, 3), 4, True)
@example(ConvolutionPlan("dense outputs", ROW, 3, 28, 28, 6, 5), 5, True)
def test_convolution_equals_scipy_exactly(party, plan, seed, keep):
    rng = np.random.default_rng(seed)
    values = rng.integers(-15, 16, (plan.channels, plan.height, plan.width))
    weights = rng.integers(-7, 8, (plan.out_channels, plan.channels, plan.kernel, plan.kernel))
    weights[:, 0, 0, 0] = 1  # never nothing but zeros behind a result
    bias = rng.integers(-100, 101, plan.out_channels)
    result, budget, counts = run_encrypted(party, plan, values, weights, bias, keep=keep)
    expected = reference_convolution(values, weights, bias, plan.stride, plan.padding)
    np.testing.assert_array_equal(result, expected)
    assert counts["plain_additions"] == plan.output_ciphertexts
    assert counts["plain_multiplications"] <= plan.products
    assert budget >= plan.noise(SET_B).budget_bits - 2


@settings(parent=FEW, max_examples=5)
@given(plan=convolutions(4096), seed=st.integers(0, 2**32 - 1))
def test_masked_convolution_is_exact_and_costs_a_product_more(deep_party, plan, seed):
    masked = MaskedConvolutionPlan(**asdict(plan))
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (plan.channels, plan.height, plan.width))
    weights = rng.integers(-1, 2, (plan.out_channels, plan.channels, plan.kernel, plan.kernel))
    weights[:, 0] = 1
    bias = rng.integers(-100, 101, plan.out_channels)
    result, budget, _ = run_encrypted(deep_party, masked, values, weights, bias)
    expected = reference_convolution(values, weights, bias, plan.stride, plan.padding)
    np.testing.assert_array_equal(result, expected)
    assert budget >= masked.noise(DEEP).budget_bits - 2
    if plan.kernel > 1:
        assert masked.noise(DEEP).budget_bits < plan.noise(DEEP).budget_bits


@st.composite
def matrices(draw):
    return FullyConnectedPlan(
        name="fc",
        row_size=ROW,
        in_features=draw(st.integers(1, 9000)),
        out_features=draw(st.integers(1, 70)),
    )


@FEW
@given(plan=matrices(), seed=st.integers(0, 2**32 - 1), keep=st.booleans())
@example(FullyConnectedPlan("rows differ", ROW, 3136, 130), 1, False)
@example(FullyConnectedPlan("square", ROW, 512, 512), 2, True)
def test_fully_connected_equals_numpy_exactly(party, plan, seed, keep):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 16, plan.in_features)
    weights = rng.integers(-1, 2, (plan.out_features, plan.in_features))
    weights[0, 0] = 1
    bias = rng.integers(-100, 101, plan.out_features)
    result, budget, counts = run_encrypted(party, plan, values, weights, bias, keep=keep)
    np.testing.assert_array_equal(result, weights @ values + bias)
    assert counts["plain_multiplications"] <= plan.products
    assert budget >= plan.noise(SET_B).budget_bits - 2


def test_baby_and_giant_steps_replace_rotations_by_their_square_root(party):
    plan = FullyConnectedPlan("fc", ROW, 3136, 256)
    rng = np.random.default_rng(0)
    weights, values = rng.integers(-1, 2, (256, 3136)), rng.integers(0, 16, 3136)
    result, _, counts = run_encrypted(party, plan, values, weights, np.zeros(256, dtype=np.int64))
    np.testing.assert_array_equal(result, weights @ values)
    assert counts["plain_multiplications"] == 256
    steps = plan.baby_steps + plan.giant_steps
    assert counts["rotations"] == steps - 2 + len(plan.fold_steps) + 1  # the swap of the rows
    assert steps <= 2 * 256**0.5 + 2


def test_planes_that_fill_a_ciphertext_waste_no_product():
    """out_channels x channels x kernel^2 over the planes of a ciphertext; nothing less will do."""
    for shape in [(64, 8, 8, 128), (128, 8, 8, 32), (512, 2, 2, 512), (256, 4, 4, 256)]:
        channels, height, width, outputs = shape
        plan = ConvolutionPlan("conv", ROW, channels, height, width, outputs, 3, 1, 1)
        planes = 2 * ROW // (height * width)
        assert plan.products == outputs * channels * 9 / planes
        assert plan.input_ciphertexts == max(1, channels / planes)
        assert plan.output_ciphertexts == max(1, outputs / planes)


def test_sparse_weights_skip_products_and_keep_the_result(party):
    plan = ConvolutionPlan("conv", ROW, 3, 10, 10, 5, 3)
    weights = np.zeros((5, 3, 3, 3), dtype=np.int64)
    weights[4, 2, 1, 1] = 3
    values = np.arange(300).reshape(3, 10, 10)
    bias = np.arange(5)
    result, _, counts = run_encrypted(party, plan, values, weights, bias)
    np.testing.assert_array_equal(result, reference_convolution(values, weights, bias, 1, 0))
    assert counts["plain_multiplications"] == 1


def test_one_product_for_a_matrix_that_fits_the_copies(party):
    plan = FullyConnectedPlan("fc", ROW, 256, 10)
    rng = np.random.default_rng(0)
    weights = rng.integers(-7, 8, (10, 256))
    values = rng.integers(0, 16, 256)
    result, _, counts = run_encrypted(party, plan, values, weights, np.zeros(10, dtype=np.int64))
    np.testing.assert_array_equal(result, weights @ values)
    assert counts["plain_multiplications"] == 1
    assert counts["rotations"] == len(plan.fold_steps)


def test_closer_packing_only_where_it_saves_a_ciphertext():
    assert ConvolutionPlan("conv", ROW, 1, 28, 28, 6, 5).output_ciphertexts == 1
    assert ConvolutionPlan("conv", ROW, 1, 28, 28, 4, 5).pitch == 1024
    assert ConvolutionPlan("conv", ROW, 1, 28, 28, 7, 5).output_ciphertexts == 2


@pytest.mark.parametrize("make", [ConvolutionPlan, FullyConnectedPlan])
def test_all_zero_weights_are_refused(party, make):
    conv = make is ConvolutionPlan
    plan = make("layer9", ROW, 1, 8, 8, 2, 3) if conv else make("layer9", ROW, 8, 2)
    weights = np.zeros((2, 1, 3, 3) if conv else (2, 8), dtype=np.int64)
    with pytest.raises(ChocoError, match=r"layer9: all weights behind output ciphertext 0"):
        plan.encode(CountingEvaluator(party.context), weights, np.zeros(2, dtype=np.int64))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 50, 50, 1, 3), "needs 4096 slots; a row has 2048"),
        ((1, 4, 4, 1, 5), "kernel 5 with padding 0 does not fit 4x4"),
        ((1, 4, 4, 1, 3, 1, 2), "padding must be below half the kernel"),
    ],
)
def test_impossible_convolutions_are_refused(arguments, message):
    with pytest.raises(ChocoError, match=message):
        ConvolutionPlan("conv1", ROW, *arguments)


def test_too_many_outputs_are_refused():
    with pytest.raises(ChocoError, match="fc: 5000 outputs do not fit; at most 4096"):
        FullyConnectedPlan("fc", ROW, 2048, 5000)


def test_a_wrong_shape_is_refused():
    with pytest.raises(ChocoError, match=r"conv: input: shape \(1, 4, 5\) is not \(1, 4, 4\)"):
        ConvolutionPlan("conv", ROW, 1, 4, 4, 1, 3).pack(np.zeros((1, 4, 5), dtype=np.int64))


def test_rotation_without_keys_is_refused(party):
    evaluator = CountingEvaluator(party.context)
    ciphertext = party.encryptor.encrypt(party.encoder.encode(np.ones(4096, dtype=np.int64)))
    with pytest.raises(ChocoError, match="client must send its evaluation keys first"):
        evaluator.rotate(ciphertext, 1)
