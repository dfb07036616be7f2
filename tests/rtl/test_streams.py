import pytest

from rtl.tb.runner import run_bench


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("module", ["taco_dyadic", "taco_poly_add"])
def test_dyadic_product_and_addition(module, lanes):
    run_bench(module, "bench_dyadic", {"Lanes": lanes}, {"product": module == "taco_dyadic"})


@pytest.mark.parametrize(("lanes", "layers"), [(1, 1), (2, 2), (2, 5)])
def test_modulus_switching(lanes, layers):
    parameters = {"Lanes": lanes, "DataLayers": layers}
    run_bench("taco_mod_switch", "bench_mod_switch", parameters)


@pytest.mark.parametrize(("lanes", "coeffs"), [(1, 8), (2, 16), (8, 64)])
def test_buffer(lanes, coeffs):
    parameters = {"Lanes": lanes, "Coeffs": coeffs}
    run_bench("tb_buffer", "bench_buffer", parameters, extra_sources=("tb_buffer.sv",))


@pytest.mark.parametrize("lanes", [2, 8])
@pytest.mark.parametrize("module", ["taco_word_pack", "taco_word_unpack"])
def test_words(module, lanes):
    run_bench(module, "bench_word", {"Lanes": lanes})
