"""On-chip memories: the table of SRAM arrays (DESTINY), its interpolation error, its clocks."""


rule sram_arrays:
    input:
        recorded="results/recorded/destiny/manifest.yaml",
        runs="results/recorded/destiny/arrays_45nm.csv",
        cell="models/memory/sram_6t.cell",
    output:
        arrays="results/memory/arrays.csv",
    log:
        "results/logs/sram_arrays.log",
    benchmark:
        "results/benchmarks/sram_arrays.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            memory=CONFIG.memory,
            provider=CONFIG.providers.destiny,
            destiny=CONFIG.tools.destiny,
        ),
        code=code_hash("models.memory.table"),
    shell:
        "python -m models.memory.table --settings {params.settings:q}"
        " --input recorded={input.recorded} --output arrays={output.arrays}"
        " 2>&1 | tee {log}"


rule sram_study:
    input:
        arrays=rules.sram_arrays.output.arrays,
    output:
        interpolation="results/memory/interpolation.csv",
        clock="results/memory/clock.csv",
    log:
        "results/logs/sram_study.log",
    benchmark:
        "results/benchmarks/sram_study.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(memory=CONFIG.memory),
        code=code_hash("models.memory.study"),
    shell:
        "python -m models.memory.study --settings {params.settings:q}"
        " --input arrays={input.arrays}"
        " --output interpolation={output.interpolation} clock={output.clock}"
        " 2>&1 | tee {log}"
