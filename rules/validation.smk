"""The document that says how far the models are from what they model."""

# Tables behind the sections of docs/validation.md, by the name that models/validation.py has.
VALIDATION = {
    "cycles": rules.cycle_validation.output.cycles,
    "layer": rules.layer_validation.output.power,
    "interpolation": rules.sram_study.output.interpolation,
}


rule validation:
    input:
        **VALIDATION,
    output:
        document="docs/validation.md",
    log:
        "results/logs/validation.log",
    benchmark:
        "results/benchmarks/validation.tsv"
    conda:
        "../environment.yml"
    params:
        tables=[f"{name}={path}" for name, path in VALIDATION.items()],
        code=code_hash("models.validation"),
    shell:
        "python -m models.validation --input {params.tables}"
        " --output document={output.document} 2>&1 | tee {log}"
