"""The noise model against measured ciphertexts of SEAL, and its own rules."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import noise
from models.config.workloads import Noise as NoiseStudy
from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he, noise_budget
from workloads.he import seal

TOLERANCE_BITS = 2
ROWS = NoiseStudy().rows
A = ROWS[0]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_prediction_of_table_4_is_what_seal_measures(row):
    chosen = row
    measured = noise_budget.measure(chosen, seed_value=7)
    fresh = noise.fresh(chosen)
    predicted = {
        "initial": fresh,
        "post_rotate": noise.rotate(fresh),
        "post_permute": noise.rotate_window(fresh),
    }
    for state, budget_bits in measured.items():
        # SEAL rounds down, so its budget lies half a bit under the prediction on average.
        assert budget_bits == pytest.approx(predicted[state].budget_bits - 0.5, abs=TOLERANCE_BITS)


@pytest.fixture(scope="module")
def session():
    """Return encoder, encryptor, decryptor, evaluator and Galois keys of a chain of four primes."""
    he.seed(11)
    chosen = ParameterSet(
        scheme="bfv",
        poly_modulus_degree=8192,
        coeff_modulus_bits=(40, 45, 50, 55),
        plain_modulus_bits=20,
    )
    context = he.context(chosen)
    keys = seal.KeyGenerator(context)
    galois_keys = seal.GaloisKeys()
    keys.create_galois_keys([1, 2, 4], galois_keys)
    encoder = seal.BatchEncoder(context)
    encryptor = seal.Encryptor(context, keys.create_public_key())
    decryptor = seal.Decryptor(context, keys.secret_key())
    return chosen, encoder, encryptor, decryptor, seal.Evaluator(context), galois_keys


def random_plain(session, seed):
    chosen, encoder, *_ = session
    random = np.random.default_rng(seed)
    values = random.integers(
        0, chosen.batching_modulus, chosen.poly_modulus_degree, dtype=np.uint64
    )
    return encoder.encode(values)


def assert_budget(session, ciphertext, predicted):
    measured = session[3].invariant_noise_budget(ciphertext)
    assert measured == pytest.approx(predicted.budget_bits - 0.5, abs=TOLERANCE_BITS)
    assert ciphertext.coeff_modulus_size() == predicted.residues


def test_operations_compose_as_on_seal(session):
    """A layer of a network: rotate, multiply by weights, accumulate, drop primes, rotate again."""
    chosen, _, encryptor, _, evaluator, galois_keys = session
    fresh = encryptor.encrypt(random_plain(session, 0))
    predicted = noise.fresh(chosen)
    assert_budget(session, fresh, predicted)

    terms = [
        evaluator.multiply_plain(
            evaluator.rotate_rows(fresh, steps, galois_keys), random_plain(session, steps)
        )
        for steps in (1, 2, 4)
    ]
    term = noise.multiply_plain(noise.rotate(predicted))
    assert_budget(session, terms[0], term)

    total = evaluator.add_many(terms)
    summed = noise.add(term, term, term)
    assert_budget(session, total, summed)

    for residues in (2, 1):
        evaluator.mod_switch_to_next_inplace(total)
        assert_budget(session, total, noise.switch_modulus(summed, residues))


def test_dropping_primes_from_a_fresh_ciphertext_costs_their_bits(session):
    chosen, _, encryptor, _, evaluator, galois_keys = session
    small = encryptor.encrypt(random_plain(session, 1))
    evaluator.mod_switch_to_next_inplace(small)
    predicted = noise.switch_modulus(noise.fresh(chosen), 2)
    assert_budget(session, small, predicted)
    rotated = evaluator.rotate_rows(small, 1, galois_keys)
    assert_budget(session, rotated, noise.rotate(predicted))


def test_product_with_a_small_plaintext_grows_by_its_own_size(session):
    chosen, _, encryptor, _, evaluator, _ = session
    ternary = np.random.default_rng(5).integers(0, 3, chosen.poly_modulus_degree)
    terms = [f"{c}x^{i}" for i, c in enumerate(ternary) if c and i]  # hexadecimal, as 0 to 2 are
    plain = seal.Plaintext(" + ".join(reversed(terms)))
    product = evaluator.multiply_plain(encryptor.encrypt(random_plain(session, 2)), plain)
    mean_square = float(np.mean(np.square(ternary)))
    assert_budget(session, product, noise.multiply_plain(noise.fresh(chosen), mean_square))


def test_one_prime_has_no_key_switching_but_a_smaller_fresh_budget():
    single = ParameterSet(
        scheme="bfv", poly_modulus_degree=2048, coeff_modulus_bits=(54,), plain_modulus_bits=16
    )
    context = he.context(single)
    keys = seal.KeyGenerator(context)
    fresh = seal.Encryptor(context, keys.create_public_key()).encrypt(
        seal.BatchEncoder(context).encode([1, 2, 3])
    )
    measured = seal.Decryptor(context, keys.secret_key()).invariant_noise_budget(fresh)
    assert measured == pytest.approx(noise.fresh(single).budget_bits - 0.5, abs=TOLERANCE_BITS)
    with pytest.raises(ChocoError, match="key prime"):
        noise.rotate(noise.fresh(single))


@given(st.integers(1, 64))
def test_a_sum_of_equal_noise_loses_half_a_bit_a_doubling(terms):
    one = noise.fresh(A)
    lost = one.budget_bits - noise.add(*[one] * terms).budget_bits
    assert lost == pytest.approx(np.log2(terms) / 2)


def test_budget_never_goes_below_zero_and_no_noise_is_unlimited():
    exhausted = noise.fresh(A)
    for _ in range(8):
        exhausted = noise.multiply_plain(exhausted)
    assert exhausted.budget_bits == 0
    assert noise.Noise(A, A.data_residues, -inf).budget_bits == inf


def test_the_largest_chain_stays_in_range():
    large = ParameterSet(
        scheme="bfv",
        poly_modulus_degree=32768,
        coeff_modulus_bits=(55,) * 15 + (56,),
        plain_modulus_bits=20,
    )
    assert large.log2_data_q - 40 < noise.fresh(large).budget_bits < large.log2_data_q - 20


def test_mistakes_are_refused():
    fresh = noise.fresh(A)
    with pytest.raises(ChocoError, match="0 of 2"):
        noise.switch_modulus(fresh, 0)
    with pytest.raises(ChocoError, match="3 of 2"):
        noise.switch_modulus(fresh, 3)
    with pytest.raises(ChocoError, match="one parameter set"):
        noise.add(fresh, noise.switch_modulus(fresh, 1))
    ckks = ParameterSet(
        scheme="ckks", poly_modulus_degree=8192, coeff_modulus_bits=(60, 60), scale_bits=40
    )
    with pytest.raises(ChocoError, match="ckks"):
        noise.fresh(ckks)
