import pandas as pd
import pytest

from models.config import Config
from models.distance_schema import DISTANCE_CLIENT, DISTANCE_SUMMARY
from models.errors import ChocoError
from models.link import transfer_time_s
from models.offload import Settings
from models.offload_distance import client_costs, summarize

CONFIG = Config()
SOFTWARE = {"encode": 1.0, "encrypt": 20.0, "decrypt": 8.0, "decode": 2.0}
ACCELERATOR = {"encode": 0.3, "encrypt": 0.1, "decrypt": 0.2, "decode": 0.4}


def costs(table, scheme="ckks"):
    """One row an operation: seconds as given, joules a tenth of them."""
    rows = [{"operation": name, "time_s": s, "energy_j": s / 10} for name, s in table.items()]
    return pd.DataFrame(rows).assign(
        scheme=scheme,
        poly_modulus_degree=8192,
        coeff_modulus_bits="60,60,60",
        provenance="recorded",
    )


def kernel(packing, encryptions, decryptions, **columns):
    return {
        "packing": packing,
        "dimensions": 4,
        "points": 10,
        "parameter_set": "C",
        "encryptions": encryptions,
        "decryptions": decryptions,
        "upload_bytes": 1000 * encryptions,
        "download_bytes": 500 * decryptions,
        "communication_bytes": 1000 * encryptions + 500 * decryptions,
        "provenance": "SEAL",
    } | columns


KERNELS = pd.DataFrame(
    [
        kernel("point_major", 1, 5),
        kernel("stacked_point_major", 1, 2),
        kernel("collapsed_point_major", 1, 1),
        kernel("point_major", 1, 9, points=9),
        kernel("stacked_point_major", 1, 1, points=9),
        kernel("collapsed_point_major", 1, 1, points=9),
    ]
)


def test_counts_times_costs():
    table = client_costs(KERNELS, costs(SOFTWARE), costs(ACCELERATOR), Settings())
    DISTANCE_CLIENT.validate(table[list(DISTANCE_CLIENT.columns)])
    here = table[(table.packing == "point_major") & (table.points == 10)]
    time_s = here.set_index(["system", "component"]).time_s
    assert time_s["choco_software", "encrypt"] == pytest.approx(21)
    assert time_s["choco_software", "decrypt"] == pytest.approx(50)
    assert time_s["choco_taco", "encrypt"] == pytest.approx(0.4)
    assert time_s["choco_taco", "decrypt"] == pytest.approx(3)
    assert time_s["choco_taco", "communication"] == transfer_time_s(3500, CONFIG.radio)


def test_a_system_without_costs_of_ckks_has_no_rows():
    table = client_costs(KERNELS, costs(SOFTWARE), costs(ACCELERATOR, "bfv"), Settings())
    assert set(table.system) == {"choco_software"}
    nothing = client_costs(KERNELS, costs(SOFTWARE, "bfv"), costs(ACCELERATOR, "bfv"), Settings())
    assert nothing.empty
    DISTANCE_CLIENT.validate(nothing)


def test_summary_counts_cases_with_ties_and_alone():
    client = client_costs(KERNELS, costs(SOFTWARE), costs(ACCELERATOR), Settings())
    table = summarize(KERNELS, client)
    DISTANCE_SUMMARY.validate(table[list(DISTANCE_SUMMARY.columns)])
    table = table.set_index("packing")
    assert (table.cases == 2).all()
    for what in ("communication", "client"):
        assert table[f"least_{what}"].to_dict() == {
            "point_major": 0,
            "stacked_point_major": 1,
            "collapsed_point_major": 2,
        }
        assert table[f"least_{what}_alone"].sum() == 1
        assert table[f"least_{what}_alone"]["collapsed_point_major"] == 1


def test_summary_without_client_costs_says_so():
    client = client_costs(KERNELS, costs(SOFTWARE, "bfv"), costs(ACCELERATOR, "bfv"), Settings())
    table = summarize(KERNELS, client)
    DISTANCE_SUMMARY.validate(table[list(DISTANCE_SUMMARY.columns)])
    assert table.least_client.isna().all()
    assert table.least_communication.notna().all()


def test_an_unknown_parameter_set_is_named():
    with pytest.raises(ChocoError, match="parameter set 'X', which is not in the configuration"):
        client_costs(
            KERNELS.assign(parameter_set="X"), costs(SOFTWARE), costs(ACCELERATOR), Settings()
        )
