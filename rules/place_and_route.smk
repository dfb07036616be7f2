"""Blocks placed and routed with OpenROAD: `snakemake post-route`, for hours, where OpenROAD is.

Needs pdk.lef and pdk.layout. Nothing else asks for these files. Written against OpenROAD of October
2022; no run of it has been recorded yet.
"""

from rtl.synthesis.place_and_route.settings import block_list as routed_blocks

ROUTED = [block.name for block in routed_blocks().blocks]


wildcard_constraints:
    routed="|".join(ROUTED),


rule routed_netlist:
    input:
        liberty=str(CONFIG.pdk.liberty),
    output:
        netlist="results/place_and_route/{library}/netlists/{routed}/netlist.json",
    log:
        "results/logs/place_and_route/{library}/{routed}/map.log",
    conda:
        "../environment.yml"
    params:
        settings=lambda wildcards: settings(block=wildcards.routed, pdk=CONFIG.pdk),
    shell:
        "python -m rtl.synthesis.place_and_route.map --settings {params.settings:q}"
        " --output netlist={output.netlist} 2>&1 | tee {log}"


rule routed_recordings:
    input:
        netlists=expand(
            rules.routed_netlist.output.netlist, routed=ROUTED, allow_missing=True
        ),
    output:
        recordings=directory("results/place_and_route/{library}/recordings"),
    log:
        "results/logs/place_and_route/{library}/record.log",
    conda:
        "../environment.yml"
    params:
        settings=settings(pdk=CONFIG.pdk),
        netlists=lambda wildcards, input: Path(input.netlists[0]).parents[1],
    shell:
        "python -m rtl.synthesis.place_and_route.record --settings {params.settings:q}"
        " --input netlists={params.netlists}"
        " --output recordings={output.recordings} 2>&1 | tee {log}"


rule routed_block:
    input:
        netlist=rules.routed_netlist.output.netlist,
        recordings=rules.routed_recordings.output.recordings,
        arrays=rules.sram_arrays.output.arrays,
    output:
        metrics="results/place_and_route/{library}/blocks/{routed}/metrics.json",
    log:
        "results/logs/place_and_route/{library}/{routed}/route.log",
    benchmark:
        "results/benchmarks/place_and_route/{library}/{routed}.tsv"
    conda:
        "../environment.yml"
    threads: 2
    params:
        settings=lambda wildcards, threads: settings(
            block=wildcards.routed,
            pdk=CONFIG.pdk,
            memory=CONFIG.memory,
            openroad=CONFIG.tools.openroad,
            threads=threads,
        ),
    shell:
        "python -m rtl.synthesis.place_and_route.run --settings {params.settings:q}"
        " --input netlist={input.netlist} recordings={input.recordings} arrays={input.arrays}"
        " --output metrics={output.metrics} 2>&1 | tee {log}"


rule routed_table:
    input:
        metrics=expand(
            rules.routed_block.output.metrics, routed=ROUTED, allow_missing=True
        ),
    output:
        blocks="results/place_and_route/{library}/blocks.csv",
        post_route="results/place_and_route/{library}/post_route.csv",
    log:
        "results/logs/place_and_route/{library}/table.log",
    conda:
        "../environment.yml"
    params:
        live=lambda wildcards, input: Path(input.metrics[0]).parents[1],
    shell:
        "python -m rtl.synthesis.place_and_route.table --input live={params.live}"
        " --output blocks={output.blocks} post_route={output.post_route} 2>&1 | tee {log}"


rule:
    name:
        "post-route"
    input:
        expand(rules.routed_table.output, library=CONFIG.pdk.name),
