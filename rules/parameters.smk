"""HE parameter sets: sizes and noise budgets, on real ciphertexts (Tables 3 and 4)."""


rule serialized_sizes:
    input:
        paper=PAPER,
    output:
        table3="results/parameters/table3.csv",
    log:
        "results/logs/serialized_sizes.log",
    benchmark:
        "results/benchmarks/serialized_sizes.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(parameter_sets=CONFIG.parameter_sets),
        code=code_hash("workloads.serialized_sizes"),
    shell:
        "python -m workloads.serialized_sizes --settings {params.settings:q}"
        " --input paper=results/paper --output table3={output.table3} 2>&1 | tee {log}"


rule noise_budget:
    output:
        budgets="results/noise/budgets.csv",
    log:
        "results/logs/noise_budget.log",
    benchmark:
        "results/benchmarks/noise_budget.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            seed=CONFIG.seed, seeds=CONFIG.noise.seeds, rows=CONFIG.noise.rows
        ),
        code=code_hash("workloads.noise_budget"),
    shell:
        "python -m workloads.noise_budget --settings {params.settings:q}"
        " --output budgets={output.budgets} 2>&1 | tee {log}"


rule noise_table:
    input:
        budgets=rules.noise_budget.output.budgets,
        recorded="results/recorded/seal/manifest.yaml",
        runs=sorted(map(str, Path("results/recorded/seal").glob("*.csv"))),
        paper=PAPER,
    output:
        table4="results/noise/table4.csv",
    log:
        "results/logs/noise_table.log",
    benchmark:
        "results/benchmarks/noise_table.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("models.noise_table"),
    shell:
        "python -m models.noise_table --input budgets={input.budgets}"
        " recorded=results/recorded/seal paper=results/paper"
        " --output table4={output.table4} 2>&1 | tee {log}"
