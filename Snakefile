"""CHOCO and CHOCO-TACO from real tools: what can be made, and from which configuration."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/parameters.smk"
include: "rules/profile.smk"
include: "rules/workloads.smk"
include: "rules/rtl.smk"
include: "rules/accelerator.smk"
include: "rules/offload.smk"
include: "rules/figures.smk"
include: "rules/report.smk"


# "reproduce-all" is no Python name, so the rule that carries it has none of its own.
