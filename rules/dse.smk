"""The study of accelerator designs: the whole space, its front, chosen points."""


rule design_space:
    input:
        **COSTS,
        sweep=CONFIG.design_space.sweep,
        beyond="config/sweeps/beyond_space.yaml",
        paper=PAPER,
    output:
        space="results/accelerator/space.csv",
        selected="results/accelerator/selected.csv",
        summary="results/accelerator/space_summary.csv",
    log:
        "results/logs/design_space.log",
    benchmark:
        "results/benchmarks/design_space.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            design_space=CONFIG.design_space,
            accelerator=CONFIG.accelerator,
            technology=CONFIG.technology,
            memory=CONFIG.memory,
            seed=CONFIG.seed,
        ),
        code=code_hash("models.accelerator.dse"),
    shell:
        "python -m models.accelerator.dse --settings {params.settings:q}"
        " --input blocks={input.blocks} arrays={input.arrays} sweep={input.sweep}"
        " beyond={input.beyond} paper=results/paper"
        " --output space={output.space} selected={output.selected}"
        " summary={output.summary} 2>&1 | tee {log}"


# Prints how fast the simulator is here; nothing depends on it.
rule benchmark_dse:
    input:
        **COSTS,
        small=CONFIG.design_space.sweep,
        large="config/sweeps/large_space.yaml",
    log:
        "results/logs/benchmark_dse.log",
    conda:
        "../environment.yml"
    shell:
        "choco dse benchmark --small {input.small} --large {input.large} 2>&1 | tee {log}"
