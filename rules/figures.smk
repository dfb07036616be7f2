"""One target per table and figure of the paper: PDF and PNG to use, SVG for the report."""

# name: category in Snakemake's report, tables that the plot reads, settings that it needs.
# A plot that shows the paper's numbers has "paper" among its tables.
FIGURES = {
    "table3": (
        "HE parameters",
        {"table3": rules.serialized_sizes.output.table3},
        {},
    ),
    "table4": ("HE parameters", {"table4": rules.noise_table.output.table4}, {}),
    "table5": (
        "Workloads",
        {network: f"results/workloads/{network}/summary.csv" for network in NETWORKS}
        | {"paper": "results/paper"},
        {},
    ),
    "fig4": (
        "HE parameters",
        {
            "rotations": rules.windowed_rotation.output.rotations,
            "timings": rules.windowed_rotation.output.timings,
        },
        {},
    ),
    "fig7": (
        "Accelerator",
        {
            "space": rules.design_space.output.space,
            "selected": rules.design_space.output.selected,
            "paper": "results/paper",
        },
        {"design_space": CONFIG.design_space},
    ),
    "breakdown": (
        "Accelerator",
        {
            "breakdown": rules.accelerator_operations.output.breakdown,
            "area": rules.accelerator_operations.output.area,
        },
        {"parameter_sets": CONFIG.parameter_sets},
    ),
    "fig8": (
        "Accelerator",
        {"scaling": rules.comparison.output.scaling, "paper": "results/paper"},
        {"client": CONFIG.client},
    ),
    "fig10": (
        "Applications",
        {"protocols": rules.communication.output.protocols},
        {},
    ),
    "fig11": (
        "Applications",
        {
            "kernels": rules.distance_kernels.output.kernels,
            "timings": rules.distance_kernels.output.timings,
            "client": rules.offload_distance.output.client,
        },
        {},
    ),
    "fig13": (
        "Workloads",
        {"communication": rules.pagerank_communication.output.communication},
        {"profile": CONFIG.profile},
    ),
    "fig14": (
        "End to end",
        {
            "inference": rules.offload_inference.output.inference,
            "paper": "results/paper",
        },
        {},
    ),
    "fig15": (
        "End to end",
        {"layers": rules.layers.output.layers, "paper": "results/paper"},
        {"client": CONFIG.client, "radio": CONFIG.radio},
    ),
}

for figure, (category, tables, needed) in FIGURES.items():

    rule:
        name:
            figure
        input:
            [path for table, path in tables.items() if table != "paper"],
            PAPER if "paper" in tables else [],
            style="plots/choco.mplstyle",
        output:
            pdf=f"results/figures/{figure}.pdf",
            png=f"results/figures/{figure}.png",
            svg=report(
                f"results/figures/{figure}.svg",
                caption=f"../report/captions/{figure}.rst",
                category=category,
                labels={"result": figure},
            ),
        log:
            f"results/logs/{figure}.log",
        benchmark:
            f"results/benchmarks/{figure}.tsv"
        conda:
            "../environment.yml"
        params:
            module=f"plots.{figure}",
            settings=settings(**needed),
            tables=[f"{table}={path}" for table, path in tables.items()],
            code=code_hash(f"plots.{figure}"),
        shell:
            "python -m {params.module} --settings {params.settings:q} --input {params.tables}"
            " --output pdf={output.pdf} png={output.png} svg={output.svg} 2>&1 | tee {log}"
