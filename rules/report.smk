"""Claims beside the paper's, and the page that shows everything."""

from models.claim_mapping import claim_tables

CLAIMED = claim_tables(Path("report/claims.yaml"))


rule claims:
    input:
        tables=CLAIMED,
        mapping="report/claims.yaml",
        paper=PAPER,
    output:
        claims="results/claims.csv",
    log:
        "results/logs/claims.log",
    benchmark:
        "results/benchmarks/claims.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(configuration=CONFIG),
        code=code_hash("models.claims"),
    shell:
        "python -m models.claims --settings {params.settings:q}"
        " --input paper=results/paper mapping={input.mapping}"
        " --output claims={output.claims} 2>&1 | tee {log}"


rule report:
    input:
        figures=expand("results/figures/{name}.svg", name=FIGURES),
        tables=CLAIMED,
        claims=rules.claims.output.claims,
        captions=expand("report/captions/{name}.rst", name=FIGURES),
        template="report/templates/index.html.j2",
    output:
        page="results/report/index.html",
    log:
        "results/logs/report.log",
    benchmark:
        "results/benchmarks/report.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(configuration=CONFIG),
        figures=[f"{name}=results/figures/{name}.svg" for name in FIGURES],
        tables=[f"{table}={table}" for table in CLAIMED],
        code=code_hash("plots.report"),
    shell:
        "python -m plots.report --settings {params.settings:q}"
        " --input template={input.template} captions=report/captions claims={input.claims}"
        " {params.figures} {params.tables} --output page={output.page} 2>&1 | tee {log}"
