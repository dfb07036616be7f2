"""Stage: the smallest parameters for every number of continuous encrypted iterations, by search.

For a set of s iterations, candidates are tried on real ciphertexts from the fewest bytes on; the
first that decrypts correctly is the answer. Correct is: in BFV, exactly the integers of the
reference, with some noise budget in reserve, as one lucky key proves little; in both schemes, ranks
within the error that a set of s may add (``reference``).
``models.noise`` prunes BFV candidates that are predicted to miss by far; every attempt is recorded
with prediction and measurement. Where all candidates are pruned, the one that is predicted to
come nearest is tried all the same, so that "infeasible" too is seen on ciphertexts.
"""

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from math import inf
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import PageRank as PageRankSection
from models.pagerank import PARAMETERS
from models.parameters import Scheme, SecurityBits
from models.stage import Job, run_stage
from models.tables import Check, Column, table_schema, write_table
from workloads.he import seal_provenance
from workloads.pagerank.candidates import Candidate, bfv_candidates, chains, ckks_candidates
from workloads.pagerank.encrypted_set import Outcome, run
from workloads.pagerank.graph import synthetic
from workloads.pagerank.reference import IntegerPageRank, PageRank

PRUNE_MARGIN_BITS = -6.0
"""Predicted noise budget below which a BFV candidate is not tried."""

EXHAUSTIVE_POLY_MODULUS_DEGREE = 8192
"""Up to this N (what the accelerator supports), every plaintext modulus and several seeds are run.
Above, the modulus with the most noise, once: a run can take a minute."""

RESERVE_BITS = 2
"""Noise budget that a confirmed result has: with less, one of many keys will fail."""

EVERY_SET_UP_TO, SET_STEP = 16, 4
"""Up to 16 iterations, every set is searched for, then multiples of 4. Sets between take the
parameters of the next larger one: an upper bound, far from any optimum."""

ATTEMPTS = table_schema(
    scheme=str,
    iterations=Column(int, Check.gt(0)),
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    plain_moduli=int,
    plain_modulus_bits=Column("Int64", nullable=True),
    rank_bits=int,
    set_bytes=int,
    predicted_budget_bits=Column(float, nullable=True),
    outcome=Column(str, Check.isin(["pruned", "wrong", "reserve", "imprecise", "confirmed"])),
    budget_bits=Column("Int64", nullable=True),
    error_l1=Column(float, nullable=True),
    allowed_l1=float,
)
"""Candidates in the order of the search. ``wrong``: BFV integers differ from the reference, or no
budget is left. ``reserve``: correct, with too little budget left. ``imprecise``: the error is above
what is allowed."""

TIMINGS = table_schema(
    scheme=str,
    iterations=int,
    poly_modulus_degree=int,
    coeff_modulus_bits=str,
    plain_moduli=int,
    time_s=Column(float, Check.ge(0)),
)


class Settings(Section):
    """The study."""

    scheme: Scheme
    seed: int = Field(ge=0, lt=2**32, description="seed of graph, ranks, keys and noise")
    security_bits: SecurityBits = 128
    pagerank: PageRankSection


def stage(job: Job[Settings]) -> None:
    """Search. Outputs: ``parameters``, ``attempts``, ``timings`` (CSV)."""
    search = Search(job.settings)
    write_table(pd.DataFrame(search.sets()), job.outputs["parameters"], PARAMETERS)
    write_table(pd.DataFrame(search.attempts), job.outputs["attempts"], ATTEMPTS)
    write_table(pd.DataFrame(search.timings), job.outputs["timings"], TIMINGS)


