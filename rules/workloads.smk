"""Encrypted applications on SEAL: their traces are what the client has to do and to send."""

# Trained weights are committed, so that results do not depend on training; `snakemake train` makes
# them anew. Training writes beside them, for the user to compare and to copy.
NETWORK = "workloads/dnn/networks/{network}.yaml"
NETWORKS = ["lenet_sm", "lenet_lg", "sqznet", "vgg16"]
TRAINED = ["lenet_sm", "lenet_lg"]


rule train_network:
    input:
        network=NETWORK,
    output:
        weights="results/weights/{network}.npz",
    log:
        "results/logs/train_{network}.log",
    benchmark:
        "results/benchmarks/train_{network}.tsv"
    conda:
        "../environment.yml"
    params:
        settings=lambda wildcards: training_settings(wildcards.network),
        code=code_hash("workloads.dnn.train"),
    shell:
        "python -m workloads.dnn.train --settings {params.settings:q}"
        " --input network={input.network} --output weights={output.weights} 2>&1 | tee {log}"


rule train:
    input:
        expand(rules.train_network.output.weights, network=TRAINED),


rule infer_network:
    input:
        network=NETWORK,
        weights=lambda wildcards: weight_file(wildcards.network),
    output:
        trace="results/workloads/{network}/trace.csv",
        metadata="results/workloads/{network}/trace.json",
        summary="results/workloads/{network}/summary.csv",
        timings="results/workloads/{network}/timings.csv",
    log:
        "results/logs/infer_{network}.log",
    benchmark:
        "results/benchmarks/infer_{network}.tsv"
    conda:
        "../environment.yml"
    params:
        settings=lambda wildcards: inference_settings(wildcards.network),
        weights=lambda wildcards, input: [f"weights={path}" for path in input[1:]],
        code=code_hash("workloads.dnn.infer"),
    shell:
        "python -m workloads.dnn.infer --settings {params.settings:q}"
        " --input network={input.network} {params.weights}"
        " --output trace={output.trace} metadata={output.metadata} summary={output.summary}"
        " timings={output.timings} 2>&1 | tee {log}"


rule baseline_networks:
    input:
        networks=expand(NETWORK, network=NETWORKS),
        weights=weight_file("lenet_sm"),
    output:
        baseline="results/workloads/baseline.csv",
    log:
        "results/logs/baseline_networks.log",
    benchmark:
        "results/benchmarks/baseline_networks.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            seed=CONFIG.seed,
            parameter_set="SEAL",
            parameters=CONFIG.parameter_sets["SEAL"],
            measured="lenet_sm",
            inference=CONFIG.networks.lenet_sm,
            datasets=CONFIG.datasets,
        ),
        networks=[f"{name}={NETWORK.format(network=name)}" for name in NETWORKS],
        weights=[f"weights={path}" for path in weight_file("lenet_sm")],
        code=code_hash("workloads.dnn.baseline"),
    shell:
        "python -m workloads.dnn.baseline --settings {params.settings:q}"
        " --input {params.networks} {params.weights} --output baseline={output.baseline} 2>&1 | tee {log}"
