"""CHOCO and CHOCO-TACO from real tools: what can be made, and from which configuration."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/parameters.smk"
include: "rules/permutation.smk"
include: "rules/profile.smk"
include: "rules/workloads.smk"
include: "rules/local_inference.smk"
include: "rules/rtl.smk"
include: "rules/memory.smk"
include: "rules/synthesis.smk"
include: "rules/place_and_route.smk"
include: "rules/accelerator.smk"
include: "rules/dse.smk"
include: "rules/offload.smk"
include: "rules/distance.smk"
include: "rules/pagerank.smk"
include: "rules/communication.smk"
include: "rules/validation.smk"
include: "rules/figures.smk"
include: "rules/report.smk"


# "reproduce-all" is no Python name, so the rule that carries it has none of its own. It asks for
# every file that any rule makes: a deleted one is made again, also where only others need it.
rule:
    name:
        "reproduce-all"
    default_target: True
    input:
        [
            path
            for rule in workflow.rules
            if not rule.wildcard_names
            for path in rule.output
        ],
        expand(rules.infer_network.output, network=NETWORKS),