class Search:
    """The search, with what it has tried.

    Attributes:
        attempts, timings: rows of ``ATTEMPTS`` and ``TIMINGS``.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._scheme = settings.scheme
        self._study = study = settings.pagerank
        graph = synthetic(study.nodes, study.mean_out_degree, settings.seed)
        self._problem = PageRank(graph.transition(), study.damping)
        self._integers = IntegerPageRank(self._problem, study.bfv_rank_bits, study.bfv_weight_bits)
        self._chains = chains(study.max_poly_modulus_degree, settings.security_bits, study.nodes)
        self._runs: dict[Candidate, list[list[Outcome]]] = {}
        self.attempts: list[dict[str, Any]] = []
        self.timings: list[dict[str, Any]] = []

    def sets(self) -> list[dict[str, Any]]:
        """Return a row of ``PARAMETERS`` for every number of iterations.

        Once a number is infeasible in BFV, so is every larger one: it needs a larger plaintext
        modulus and a product more. CKKS precision may fail at one number and hold at the next.
        """
        found: dict[int, dict[str, Any]] = {}
        impossible = ""
        wanted = searched(self._study.max_iterations)
        label = f"PageRank parameters, {self._scheme.upper()}"
        for iterations in tqdm(wanted, desc=label, unit="set"):
            chosen = None if impossible else self._smallest(iterations)
            if chosen is None:
                reason = impossible or self._reason(iterations)
                impossible = reason if self._scheme == "bfv" else ""
                chosen = {"feasible": False, "reason": reason}
            found[iterations] = chosen
        first_infeasible = next((n for n in wanted if not found[n]["feasible"]), None)
        rows = []
        for iterations in range(1, self._study.max_iterations + 1):
            source = next(number for number in wanted if number >= iterations)
            row = self._row(iterations) | found[source] | {"searched_iterations": source}
            if source != iterations and not row["feasible"] and source == first_infeasible:
                row["reason"] += f"; {iterations} not searched"
            rows.append(row)
        return rows

    def _row(self, iterations: int) -> dict[str, Any]:
        return dict.fromkeys(PARAMETERS.columns) | {
            "scheme": self._scheme,
            "iterations": iterations,
            "allowed_l1": self._problem.allowed_error(iterations, self._study.tolerance_l1),
            "provenance": seal_provenance(),
        }

    def _candidates(self, iterations: int) -> Iterable[Candidate]:
        if self._scheme == "bfv":
            return bfv_candidates(self._chains, self._integers, iterations)
        study = self._study
        return ckks_candidates(
            self._chains,
            study.ckks_weight_bits,
            study.ckks_min_scale_bits,
            iterations,
            study.max_iterations,
        )

    def _smallest(self, iterations: int) -> dict[str, Any] | None:
        nearest, nearest_margin, tried = None, -inf, False
        for candidate in self._candidates(iterations):
            margin = candidate.schedule.margin_bits[iterations - 1]
            if margin is not None and margin < PRUNE_MARGIN_BITS:
                self._record(candidate, iterations, "pruned", [])
                if margin > nearest_margin:
                    nearest, nearest_margin = candidate, margin
                continue
            tried = True
            if found := self._try(candidate, iterations):
                return found
        return self._try(nearest, iterations) if nearest and not tried else None

    def _try(self, candidate: Candidate, iterations: int) -> dict[str, Any] | None:
        outcomes = [trial[iterations - 1] for trial in self._outcomes(candidate)]
        allowed = self._problem.allowed_error(iterations, self._study.tolerance_l1)
        if any(outcome.exact is False for outcome in outcomes):
            result = "wrong"
        elif any((outcome.budget_bits or RESERVE_BITS) < RESERVE_BITS for outcome in outcomes):
            result = "reserve"
        elif any(not outcome.error_l1 <= allowed for outcome in outcomes):
            result = "imprecise"
        else:
            result = "confirmed"
        row = self._record(candidate, iterations, result, outcomes)
        if result != "confirmed":
            return None
        nodes = self._problem.nodes
        return {
            "feasible": True,
            "poly_modulus_degree": row["poly_modulus_degree"],
            "coeff_modulus_bits": row["coeff_modulus_bits"],
            "key_residues": candidate.first.key_residues,
            "plain_moduli": row["plain_moduli"],
            "plain_modulus_bits": row["plain_modulus_bits"],
            "plain_modulus": ",".join(
                str(p.plain_modulus) for p in candidate.parameters if p.plain_modulus
            ),
            "rank_bits": candidate.rank_bits,
            "weight_bits": candidate.weight_bits,
            "download_residues": candidate.schedule.download[iterations - 1],
            "upload_bytes": candidate.upload_bytes,
            "download_bytes": candidate.download_bytes(iterations),
            "key_bytes": candidate.key_bytes(nodes, iterations),
            "hardware_compatible": candidate.hardware_compatible,
            "trials": len(outcomes),
            "confirmed_moduli": outcomes[0].moduli,
            "budget_bits": row["budget_bits"],
            "error_l1": row["error_l1"],
        }

    def _outcomes(self, candidate: Candidate) -> list[list[Outcome]]:
        """Run a candidate, unless it has been, on ranks, keys and noise of its own."""
        if candidate in self._runs:
            return self._runs[candidate]
        exhaustive = candidate.first.poly_modulus_degree <= EXHAUSTIVE_POLY_MODULUS_DEGREE
        trials = []
        for trial in range(self._study.trials if exhaustive else 1):
            sizes = (*candidate.first.coeff_modulus_bits, candidate.rank_bits)
            plain = [p.plain_modulus or 0 for p in candidate.parameters]
            entropy = (self._settings.seed, trial, candidate.first.poly_modulus_degree)
            seeds = np.random.SeedSequence((*entropy, *sizes, *plain))
            start = np.random.default_rng(seeds).dirichlet(np.ones(self._problem.nodes))
            seed = int(seeds.generate_state(1, np.uint64)[0])
            moduli = None if exhaustive else 1
            arguments = (candidate, self._problem, start, seed, moduli)
            trials.append(run(*arguments) if exhaustive else _run_apart(*arguments))
            if trials[-1][-1].exact is False:
                break
        self._runs[candidate] = trials
        self.timings.append(
            _describe(candidate, len(candidate.schedule))
            | {"time_s": sum(outcomes[-1].time_s for outcomes in trials)}
        )
        return trials

    def _record(
        self, candidate: Candidate, iterations: int, result: str, outcomes: list[Outcome]
    ) -> dict[str, Any]:
        budgets = [o.budget_bits for o in outcomes if o.budget_bits is not None]
        row = _describe(candidate, iterations) | {
            "rank_bits": candidate.rank_bits,
            "set_bytes": candidate.set_bytes(iterations),
            "predicted_budget_bits": candidate.schedule.margin_bits[iterations - 1],
            "outcome": result,
            "budget_bits": min(budgets, default=None),
            "error_l1": max((o.error_l1 for o in outcomes), default=None),
            "allowed_l1": self._problem.allowed_error(iterations, self._study.tolerance_l1),
        }
        self.attempts.append(row)
        return row

    def _reason(self, iterations: int) -> str:
        """Say why no candidate holds a set, from the attempts just made."""
        largest = self._study.max_poly_modulus_degree
        tried = [attempt for attempt in self.attempts if attempt["iterations"] == iterations]
        last = tried[-1]["outcome"] if tried else ""
        if last == "wrong":
            return f"noise of {iterations} iterations exceeds every modulus up to N = {largest}"
        if last == "imprecise":
            return f"fixed point is too coarse for the error that {iterations} iterations may add"
        return f"the scale after {iterations} iterations exceeds every modulus up to N = {largest}"


def searched(max_iterations: int) -> list[int]:
    """Return the numbers of iterations that are searched for; the last covers all."""
    end = -(-max_iterations // SET_STEP) * SET_STEP if max_iterations > EVERY_SET_UP_TO else 0
    every = range(1, min(max_iterations, EVERY_SET_UP_TO) + 1)
    return [*every, *range(EVERY_SET_UP_TO + SET_STEP, end + 1, SET_STEP)]


def _run_apart(*arguments: Any) -> list[Outcome]:
    """Run in a process of its own: SEAL never gives back the memory of gigabytes of keys."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(run, *arguments).result()


def _describe(candidate: Candidate, iterations: int) -> dict[str, Any]:
    first = candidate.first
    t = first.plain_modulus
    return {
        "scheme": first.scheme,
        "iterations": iterations,
        "poly_modulus_degree": first.poly_modulus_degree,
        "coeff_modulus_bits": ",".join(map(str, first.coeff_modulus_bits)),
        "plain_moduli": len(candidate.parameters),
        "plain_modulus_bits": None if t is None else t.bit_length(),
        "provenance": seal_provenance(),
    }


if __name__ == "__main__":
    run_stage(stage, Settings)
