"""The workflow itself, run for real on a reduced configuration in a copy of the project."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
SNAKEMAKE = Path(sys.executable).with_name("snakemake")
DISTANCE = (
    "distance={shapes: [{dimensions: 16, points: 200}],"
    " applications: [{algorithm: kmeans, data: iris, quick: true}]}"
)
PAGERANK = "pagerank={max_iterations: 2, max_poly_modulus_degree: 8192, trials: 1}"
REDUCED = (
    "--config",
    "profile=quick",
    "noise={seeds: 1}",
    "networks={lenet_sm: {images: 1}, lenet_lg: {images: 1}}",
    DISTANCE,
    PAGERANK,
)


def snakemake(
    project: Path, *arguments: str, config: tuple[str, ...] = REDUCED
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SNAKEMAKE, "--cores", "2", *arguments, *config],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=2400,
    )


def copy_of_the_project(destination: Path) -> Path:
    """Copy what git tracks or would track: what a fresh clone has."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, destination / name)
    return destination


def tables(project: Path) -> dict[str, str]:
    """Hash every table that must repeat; wall-clock timings live in files of their own."""
    return {
        str(path.relative_to(project)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((project / "results").rglob("*.csv"))
        if "paper" not in path.parts and "recorded" not in path.parts
        if path.name != "timings.csv"
    }


def planned_rules(project: Path, *arguments: str) -> set[str]:
    """Return the rules that a run would execute now."""
    plan = snakemake(project, "--dry-run", *arguments, "reproduce-all").stdout
    return set(re.findall(r"^(?:local)?rule (\S+):", plan, flags=re.MULTILINE))


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    project = copy_of_the_project(tmp_path_factory.mktemp("finished"))
    run = snakemake(project, "reproduce-all")
    assert run.returncode == 0, run.stderr
    return project


def test_second_run_has_nothing_to_do(finished):
    assert not planned_rules(finished)


@pytest.mark.parametrize(
    ("deleted", "rules"),
    [
        ("results/figures/fig8.pdf", {"fig8", "report", "reproduce-all"}),
        ("results/report/index.html", {"report", "reproduce-all"}),
        (
            "results/noise/table4.csv",
            {"noise_table", "table4", "claims", "report", "reproduce-all"},
        ),
    ],
)
def test_deleting_a_result_rebuilds_it_and_what_depends_on_it(finished, deleted, rules):
    path = finished / deleted
    kept = path.read_bytes(), path.stat()
    path.unlink()
    try:
        assert planned_rules(finished) == rules
    finally:
        path.write_bytes(kept[0])
        os.utime(path, ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))


def test_killed_run_resumes_to_identical_tables(finished, tmp_path):
    """A part of the whole is enough: jobs of every kind, and the files of a killed writer."""
    project = copy_of_the_project(tmp_path)
    targets = ("table4", "fig4", "fig8", "results/workloads/lenet_sm/trace.csv")
    with subprocess.Popen(
        [SNAKEMAKE, "--cores", "2", *targets, *REDUCED],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as run:
        while not list((project / "results").glob("*/*.csv")):
            assert run.poll() is None, "the run ended before it made its first table"
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGKILL)
    assert not (project / "results/figures/fig8.svg").exists()
    resumed = snakemake(project, *targets)
    assert resumed.returncode == 0, resumed.stderr
    made, whole = tables(project), tables(finished)
    assert made == {name: whole[name] for name in made}
    assert "results/noise/table4.csv" in made


def test_every_rule_has_a_log_and_a_benchmark(finished):
    documents = {"synthesis_libraries", "validation"}  # committed: made again only when stale
    rules = planned_rules(finished, "--forceall") - {"reproduce-all"} - documents
    assert {"noise_budget", "infer_network", "fig8", "report"} <= rules
    for directory, suffix in (("logs", "log"), ("benchmarks", "tsv")):
        made = [path.stem for path in (finished / "results" / directory).glob(f"*.{suffix}")]
        assert [
            rule for rule in rules if not any(rule.split("_network")[0] in m for m in made)
        ] == []


def test_every_claim_that_is_mapped_finds_its_row(finished):
    """A mistyped selector shows only as "not yet"; the default rows are all there."""
    claims = pd.read_csv(finished / "results/claims.csv")
    assert len(claims) >= 80
    missing = claims[claims["explanation"].fillna("").str.contains("has no row")]
    assert missing.empty
    made = claims[claims["status"] != "not yet"]
    assert (made["provenance"].fillna("") != "").all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sed=1", "sed: unknown key; did you mean 'seed'?"),
        ("parameter_sets={A: {poly_modulus_degree: 5000}}", "poly_modulus_degree: 5000"),
        ("parameter_sets={B: {plain_modulus: 65536}}", "plain_modulus: 65536 cannot batch"),
        ("parameter_sets={B: {coeff_modulus_bits: [36, 36, 38]}}", "log2 q = 110 is insecure"),
    ],
)
def test_bad_configuration_is_one_line_and_starts_nothing(tmp_path, change, message):
    project = copy_of_the_project(tmp_path)
    run = snakemake(project, "reproduce-all", config=("--config", change))
    assert run.returncode == 1
    errors = [line for line in run.stderr.splitlines() if "error" in line.lower()]
    assert len(errors) == 1
    assert message in errors[0]
    assert "Traceback" not in run.stderr
    assert not (project / "results/logs").exists()
