"""Cost of the client's operations on its processor: gem5, or the fast model of its core."""

CLIENT_PROGRAM = sorted(
    str(path)
    for place in ("client_ops", "fast_core")
    for pattern in ("*.cpp", "*.h", "*.txt", "*.yaml", "cmake/*", "seal_source/*")
    for path in Path("workloads", place).glob(pattern)
)

if CONFIG.providers.a7 == "fast":

    # Measured now: seconds for each parameter set, minutes where the program is built first.
    rule client_operations:
        input:
            core=CONFIG.client_program.core,
            sources=CLIENT_PROGRAM,
        output:
            operations="results/profile/client_operations.csv",
            profile="results/profile/client_profile.csv",
            timings="results/profile/client_operations_timings.csv",
        log:
            "results/logs/client_operations.log",
        benchmark:
            "results/benchmarks/client_operations.tsv"
        conda:
            "../environment.yml"
        params:
            settings=settings(
                client=CONFIG.client,
                program=CONFIG.client_program,
                parameter_sets=CONFIG.parameter_sets,
                scaling_points=[
                    p for p in CONFIG.scaling_points if p.poly_modulus_degree <= 16384
                ],
            ),
            code=code_hash("workloads.fast_core.measure"),
        shell:
            "python -m workloads.fast_core.measure --settings {params.settings:q}"
            " --output operations={output.operations} profile={output.profile}"
            " timings={output.timings} 2>&1 | tee {log}"

elif CONFIG.providers.gem5 == "live":

    # Minutes for each parameter set.
    rule client_operations:
        input:
            core=CONFIG.client_program.core,
            board="gem5-configs/cortex_a7.py",
            sources=CLIENT_PROGRAM,
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
                program=CONFIG.client_program,
                parameter_sets=CONFIG.parameter_sets,
                gem5=CONFIG.tools.gem5,
            ),
            code=code_hash("workloads.client_ops.gem5"),
        shell:
            "python -m workloads.client_ops.gem5 --settings {params.settings:q}"
            " --output operations={output.operations} 2>&1 | tee {log}"

else:

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


rule fast_model:
    input:
        fast_model="results/recorded/fast_model/manifest.yaml",
        gem5="results/recorded/gem5/manifest.yaml",
        runs=sorted(
            map(str, Path("results/recorded").glob("fast_model/*.csv")),
        ),
    output:
        errors="results/profile/fast_model_errors.csv",
        shares="results/profile/time_shares.csv",
        extrapolated="results/profile/extrapolated.csv",
    log:
        "results/logs/fast_model.log",
    benchmark:
        "results/benchmarks/fast_model.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(scaling_points=CONFIG.scaling_points),
        code=code_hash("models.client.fast_model"),
    shell:
        "python -m models.client.fast_model --settings {params.settings:q}"
        " --input fast_model={input.fast_model} gem5={input.gem5}"
        " --output errors={output.errors} shares={output.shares}"
        " extrapolated={output.extrapolated} 2>&1 | tee {log}"


rule profile:
    input:
        rules.client_operations.output,
        rules.fast_model.output,


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
