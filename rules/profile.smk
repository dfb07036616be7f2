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
