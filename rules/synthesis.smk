"""Synthesis of the accelerator's blocks: netlist, activity, timing and power, one table."""

sys.path.insert(0, workflow.basedir)

from rtl.synthesis import blocks as synthesized

SYNTHESIS = f"results/synthesis/{CONFIG.pdk.name}"


wildcard_constraints:
    block="|".join(synthesized.by_name()),


rule synthesis_map:
    input:
        rtl=sorted(map(str, Path("rtl/taco").glob("*"))),
        liberty=CONFIG.pdk.liberty,
    output:
        netlist=f"{SYNTHESIS}/{{block}}/netlist.json",
    log:
        "results/logs/synthesis_map_{block}.log",
    benchmark:
        "results/benchmarks/synthesis_map_{block}.tsv"
    conda:
        "../environment.yml"
    params:
        settings=lambda wildcards: settings(block=wildcards.block, pdk=CONFIG.pdk),
        code=code_hash("rtl.synthesis.map", "rtl.synthesis.mapper"),
    shell:
        "python -m rtl.synthesis.map --settings {params.settings:q}"
        " --output netlist={output.netlist} 2>&1 | tee {log}"


rule synthesis_record:
    input:
        netlists=[
            f"{SYNTHESIS}/{synthesized.reference(module).name}/netlist.json"
            for module in synthesized.block_list().blocks
        ],
        bench=["rtl/tb/machine.py", "rtl/tb/machine.cpp"],
    output:
        recordings=directory(f"{SYNTHESIS}/{{record}}"),
    log:
        "results/logs/synthesis_{record}.log",
    benchmark:
        "results/benchmarks/synthesis_{record}.tsv"
    wildcard_constraints:
        record="recordings",
    conda:
        "../environment.yml"
    params:
        settings=settings(pdk=CONFIG.pdk),
        netlists=lambda wildcards, input: Path(input.netlists[0]).parents[1],
        code=code_hash("rtl.synthesis.record"),
    shell:
        "python -m rtl.synthesis.record --settings {params.settings:q}"
        " --input netlists={params.netlists}"
        " --output recordings={output.recordings} 2>&1 | tee {log}"


rule synthesis_cost:
    input:
        netlist=f"{SYNTHESIS}/{{block}}/netlist.json",
        recordings=f"{SYNTHESIS}/recordings",
        metrics=lambda wildcards: [  # of the blocks that must be known before a block's own
            f"{SYNTHESIS}/{part.name}/metrics.json"
            for part in synthesized.needed(synthesized.by_name()[wildcards.block])
        ],
    output:
        metrics=f"{SYNTHESIS}/{{block}}/metrics.json",
    log:
        "results/logs/synthesis_cost_{block}.log",
    benchmark:
        "results/benchmarks/synthesis_cost_{block}.tsv"
    conda:
        "../environment.yml"
    params:
        settings=lambda wildcards: settings(
            block=wildcards.block, pdk=CONFIG.pdk, opensta=CONFIG.tools.opensta
        ),
        netlists=lambda wildcards, input: Path(input.netlist).parents[1],
        code=code_hash("rtl.synthesis.cost"),
    shell:
        "python -m rtl.synthesis.cost --settings {params.settings:q}"
        " --input netlists={params.netlists} recordings={input.recordings}"
        " --output metrics={output.metrics} 2>&1 | tee {log}"


rule synthesis_table:
    input:
        metrics=expand(
            f"{SYNTHESIS}/{{block}}/metrics.json", block=synthesized.by_name()
        ),
    output:
        blocks=f"{SYNTHESIS}/{{table}}.csv",
    log:
        "results/logs/synthesis_{table}.log",
    benchmark:
        "results/benchmarks/synthesis_{table}.tsv"
    wildcard_constraints:
        table="blocks",
    conda:
        "../environment.yml"
    params:
        library=f"{CONFIG.pdk.name}={SYNTHESIS}",
        code=code_hash("rtl.synthesis.table"),
    shell:
        "python -m rtl.synthesis.table --input {params.library}"
        " --output blocks={output.blocks} 2>&1 | tee {log}"


# Not part of reproduce-all: it needs OpenSTA and takes minutes, and what uses the costs of blocks
# reads the committed table.
rule synthesis:
    input:
        f"{SYNTHESIS}/blocks.csv",


rule synthesis_libraries:
    input:
        recorded="results/recorded/synthesis/manifest.yaml",
        table="results/recorded/synthesis/blocks.csv",
    output:
        document="docs/synthesis-libraries.md",
    log:
        "results/logs/synthesis_libraries.log",
    benchmark:
        "results/benchmarks/synthesis_libraries.tsv"
    conda:
        "../environment.yml"
    params:
        code=code_hash("rtl.synthesis.compare"),
    shell:
        "python -m rtl.synthesis.compare --input recorded={input.recorded}"
        " --output document={output.document} 2>&1 | tee {log}"
