# Everything a user types. Each target makes the environment first if it is missing or out of date.
#
#   make reproduce-all   regenerate every result of the paper
#   make fig8            one target of the workflow: any name that `make targets` lists
#   make test            lint, types, unit tests, the pipeline on a reduced configuration
#   make system-deps     Debian packages for the optional live tools (needs root)

# The environment manager: the user's uv where there is one, else the one pinned in uv.lock.
UV := $(shell command -v uv 2>/dev/null || echo .tools/uv)
RUN := .venv/bin
CORES ?= all
# Extra arguments for Snakemake, e.g. make fig8 ARGS="--config seed=1"
ARGS ?=

SNAKEMAKE = $(RUN)/snakemake --cores $(CORES)
TARGETS := table3 table4 fig8 fig14 claims report train

.PHONY: reproduce-all $(TARGETS) targets test lint format environment system-deps clean

reproduce-all $(TARGETS): environment
	$(SNAKEMAKE) $@ $(ARGS)

targets: environment
	@$(SNAKEMAKE) --list-target-rules

test: lint
	$(RUN)/pytest --numprocesses auto --maxprocesses 4 $(ARGS)

lint: environment
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/snakefmt --check Snakefile rules
	$(RUN)/snakemake --lint

format: environment
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .
	$(RUN)/snakefmt Snakefile rules

environment: .venv/.up-to-date

.venv/.up-to-date: pyproject.toml uv.lock | $(UV)
	$(UV) sync --frozen
	@touch $@

.tools/uv:
	python3 bootstrap.py

system-deps:
	apt-get update
	xargs --arg-file=apt-packages.txt apt-get install --yes --no-install-recommends

clean:
	rm -rf .snakemake .venv .tools
	git clean -fdX results
