"""Cost of the client's operations on its processor (gem5)."""


rule client_operations:
    input:
        recorded="results/recorded/gem5/manifest.yaml",
        runs=sorted(map(str, Path("results/recorded/gem5").glob("*.stats.txt.gz"))),
    output:
        operations="results/profile/client_operations.csv",
    log:
        "results/logs/client_operations.log",
    benchmark:
        "results/benchmarks/client_operations.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(
            client=CONFIG.client,
            provider=CONFIG.providers.gem5,
            gem5=CONFIG.tools.gem5,
        ),
        code=code_hash("models.client.operations"),
    shell:
        "python -m models.client.operations --settings {params.settings:q}"
        " --input recorded={input.recorded} --output operations={output.operations}"
        " 2>&1 | tee {log}"


# The client program on this machine and for the simulated core: minutes, as SEAL is compiled along.
rule:
    name:
        "client-ops"
    log:
        "results/logs/client_ops.log",
    conda:
        "../environment.yml"
    shell:
        "for target in host armv7a; do python -m workloads.client_ops.build"
        " --settings '{{\"target\": \"'$target'\"}}'"
        " --output program=results/profile/client_ops_$target.json; done 2>&1 | tee {log}"
