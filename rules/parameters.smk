rule x:
    output: "results/x.txt"
    log: "results/logs/x.log"
    shell: "which python | tee {output}"
