"""Time, energy and area of client operations on CHOCO-TACO; cycles checked against its RTL."""

# What blocks and memories cost: recorded synthesis, and DESTINY's arrays.
COSTS = {
    "blocks": "results/recorded/synthesis/manifest.yaml",
    "blocks_table": "results/recorded/synthesis/blocks.csv",
    "arrays": "results/memory/arrays.csv",
}


rule accelerator_operations:
    input:
        **COSTS,
        client=rules.client_operations.output.operations,
    output:
        operations="results/accelerator/operations.csv",
        breakdown="results/accelerator/breakdown.csv",
        area="results/accelerator/area.csv",
    log:
        "results/logs/accelerator_operations.log",
    benchmark:
        "results/benchmarks/accelerator_operations.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            accelerator=CONFIG.accelerator,
            technology=CONFIG.technology,
            memory=CONFIG.memory,
            parameter_sets=CONFIG.parameter_sets,
            scaling_points=CONFIG.scaling_points,
            client=CONFIG.client,
            ckks_software=CONFIG.ckks_software,
        ),
        code=code_hash("models.accelerator.operations"),
    shell:
        "python -m models.accelerator.operations --settings {params.settings:q}"
        " --input blocks={input.blocks} arrays={input.arrays} client={input.client}"
        " --output operations={output.operations} breakdown={output.breakdown}"
        " area={output.area} 2>&1 | tee {log}"


rule cycle_validation:
    input:
        manifest="results/recorded/rtl/manifest.yaml",
        cycles="results/recorded/rtl/cycles.csv",
    output:
        cycles="results/accelerator/cycle_validation.csv",
    log:
        "results/logs/cycle_validation.log",
    benchmark:
        "results/benchmarks/cycle_validation.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(seed=CONFIG.seed),
        code=code_hash("models.accelerator.cycle_validation"),
    shell:
        "python -m models.accelerator.cycle_validation --settings {params.settings:q}"
        " --input recorded={input.manifest} --output cycles={output.cycles} 2>&1 | tee {log}"


rule layer_validation:
    input:
        blocks=COSTS["blocks"],
        blocks_table=COSTS["blocks_table"],
    output:
        power="results/accelerator/layer_power.csv",
    log:
        "results/logs/layer_validation.log",
    benchmark:
        "results/benchmarks/layer_validation.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(technology=CONFIG.technology),
        code=code_hash("models.accelerator.layer_validation"),
    shell:
        "python -m models.accelerator.layer_validation --settings {params.settings:q}"
        " --input blocks={input.blocks} --output power={output.power} 2>&1 | tee {log}"
