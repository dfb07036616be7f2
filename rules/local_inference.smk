"""Networks without encryption on the client's core, and the client's plain operations."""

# Cycles of layers: run now on the fast model, or recorded from it on the same core.
CORE = str(CONFIG.client_program.core)
if CONFIG.providers.a7 == "fast":
    LAYER_CYCLES = {"cycles": "results/client/layer_cycles.csv"}
else:
    LAYER_CYCLES = {"recorded": "results/recorded/inference/manifest.yaml"}


# The program for the simulated core: half a minute.
rule:
    name:
        "local-inference-program"
    log:
        "results/logs/local_inference_program.log",
    conda:
        "../environment.yml"
    shell:
        "python -m workloads.local_inference.build"
        " --output program=results/client/local_inference_program.json 2>&1 | tee {log}"


if CONFIG.providers.a7 == "fast":

    # Minutes: every layer of all networks, in two types.
    rule layer_cycles:
        input:
            networks=expand(NETWORK, network=NETWORKS),
            core=CORE,
        output:
            cycles="results/client/layer_cycles.csv",
            timings="results/client/timings.csv",
        log:
            "results/logs/layer_cycles.log",
        benchmark:
            "results/benchmarks/layer_cycles.tsv"
        conda:
            "../environment.yml"
        params:
            settings=settings(core=CONFIG.client_program.core),
            networks=[f"{name}={NETWORK.format(network=name)}" for name in NETWORKS],
            code=code_hash("workloads.local_inference.measure"),
        shell:
            "python -m workloads.local_inference.measure --settings {params.settings:q}"
            " --input {params.networks} --output cycles={output.cycles} timings={output.timings}"
            " 2>&1 | tee {log}"


if CONFIG.providers.gem5 == "live":

    # Minutes: some layers on gem5, to see how far the fast model is from it.
    rule layer_error:
        input:
            layers="workloads/local_inference/checked_layers.yaml",
            board="gem5-configs/cortex_a7.py",
            core=CORE,
        output:
            error="results/client/layer_error.csv",
            timings="results/client/layer_error/timings.csv",
        log:
            "results/logs/layer_error.log",
        benchmark:
            "results/benchmarks/layer_error.tsv"
        conda:
            "../environment.yml"
        params:
            settings=settings(core=CONFIG.client_program.core, gem5=CONFIG.tools.gem5),
            code=code_hash("workloads.local_inference.gem5"),
        shell:
            "python -m workloads.local_inference.gem5 --settings {params.settings:q}"
            " --output error={output.error} timings={output.timings} 2>&1 | tee {log}"


rule local_inference:
    input:
        **LAYER_CYCLES,
        runs=sorted(map(str, Path("results/recorded/inference").glob("*.csv"))),
    output:
        layers="results/client/local_inference.csv",
        networks="results/client/local_networks.csv",
    log:
        "results/logs/local_inference.log",
    benchmark:
        "results/benchmarks/local_inference.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(client=CONFIG.client, run=Path(CORE).stem),
        inputs=[f"{name}={path}" for name, path in LAYER_CYCLES.items()],
        code=code_hash("models.client.inference"),
    shell:
        "python -m models.client.inference --settings {params.settings:q} --input {params.inputs}"
        " --output layers={output.layers} networks={output.networks} 2>&1 | tee {log}"
