"""Networks without encryption on the client's core, and the client's plain operations."""


# The program for the simulated core.
rule:
    name:
        "local-inference"
    log:
        "results/logs/local_inference_build.log",
    conda:
        "../environment.yml"
    shell:
        "python -m workloads.local_inference.build"
        " --output program=results/profile/local_inference_armv7a.json 2>&1 | tee {log}"
