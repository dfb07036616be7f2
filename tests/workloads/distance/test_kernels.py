"""Kernels on real ciphertexts, through the whole protocol."""

import numpy as np
import pytest

from models.config import Config
from models.errors import ChocoError
from models.parameters import ParameterSet
from workloads import he
from workloads.distance.algorithms import squared_distances
from workloads.distance.encrypted import EncryptedDistances, Range, make_plan
from workloads.distance.kernels import factor_bits
from workloads.distance.packing import PACKINGS

SET_C = Config().parameter_sets["C"]
OTHER_READING = ParameterSet(
    scheme="ckks", poly_modulus_degree=8192, coeff_modulus_bits=(60, 40, 40), scale_bits=30
)
UNIT = Range(0, 1)


def distances(parameters, packing, points, queries, data_range=UNIT):
    he.seed(7)
    try:
        return EncryptedDistances(parameters, packing, points, queries, data_range)
    finally:
        he.unseed()


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize(("queries", "points", "dimensions"), [(1, 20, 5), (3, 11, 70), (5, 40, 1)])
def test_encrypted_distances_equal_numpy(packing, queries, points, dimensions):
    random = np.random.default_rng(points)
    q, p = random.random((queries, dimensions)), random.random((points, dimensions))
    run = distances(SET_C, packing, p, queries)
    np.testing.assert_allclose(run(q), squared_distances(q, p), rtol=0, atol=1e-5)
    [(exchange, served)] = run.take_records()
    assert exchange.encryptions == run.plan.input_ciphertexts
    assert exchange.decryptions == run.plan.output_ciphertexts
    assert exchange.download_residues == 1
    assert exchange.download_bytes == exchange.decryptions * 2 * 8192 * 8
    assert served["operations"]["modulus_switches"] == 0


@pytest.mark.parametrize("packing", ["stacked_dimension_major", "collapsed_point_major"])
def test_several_results_in_several_ciphertexts(packing):
    random = np.random.default_rng(1)
    q, p = random.random((2, 3)), random.random((5000, 3))
    run = distances(SET_C, packing, p, 2)
    np.testing.assert_allclose(run(q), squared_distances(q, p), rtol=0, atol=1e-5)
    assert run.plan.output_ciphertexts > 1


@pytest.mark.parametrize("packing", PACKINGS)
def test_extreme_values_do_not_overflow(packing):
    points, queries = np.zeros((40, 128)), np.ones((1, 128))
    run = distances(SET_C, packing, points, 1)
    np.testing.assert_allclose(run(queries), 128, rtol=1e-6)


def test_other_moduli_work_as_well():
    random = np.random.default_rng(2)
    q, p = random.random((1, 100)), random.random((300, 100))
    run = distances(OTHER_READING, "collapsed_point_major", p, 1)
    np.testing.assert_allclose(run(q), squared_distances(q, p), rtol=0, atol=1e-3)


def test_one_session_answers_many_queries_in_the_units_of_the_data():
    random = np.random.default_rng(3)
    p, q = random.uniform(-5, 12, (30, 7)), random.uniform(-5, 12, (4, 7))
    run = distances(SET_C, "collapsed_point_major", p, 1, Range(-5, 17))
    found = np.concatenate([run(row[None]) for row in q])
    np.testing.assert_allclose(found, squared_distances(q, p), rtol=0, atol=1e-2)
    assert len(run.take_records()) == 4
    assert run.take_records() == []
    with pytest.raises(ChocoError, match="outside the agreed range -5 to 12"):
        run(np.full((1, 7), 12.1))


def test_a_range_covers_its_data():
    values = np.array([[0.1, 0.7], [-2.3, 0.3]])
    scaled = Range.of(values).scale(values)
    assert scaled.min() == 0
    assert scaled.max() == 1
    constant = np.full((3, 2), 4.2)
    assert (Range.of(constant).scale(constant) == 0).all()


def test_parameters_without_room_are_refused():
    plan = make_plan("collapsed_point_major", SET_C, 1, 1000, 4096)
    wide = SET_C.model_copy(update={"scale_bits": 45})
    with pytest.raises(ChocoError, match="4096 dimensions leave 16 bits for the mask; at least 20"):
        factor_bits(wide, plan)
    with pytest.raises(ChocoError, match="need a CKKS parameter set"):
        factor_bits(Config().parameter_sets["A"], plan)
