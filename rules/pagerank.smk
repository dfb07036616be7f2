"""Client-aided PageRank: parameters by search, communication of every split, a run (Figure 13)."""

PAGERANK = "results/workloads/pagerank"


rule pagerank_parameters_bfv:
    output:
        parameters=f"{PAGERANK}/bfv/parameters.csv",
        attempts=f"{PAGERANK}/bfv/attempts.csv",
        timings=f"{PAGERANK}/bfv/search/timings.csv",
    log:
        "results/logs/pagerank_parameters_bfv.log",
    benchmark:
        "results/benchmarks/pagerank_parameters_bfv.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            scheme="bfv",
            seed=CONFIG.seed,
            security_bits=CONFIG.security_bits,
            pagerank=pagerank_study(),
        ),
        code=code_hash("workloads.pagerank.search"),
    shell:
        "python -m workloads.pagerank.search --settings {params.settings:q}"
        " --output parameters={output.parameters} attempts={output.attempts}"
        " timings={output.timings} 2>&1 | tee {log}"


use rule pagerank_parameters_bfv as pagerank_parameters_ckks with:
    output:
        parameters=f"{PAGERANK}/ckks/parameters.csv",
        attempts=f"{PAGERANK}/ckks/attempts.csv",
        timings=f"{PAGERANK}/ckks/search/timings.csv",
    log:
        "results/logs/pagerank_parameters_ckks.log",
    benchmark:
        "results/benchmarks/pagerank_parameters_ckks.tsv"
    params:
        settings=settings(
            scheme="ckks",
            seed=CONFIG.seed,
            security_bits=CONFIG.security_bits,
            pagerank=pagerank_study(),
        ),
        code=code_hash("workloads.pagerank.search"),


rule pagerank_communication:
    input:
        bfv=rules.pagerank_parameters_bfv.output.parameters,
        ckks=rules.pagerank_parameters_ckks.output.parameters,
    output:
        communication=f"{PAGERANK}/communication.csv",
    log:
        "results/logs/pagerank_communication.log",
    benchmark:
        "results/benchmarks/pagerank_communication.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(max_iterations=pagerank_study().max_iterations),
        code=code_hash("models.pagerank"),
    shell:
        "python -m models.pagerank --settings {params.settings:q}"
        " --input bfv={input.bfv} ckks={input.ckks}"
        " --output communication={output.communication} 2>&1 | tee {log}"


rule pagerank_client_aided:
    input:
        bfv=rules.pagerank_parameters_bfv.output.parameters,
        ckks=rules.pagerank_parameters_ckks.output.parameters,
        communication=rules.pagerank_communication.output.communication,
    output:
        summary=f"{PAGERANK}/summary.csv",
        trace_bfv=f"{PAGERANK}/bfv/trace.csv",
        timings_bfv=f"{PAGERANK}/bfv/timings.csv",
        metadata_bfv=f"{PAGERANK}/bfv/trace.json",
        trace_ckks=f"{PAGERANK}/ckks/trace.csv",
        timings_ckks=f"{PAGERANK}/ckks/timings.csv",
        metadata_ckks=f"{PAGERANK}/ckks/trace.json",
    log:
        "results/logs/pagerank_client_aided.log",
    benchmark:
        "results/benchmarks/pagerank_client_aided.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(seed=CONFIG.seed, pagerank=pagerank_study()),
        code=code_hash("workloads.pagerank.client_aided"),
    shell:
        "python -m workloads.pagerank.client_aided --settings {params.settings:q}"
        " --input bfv={input.bfv} ckks={input.ckks} communication={input.communication}"
        " --output summary={output.summary} trace_bfv={output.trace_bfv}"
        " timings_bfv={output.timings_bfv} metadata_bfv={output.metadata_bfv}"
        " trace_ckks={output.trace_ckks} timings_ckks={output.timings_ckks}"
        " metadata_ckks={output.metadata_ckks} 2>&1 | tee {log}"
