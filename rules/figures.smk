"""One target per table and figure of the paper: PDF and PNG to use, SVG for the report."""


rule table3:
    input:
        table3=rules.serialized_sizes.output.table3,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/table3.pdf",
        png="results/figures/table3.png",
        svg=report(
            "results/figures/table3.svg",
            caption="../report/captions/table3.rst",
            category="HE parameters",
            labels={"result": "table3"},
        ),
    log:
        "results/logs/table3.log",
    benchmark:
        "results/benchmarks/table3.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.table3"),
    shell:
        "python -m plots.table3 --input table3={input.table3}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule table4:
    input:
        table4=rules.noise_table.output.table4,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/table4.pdf",
        png="results/figures/table4.png",
        svg=report(
            "results/figures/table4.svg",
            caption="../report/captions/table4.rst",
            category="HE parameters",
            labels={"result": "table4"},
        ),
    log:
        "results/logs/table4.log",
    benchmark:
        "results/benchmarks/table4.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.table4"),
    shell:
        "python -m plots.table4 --input table4={input.table4}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig4:
    input:
        rotations=rules.windowed_rotation.output.rotations,
        timings=rules.windowed_rotation.output.timings,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig4.pdf",
        png="results/figures/fig4.png",
        svg=report(
            "results/figures/fig4.svg",
            caption="../report/captions/fig4.rst",
            category="HE parameters",
            labels={"result": "fig4"},
        ),
    log:
        "results/logs/fig4.log",
    benchmark:
        "results/benchmarks/fig4.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.fig4"),
    shell:
        "python -m plots.fig4 --input rotations={input.rotations} timings={input.timings}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig8:
    input:
        scaling=rules.comparison.output.scaling,
        paper=PAPER,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig8.pdf",
        png="results/figures/fig8.png",
        svg=report(
            "results/figures/fig8.svg",
            caption="../report/captions/fig8.rst",
            category="Accelerator",
            labels={"result": "fig8"},
        ),
    log:
        "results/logs/fig8.log",
    benchmark:
        "results/benchmarks/fig8.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(client=CONFIG.client),
        code=code_hash("plots.fig8"),
    shell:
        "python -m plots.fig8 --settings {params.settings:q} --input scaling={input.scaling} paper=results/paper"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig10:
    input:
        protocols=rules.communication.output.protocols,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig10.pdf",
        png="results/figures/fig10.png",
        svg=report(
            "results/figures/fig10.svg",
            caption="../report/captions/fig10.rst",
            category="Applications",
            labels={"result": "fig10"},
        ),
    log:
        "results/logs/fig10.log",
    benchmark:
        "results/benchmarks/fig10.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.fig10"),
    shell:
        "python -m plots.fig10 --input protocols={input.protocols}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig11:
    input:
        kernels=rules.distance_kernels.output.kernels,
        timings=rules.distance_kernels.output.timings,
        client=rules.offload_distance.output.client,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig11.pdf",
        png="results/figures/fig11.png",
        svg=report(
            "results/figures/fig11.svg",
            caption="../report/captions/fig11.rst",
            category="Applications",
            labels={"result": "fig11"},
        ),
    log:
        "results/logs/fig11.log",
    benchmark:
        "results/benchmarks/fig11.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.fig11"),
    shell:
        "python -m plots.fig11 --input kernels={input.kernels} timings={input.timings}"
        " client={input.client}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig14:
    input:
        inference=rules.offload_inference.output.inference,
        paper=PAPER,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig14.pdf",
        png="results/figures/fig14.png",
        svg=report(
            "results/figures/fig14.svg",
            caption="../report/captions/fig14.rst",
            category="End to end",
            labels={"result": "fig14"},
        ),
    log:
        "results/logs/fig14.log",
    benchmark:
        "results/benchmarks/fig14.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("plots.fig14"),
    shell:
        "python -m plots.fig14 --input inference={input.inference} paper=results/paper"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig13:
    input:
        communication=rules.pagerank_communication.output.communication,
        run=rules.pagerank_client_aided.output.summary,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig13.pdf",
        png="results/figures/fig13.png",
        svg=report(
            "results/figures/fig13.svg",
            caption="../report/captions/fig13.rst",
            category="Workloads",
            labels={"result": "fig13"},
        ),
    log:
        "results/logs/fig13.log",
    benchmark:
        "results/benchmarks/fig13.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(profile=CONFIG.profile),
        code=code_hash("plots.fig13"),
    shell:
        "python -m plots.fig13 --settings {params.settings:q} --input communication={input.communication}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule fig15:
    input:
        layers=rules.layers.output.layers,
        paper=PAPER,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/fig15.pdf",
        png="results/figures/fig15.png",
        svg=report(
            "results/figures/fig15.svg",
            caption="../report/captions/fig15.rst",
            category="End to end",
            labels={"result": "fig15"},
        ),
    log:
        "results/logs/fig15.log",
    benchmark:
        "results/benchmarks/fig15.tsv"
    conda:
        "../environment.yml"
    params:
        settings=settings(client=CONFIG.client, radio=CONFIG.radio),
        code=code_hash("plots.fig15"),
    shell:
        "python -m plots.fig15 --settings {params.settings:q} --input layers={input.layers} paper=results/paper"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"


rule table5:
    input:
        summaries=expand(rules.infer_network.output.summary, network=NETWORKS),
        paper=PAPER,
        style="plots/choco.mplstyle",
    output:
        pdf="results/figures/table5.pdf",
        png="results/figures/table5.png",
        svg=report(
            "results/figures/table5.svg",
            caption="../report/captions/table5.rst",
            category="Workloads",
            labels={"result": "table5"},
        ),
    log:
        "results/logs/table5.log",
    benchmark:
        "results/benchmarks/table5.tsv"
    conda:
        "../environment.yml"
    params:
        summaries=expand(
            "{network}=results/workloads/{network}/summary.csv", network=NETWORKS
        ),
        code=code_hash("plots.table5"),
    shell:
        "python -m plots.table5 --input paper=results/paper {params.summaries}"
        " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"
