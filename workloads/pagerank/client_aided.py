"""Stage: client-aided PageRank through the protocol, in the split that communicates least.

For each scheme, the largest total runs in the sets of its optimal split (``models.pagerank``).
Between sets the client decrypts, rounds and encrypts again; the server never sees a rank. The
stage fails if ranks are off by more than the tolerance, or if the ciphertexts that crossed are not
of the bytes that the table of communication says.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models.config.base import Section
from models.config.workloads import PageRank as PageRankSection
from models.errors import ChocoError
from models.pagerank import COMMUNICATION, PARAMETERS
from models.parameters import ParameterSet
from models.stage import Job, run_stage
from models.tables import Check, Column, read_table, table_schema, write_table
from workloads import he
from workloads.he import seal_provenance
from workloads.pagerank.encrypted_set import join
from workloads.pagerank.graph import Floats, synthetic
from workloads.pagerank.operator import RankService
from workloads.pagerank.plan import rank_plan
from workloads.pagerank.reference import IntegerPageRank, PageRank
from workloads.pagerank.schedule import bfv_schedule, ckks_schedule
from workloads.protocol.client import Client
from workloads.protocol.server import Server
from workloads.protocol.trace import LayerRecord, TraceMetadata, describe_columns, write_trace
from workloads.protocol.transport import InProcessTransport

CLIENT_OPERATIONS = {"refresh": "ranks that the client decodes and rounds for the next set"}

CONVERGED = 1000
"""Iterations after which ranks no longer change: 0.85^1000 is far below a float's precision."""

SUMMARY = table_schema(
    scheme=str,
    total_iterations=int,
    iterations_per_set=int,
    sets=int,
    poly_modulus_degree=int,
    key_residues=int,
    plain_moduli=int,
    error_l1=float,
    tolerance_l1=float,
    distance_from_converged_l1=float,
    upload_bytes=int,
    download_bytes=int,
    wire_upload_bytes=int,
    wire_download_bytes=int,
    wire_key_bytes=int,
    continuous_bytes=Column("Int64", nullable=True),
    min_budget_bits=Column("Int64", Check.gt(0), nullable=True),
)
"""``error_l1``: from as many iterations in real numbers; bytes are measured, of the whole run.
``continuous_bytes``: what a single set for the whole total would communicate, computed; missing
where no parameters hold it."""


class Settings(Section):
    """The run."""

    seed: int = Field(ge=0, lt=2**32, description="seed of graph, keys and noise")
    pagerank: PageRankSection


def stage(job: Job[Settings]) -> None:
    """Run both schemes.

    Inputs: ``bfv``, ``ckks`` (tables ``PARAMETERS``), ``communication`` (CSV).
    Outputs: ``summary``, and for each scheme ``trace_SCHEME``, ``timings_SCHEME`` (CSV) and
    ``metadata_SCHEME`` (JSON).
    """
    settings, study = job.settings, job.settings.pagerank
    communication = read_table(job.inputs["communication"], COMMUNICATION)
    graph = synthetic(study.nodes, study.mean_out_degree, settings.seed)
    problem = PageRank(graph.transition(), study.damping)
    rows = []
    for scheme in ("bfv", "ckks"):
        of_scheme = communication[communication.scheme == scheme]
        largest = of_scheme[of_scheme.total_iterations == of_scheme.total_iterations.max()]
        split = largest[largest.optimal].iloc[0]
        size = int(split.iterations_per_set)
        parameters = read_table(job.inputs[scheme], PARAMETERS)
        chosen = parameters[parameters.iterations == size]
        he.seed(settings.seed)
        run = ClientAided(problem, chosen.iloc[0], int(split.last_set_iterations))
        ranks = problem.start()
        for index in tqdm(range(int(split.sets)), desc=f"PageRank {scheme.upper()}", unit="set"):
            ranks = run.advance(ranks, last=index + 1 == split.sets)
        row = run.summary() | {
            "total_iterations": int(split.total_iterations),
            "continuous_bytes": next(iter(largest[largest.continuous].total_bytes), None),
            "error_l1": _distance(
                ranks, problem.iterate(problem.start(), int(split.total_iterations))
            ),
            "tolerance_l1": study.tolerance_l1,
            "distance_from_converged_l1": _distance(
                ranks, problem.iterate(problem.start(), CONVERGED)
            ),
        }
        _check(row, split)
        rows.append(row)
        names = ("trace", "timings", "metadata")
        paths = {name: job.outputs[f"{name}_{scheme}"] for name in names}
        details = {"pagerank": study.model_dump(mode="json"), "edges": len(graph.edges)}
        run.write(paths, settings.seed, details)
    write_table(pd.DataFrame(rows), job.outputs["summary"], SUMMARY)


@dataclass(frozen=True)
class _Session:
    """One plaintext modulus (or CKKS): a client and its server."""

    parameters: ParameterSet
    client: Client
    server: Server


