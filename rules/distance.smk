"""Encrypted distances: kernels in five packings, K-nearest neighbours and K-means (Figure 11)."""


rule distance_kernels:
    output:
        trace="results/workloads/distance/trace.csv",
        metadata="results/workloads/distance/trace.json",
        timings="results/workloads/distance/timings.csv",
        kernels="results/workloads/distance/kernels.csv",
    log:
        "results/logs/distance_kernels.log",
    benchmark:
        "results/benchmarks/distance_kernels.tsv"
    conda:
        "../environment.yml"
    params:
        settings=distance_settings(),
        code=code_hash("workloads.distance.measure"),
    shell:
        "python -m workloads.distance.measure --settings {params.settings:q}"
        " --output trace={output.trace} metadata={output.metadata} timings={output.timings}"
        " kernels={output.kernels} 2>&1 | tee {log}"


rule distance_applications:
    output:
        trace="results/workloads/distance/applications/trace.csv",
        metadata="results/workloads/distance/applications/trace.json",
        timings="results/workloads/distance/applications/timings.csv",
        applications="results/workloads/distance/applications/summary.csv",
    log:
        "results/logs/distance_applications.log",
    benchmark:
        "results/benchmarks/distance_applications.tsv"
    conda:
        "../environment.yml"
    params:
        settings=distance_settings(),
        code=code_hash("workloads.distance.applications"),
    shell:
        "python -m workloads.distance.applications --settings {params.settings:q}"
        " --output trace={output.trace} metadata={output.metadata} timings={output.timings}"
        " applications={output.applications} 2>&1 | tee {log}"


rule offload_distance:
    input:
        client=rules.client_operations.output.operations,
        accelerator=rules.accelerator_operations.output.operations,
        kernels=rules.distance_kernels.output.kernels,
    output:
        client="results/offload/distance.csv",
        summary="results/offload/distance_summary.csv",
    log:
        "results/logs/offload_distance.log",
    benchmark:
        "results/benchmarks/offload_distance.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            parameter_sets=CONFIG.parameter_sets,
            client=CONFIG.client,
            radio=CONFIG.radio,
        ),
        code=code_hash("models.offload_distance"),
    shell:
        "python -m models.offload_distance --settings {params.settings:q}"
        " --input client={input.client} accelerator={input.accelerator} kernels={input.kernels}"
        " --output client={output.client} summary={output.summary} 2>&1 | tee {log}"
