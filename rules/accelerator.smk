"""Time and energy of client operations on CHOCO-TACO."""


rule accelerator_operations:
    input:
        recorded="results/recorded/destiny/manifest.yaml",
        arrays="results/recorded/destiny/sram_45nm.csv",
        costs="models/accelerator/unit_costs.yaml",
    output:
        operations="results/accelerator/operations.csv",
        breakdown="results/accelerator/breakdown.csv",
    log:
        "results/logs/accelerator_operations.log",
    benchmark:
        "results/benchmarks/accelerator_operations.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            accelerator=CONFIG.accelerator,
            parameter_sets=CONFIG.parameter_sets,
            scaling_points=CONFIG.scaling_points,
            provider=CONFIG.providers.destiny,
            destiny=CONFIG.tools.destiny,
        ),
        code=code_hash("models.accelerator.operations"),
    shell:
        "python -m models.accelerator.operations --settings {params.settings:q}"
        " --input recorded={input.recorded} costs={input.costs}"
        " --output operations={output.operations}"
        " breakdown={output.breakdown} 2>&1 | tee {log}"
