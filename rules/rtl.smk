"""The accelerator's RTL: module benches, proofs, lint, the whole machine against SEAL."""


rule:
    name:
        "rtl-test"
    log:
        "results/logs/rtl_test.log",
    conda:
        "../environment.yml"
    threads: 2
    shell:
        "python -m pytest tests/rtl --numprocesses {threads} 2>&1 | tee {log}"
