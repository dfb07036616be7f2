"""Communication: beside published protocols (Figure 10), and against computation (Figure 15)."""


rule communication:
    input:
        lenet_lg="results/workloads/lenet_lg/summary.csv",
        sqznet="results/workloads/sqznet/summary.csv",
        published="models/baselines/protocols.yaml",
        paper=PAPER,
    output:
        protocols="results/communication/protocols.csv",
        reductions="results/communication/reductions.csv",
    log:
        "results/logs/communication.log",
    benchmark:
        "results/benchmarks/communication.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("models.communication"),
    shell:
        "python -m models.communication --input lenet_lg={input.lenet_lg} sqznet={input.sqznet}"
        " published={input.published} paper=results/paper"
        " --output protocols={output.protocols} reductions={output.reductions} 2>&1 | tee {log}"


rule layers:
    input:
        sqznet="workloads/dnn/networks/sqznet.yaml",
        vgg16="workloads/dnn/networks/vgg16.yaml",
    output:
        layers="results/communication/layers.csv",
    log:
        "results/logs/layers.log",
    benchmark:
        "results/benchmarks/layers.tsv"
    conda:
        "../environment.yml"
    params:
        settings=layer_settings("sqznet", "vgg16"),
        code=code_hash("workloads.dnn.microbenchmark"),
    shell:
        "python -m workloads.dnn.microbenchmark --settings {params.settings:q}"
        " --input sqznet={input.sqznet} vgg16={input.vgg16}"
        " --output layers={output.layers} 2>&1 | tee {log}"
