"""The client end to end: software against accelerator, and whole inferences over the radio."""


rule comparison:
    input:
        client=rules.client_operations.output.operations,
        accelerator=rules.accelerator_operations.output.operations,
    output:
        scaling="results/offload/encryption_scaling.csv",
        comparison="results/offload/comparison.csv",
    log:
        "results/logs/comparison.log",
    benchmark:
        "results/benchmarks/comparison.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            scaling_points=CONFIG.scaling_points,
            client=CONFIG.client,
            ckks_software=CONFIG.ckks_software,
        ),
        code=code_hash("models.comparison"),
    shell:
        "python -m models.comparison --settings {params.settings:q}"
        " --input client={input.client} accelerator={input.accelerator}"
        " --output scaling={output.scaling} comparison={output.comparison} 2>&1 | tee {log}"


rule offload_inference:
    input:
        client=rules.client_operations.output.operations,
        accelerator=rules.accelerator_operations.output.operations,
        local=rules.local_inference.output.layers,
        workloads=expand(rules.infer_network.output.summary, network=NETWORKS),
    output:
        inference="results/offload/inference.csv",
    log:
        "results/logs/offload_inference.log",
    benchmark:
        "results/benchmarks/offload_inference.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            parameter_sets=CONFIG.parameter_sets,
            client=CONFIG.client,
            radio=CONFIG.radio,
        ),
        workloads=expand(
            "{network}=results/workloads/{network}/summary.csv", network=NETWORKS
        ),
        code=code_hash("models.offload"),
    shell:
        "python -m models.offload --settings {params.settings:q} --input client={input.client}"
        " accelerator={input.accelerator} local={input.local} {params.workloads}"
        " --output inference={output.inference} 2>&1 | tee {log}"


rule local_comparison:
    input:
        inference=rules.offload_inference.output.inference,
    output:
        comparison="results/offload/local_comparison.csv",
    log:
        "results/logs/local_comparison.log",
    benchmark:
        "results/benchmarks/local_comparison.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("models.local_comparison"),
    shell:
        "python -m models.local_comparison --input inference={input.inference}"
        " --output comparison={output.comparison} 2>&1 | tee {log}"


rule software_gain:
    input:
        client=rules.client_operations.output.operations,
        baseline=rules.baseline_networks.output.baseline,
        workloads=expand(rules.infer_network.output.summary, network=NETWORKS),
    output:
        gain="results/offload/software_gain.csv",
    log:
        "results/logs/software_gain.log",
    benchmark:
        "results/benchmarks/software_gain.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(parameter_sets=CONFIG.parameter_sets, client=CONFIG.client),
        workloads=expand(
            "{network}=results/workloads/{network}/summary.csv", network=NETWORKS
        ),
        code=code_hash("models.software_gain"),
    shell:
        "python -m models.software_gain --settings {params.settings:q} --input client={input.client}"
        " baseline={input.baseline} {params.workloads} --output gain={output.gain} 2>&1 | tee {log}"
