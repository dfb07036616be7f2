"""The search finds what decrypts, prunes nothing that would, and the run keeps the tolerance."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from models import pagerank as splits
from models.config.workloads import PageRank as Study
from models.errors import ChocoError
from models.pagerank import PARAMETERS
from models.stage import Job
from models.tables import read_table
from workloads.pagerank import client_aided, search
from workloads.pagerank.candidates import (
    MAX_KEY_RESIDUES,
    bfv_candidates,
    chains,
    ckks_candidates,
)
from workloads.pagerank.encrypted_set import run
from workloads.pagerank.graph import synthetic
from workloads.pagerank.reference import IntegerPageRank, PageRank

SEED = 2022
STUDY = Study(max_iterations=3, max_poly_modulus_degree=8192, trials=1)
PROBLEM = PageRank(synthetic(STUDY.nodes, STUDY.mean_out_degree, SEED).transition(), 0.85)
INTEGERS = IntegerPageRank(PROBLEM, STUDY.bfv_rank_bits, STUDY.bfv_weight_bits)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    made = tmp_path_factory.mktemp("pagerank")
    for scheme in ("bfv", "ckks"):
        settings = search.Settings(scheme=scheme, seed=SEED, pagerank=STUDY)
        names = ("parameters", "attempts", "timings")
        search.stage(Job(settings, {}, {n: made / scheme / f"{n}.csv" for n in names}))
    inputs = {scheme: made / scheme / "parameters.csv" for scheme in ("bfv", "ckks")}
    job = Job(splits.Settings(max_iterations=3), inputs, {"communication": made / "splits.csv"})
    splits.stage(job)
    return made


def parameters(found, scheme):
    return read_table(found / scheme / "parameters.csv", PARAMETERS).set_index("iterations")


@pytest.mark.parametrize("scheme", ["bfv", "ckks"])
def test_every_set_has_parameters_that_decrypted_and_keep_the_error(found, scheme):
    table = parameters(found, scheme)
    assert list(table.index) == [1, 2, 3]
    assert table.feasible.all()
    assert (table.error_l1 <= table.allowed_l1).all()
    assert (table.upload_bytes + table.download_bytes).is_monotonic_increasing
    if scheme == "bfv":
        assert (table.budget_bits >= search.RESERVE_BITS).all()
        for size, row in table.iterrows():
            product = np.prod([int(t) for t in row.plain_modulus.split(",")], dtype=object)
            assert product > INTEGERS.largest(size)


@pytest.mark.parametrize("scheme", ["bfv", "ckks"])
def test_smaller_candidates_were_tried_and_failed(found, scheme):
    attempts = pd.read_csv(found / scheme / "attempts.csv")
    for _, tried in attempts.groupby("iterations"):
        assert tried.set_bytes.is_monotonic_increasing
        assert list(tried.outcome == "confirmed") == [False] * (len(tried) - 1) + [True]


def test_candidates_that_the_prediction_prunes_do_fail():
    """The nearest pruned candidate of every set, on ciphertexts; predictions are close."""
    listed = chains(8192, 128, STUDY.nodes)
    for iterations in (2, 3, 4):
        margins = {
            candidate: candidate.schedule.margin_bits[-1]
            for candidate in bfv_candidates(listed, INTEGERS, iterations)
        }
        pruned = {c: m for c, m in margins.items() if m < search.PRUNE_MARGIN_BITS}
        nearest = max(pruned, key=pruned.get)
        assert not run(nearest, PROBLEM, PROBLEM.start(), 3)[-1].exact
        held = {c: m for c, m in margins.items() if m > 4}
        tightest = min(held, key=held.get)
        outcome = run(tightest, PROBLEM, PROBLEM.start(), 3)[-1]
        assert outcome.exact
        assert abs(outcome.budget_bits - held[tightest]) <= 4


def test_chains_that_are_left_out_hold_no_more_than_smaller_ones():
    listed = chains(16384, 128, 32)
    sizes = [chain.ciphertext_bytes() for chain in listed]
    assert sizes == sorted(sizes)
    assert [c.log2_data_q for c in listed] == sorted({c.log2_data_q for c in listed})
    assert all(chain.log2_q <= chain.max_log2_q for chain in listed)
    assert max(chain.key_residues for chain in chains(32768, 128, 32)) == MAX_KEY_RESIDUES


def test_too_many_iterations_are_infeasible_with_a_reason(tmp_path):
    study = STUDY.model_copy(update={"max_iterations": 4, "max_poly_modulus_degree": 4096})
    for scheme, words in (("bfv", "noise of 2 iterations"), ("ckks", "the scale after")):
        settings = search.Settings(scheme=scheme, seed=SEED, pagerank=study)
        searching = search.Search(settings)
        rows = pd.DataFrame(searching.sets()).set_index("iterations")
        assert rows.feasible[1]
        if scheme == "bfv":
            assert not rows.feasible[2:].any()
            assert rows.reason[2].startswith(words)
            assert rows.reason[4] == rows.reason[2]
            failed = [a for a in searching.attempts if a["outcome"] == "wrong"]
            assert failed[-1]["iterations"] == 2  # seen on ciphertexts, not only predicted
    assert not ckks_candidates(chains(4096, 128, 32), 14, 20, 5, 48)


def test_beyond_sixteen_iterations_multiples_of_four_are_searched():
    assert search.searched(3) == [1, 2, 3]
    assert search.searched(18) == [*range(1, 17), 20]
    assert search.searched(48)[-3:] == [40, 44, 48]


@pytest.mark.parametrize("total", [1, 5, 24, 48])
def test_splits_cover_the_total(total):
    found = splits.splits(total)
    assert found[0] == (1, total) and found[-1] == (total, 1)
    for size, sets in found:
        assert (sets - 1) * size < total <= sets * size
    assert total % 2 or (total // 2, 2) in found


def test_communication_counts_every_set_and_finds_the_least(found):
    table = pd.read_csv(found / "splits.csv")
    for scheme in ("bfv", "ckks"):
        chosen = parameters(found, scheme)
        rows = table[table.scheme == scheme]
        for _, row in rows.iterrows():
            one = chosen.loc[row.iterations_per_set]
            assert row.total_bytes == row.sets * (one.upload_bytes + one.download_bytes)
        for _, of_total in rows.groupby("total_iterations"):
            best = of_total[of_total.optimal]
            assert len(best) == 1
            assert best.total_bytes.iloc[0] == of_total.total_bytes.min()


def test_client_aided_run_agrees_with_networkx_and_with_the_bytes(found):
    """More totals than the study has: 24 iterations in the smallest sets."""
    graph = synthetic(STUDY.nodes, STUDY.mean_out_degree, SEED)
    made = nx.DiGraph(sorted(graph.edges))
    wanted = nx.pagerank(made, alpha=0.85, tol=1e-10)
    for scheme, size, last in (("bfv", 1, 1), ("ckks", 2, 1)):
        chosen = parameters(found, scheme).reset_index()
        row = chosen[chosen.iterations == size].iloc[0]
        runner = client_aided.ClientAided(PROBLEM, row, last)
        ranks = PROBLEM.start()
        for _ in range(24 // size):
            ranks = runner.advance(ranks)
        ranks = runner.advance(ranks, last=True)
        errors = [abs(ranks[node] - wanted[node]) for node in range(graph.nodes)]
        assert sum(errors) < STUDY.tolerance_l1
        assert max(wanted, key=wanted.get) == np.argmax(ranks)
        summary = runner.summary()
        assert summary["upload_bytes"] == (24 // size + 1) * row.upload_bytes
        assert summary["wire_upload_bytes"] >= summary["upload_bytes"]


def test_an_infeasible_set_is_not_run(found):
    row = parameters(found, "bfv").reset_index().iloc[0].copy()
    row["feasible"], row["reason"] = False, "because"
    with pytest.raises(ChocoError, match="1 iterations: because"):
        client_aided.ClientAided(PROBLEM, row, 1)


def test_the_stage_writes_the_same_tables_again(found, tmp_path):
    inputs = {scheme: found / scheme / "parameters.csv" for scheme in ("bfv", "ckks")}
    inputs["communication"] = found / "splits.csv"
    settings = client_aided.Settings(seed=SEED, pagerank=STUDY)
    written = []
    for run_name in ("first", "second"):
        outputs = {
            f"{kind}_{scheme}": tmp_path / run_name / scheme / f"{kind}.csv"
            for kind in ("trace", "timings", "metadata")
            for scheme in ("bfv", "ckks")
        }
        outputs["summary"] = tmp_path / run_name / "summary.csv"
        client_aided.stage(Job(settings, inputs, outputs))
        names = ("summary", "trace_bfv", "trace_ckks", "metadata_bfv")
        written.append([outputs[name].read_bytes() for name in names])
    assert written[0] == written[1]
    assert b"None" not in written[0][0]
