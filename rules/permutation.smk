"""Windowed rotations in sequence, by masking and by rotational redundancy (Figure 4)."""


rule windowed_rotation:
    output:
        rotations="results/permutation/windowed_rotation.csv",
        timings="results/permutation/timings.csv",
    log:
        "results/logs/windowed_rotation.log",
    benchmark:
        "results/benchmarks/windowed_rotation.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            seed=CONFIG.seed,
            parameter_sets={
                name: CONFIG.parameter_sets[name]
                for name in CONFIG.permutation.parameter_sets
            },
            permutation=CONFIG.permutation,
        ),
        code=code_hash("workloads.windowed_rotation"),
    shell:
        "python -m workloads.windowed_rotation --settings {params.settings:q}"
        " --output rotations={output.rotations} timings={output.timings} 2>&1 | tee {log}"