class ClientAided:
    """Sets of iterations of one size, and a last one that may be shorter.

    Args:
        problem: the graph, which only the server has.
        chosen: row of ``PARAMETERS``, feasible.
        last: iterations of the last set.
    """

    def __init__(self, problem: PageRank, chosen: pd.Series, last: int) -> None:
        if not chosen.feasible:
            raise ChocoError(f"pagerank: {chosen.iterations} iterations: {chosen.reason}")
        self.scheme = str(chosen.scheme)
        self._sizes = (int(chosen.iterations), last)
        self._problem = problem
        self._integers = IntegerPageRank(problem, int(chosen.rank_bits), int(chosen.weight_bits))
        self._sessions = [self._session(part, problem) for part in parameter_sets(chosen)]
        self._records: list[LayerRecord] = []
        self._sets = 0

    def _session(self, parameters: ParameterSet, problem: PageRank) -> _Session:
        size, integers = max(self._sizes), self._integers
        schedule = (
            bfv_schedule(parameters, problem.nodes, size)
            if parameters.scheme == "bfv"
            else ckks_schedule(parameters, integers.weight_bits, size)
        )
        plans = [rank_plan(parameters, problem.nodes, count) for count in self._sizes]
        services = [
            RankService(
                plan, problem, parameters, integers.rank_bits, integers.weight_bits, schedule
            )
            for plan in plans
        ]
        server = Server(parameters, services)
        client = Client(parameters, plans, InProcessTransport(server.handle))
        client.connect()
        return _Session(parameters, client, server)

    def advance(self, ranks: Floats, last: bool = False) -> Floats:
        """Return the ranks after one more set: encrypt, iterate, decrypt."""
        size = self._sizes[int(last)]
        if self.scheme == "ckks":
            result: Floats = self._evaluate(ranks, last)[0]
            return result
        quantized = self._integers.quantize(ranks).astype(np.int64)
        parts = self._evaluate(quantized, last)
        moduli = [session.parameters.batching_modulus for session in self._sessions]
        return self._integers.to_ranks(join(parts, moduli), size)

    def _evaluate(self, values: Any, last: bool) -> list[Any]:
        results = []
        for step, session in enumerate(self._sessions):
            begin = perf_counter()
            results.append(session.client.evaluate(int(last), values))
            whole = perf_counter() - begin
            exchange = session.client.exchanges[-1]
            (served,) = session.client.server_report()
            measured = exchange.encrypt_time_s + exchange.decrypt_time_s + served["time_s"]
            self._records.append(
                LayerRecord(
                    item=self._sets,
                    step=step,
                    layer=f"{self._sizes[int(last)]} iterations",
                    kind="pagerank",
                    exchange=exchange,
                    server_operations=served["operations"],
                    client_elements={"refresh": self._problem.nodes},
                    server_time_s=served["time_s"],
                    plain_time_s=max(0.0, whole - measured),
                )
            )
        self._sets += 1
        return results

    def summary(self) -> dict[str, Any]:
        """Return what was measured so far, as part of a row of ``SUMMARY``."""
        exchanges = [record.exchange for record in self._records]
        budgets = [e.min_budget_bits for e in exchanges if e.min_budget_bits is not None]
        return {
            "scheme": self.scheme,
            "iterations_per_set": self._sizes[0],
            "sets": self._sets,
            "poly_modulus_degree": self._sessions[0].parameters.poly_modulus_degree,
            "key_residues": self._sessions[0].parameters.key_residues,
            "plain_moduli": len(self._sessions),
            "upload_bytes": sum(e.upload_bytes for e in exchanges),
            "download_bytes": sum(e.download_bytes for e in exchanges),
            "wire_upload_bytes": sum(e.wire_upload_bytes for e in exchanges),
            "wire_download_bytes": sum(e.wire_download_bytes for e in exchanges),
            "wire_key_bytes": sum(session.client.key_bytes for session in self._sessions),
            "min_budget_bits": min(budgets, default=None),
            "provenance": seal_provenance(),
        }

    def write(self, paths: dict[str, Any], seed: int, details: dict[str, Any]) -> None:
        """Write the trace: an item is a set, a step one plaintext modulus."""
        first = self._sessions[0]
        metadata = TraceMetadata(
            workload="pagerank",
            parameter_set="found by search",
            parameters=first.parameters,
            seed=seed,
            transport="in process",
            items=self._sets,
            input_data="synthetic graph, seeded (preferential attachment); uniform first ranks",
            key_bytes=sum(session.client.key_bytes for session in self._sessions),
            rotation_steps=first.client.rotation_steps,
            layers=first.client.layout(),
            details=details
            | {
                "item": "a set of iterations between two refreshes",
                "plain_moduli": [session.parameters.plain_modulus for session in self._sessions],
            },
            columns=describe_columns(CLIENT_OPERATIONS),
        )
        setup = {
            "key_generation": sum(session.client.key_time_s for session in self._sessions),
            "weight_encoding": sum(session.server.encoding_time_s for session in self._sessions),
        }
        write_trace(self._records, setup, metadata, CLIENT_OPERATIONS, paths)


def parameter_sets(chosen: pd.Series) -> list[ParameterSet]:
    """Return the HE parameters of a row of ``PARAMETERS``, one for each plaintext modulus."""
    common = {
        "scheme": chosen.scheme,
        "poly_modulus_degree": int(chosen.poly_modulus_degree),
        "coeff_modulus_bits": tuple(map(int, str(chosen.coeff_modulus_bits).split(","))),
    }
    if chosen.scheme == "ckks":
        return [ParameterSet(scale_bits=int(chosen.rank_bits), **common)]
    moduli = map(int, str(chosen.plain_modulus).split(","))
    return [ParameterSet(plain_modulus=t, **common) for t in moduli]


def _check(row: dict[str, Any], split: pd.Series) -> None:
    if not row["error_l1"] <= row["tolerance_l1"]:
        raise ChocoError(
            f"pagerank: {row['scheme']} ranks are off by {row['error_l1']:.4g} (L1) after "
            f"{row['total_iterations']} iterations; tolerance_l1 is {row['tolerance_l1']}"
        )
    for column in ("upload_bytes", "download_bytes"):
        short = split.last_set_iterations != split.iterations_per_set
        if row[column] > split[column] or (row[column] != split[column] and not short):
            raise ChocoError(
                f"pagerank: {row['scheme']} {column} measured {row[column]}, "
                f"computed {split[column]}"
            )


def _distance(ranks: Floats, wanted: Floats) -> float:
    return float(np.abs(ranks - wanted).sum())


if __name__ == "__main__":
    run_stage(stage, Settings)
