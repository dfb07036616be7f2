"""The accelerator's RTL: module benches, proofs, lint, the whole machine against SEAL."""


# Always runs when asked for: it makes no file. A benchmark would be one, and would keep the tests
# from running again; the log ends with the times of the slowest.
rule:
    name:
        "rtl-test"
    log:
        "results/logs/rtl_test.log",
    conda:
        "../environment.yml"
    threads: 2
    shell:
        "python -m pytest tests/rtl --numprocesses {threads} --durations 20 2>&1 | tee {log}"
