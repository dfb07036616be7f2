# Everything a user types. Each target makes the environment first if it is missing or out of date.
#
#   make reproduce-all   regenerate every result of the paper
#   make fig8            any one target of the workflow; `make targets` lists them
#   make test            lint, types, unit tests, the workflow on a reduced configuration
#   make system-deps     Debian packages that optional live tools need (as root)
#
# Variables: CORES (default: all), ARGS (more arguments for Snakemake or pytest), e.g.
#   make fig8 CORES=1 ARGS="--config seed=1"

UV ?= .tools/uv
CORES ?= all
ARGS ?=
RUN := .venv/bin

.PHONY: environment targets test lint format system-deps clean

# Any target that is not one of this file's own is the workflow's.
.DEFAULT:
	@$(MAKE) --no-print-directory environment
	$(RUN)/snakemake --cores $(CORES) $@ $(ARGS)

targets: environment
	@$(RUN)/snakemake --quiet all --list-target-rules

test: lint
	$(RUN)/pytest --numprocesses logical --dist loadfile $(ARGS)

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

# The project itself is installed in place, so only its dependencies make this stale.
.venv/.up-to-date: pyproject.toml uv.lock | $(UV)
	$(UV) sync --frozen
	@touch $@

.tools/uv:
	python3 bootstrap.py

system-deps:
	dpkg --add-architecture armhf
	apt-get update
	grep --invert-match '^#' apt-packages.txt | xargs apt-get install --yes --no-install-recommends

clean:
	rm -rf .snakemake .venv .tools
	git clean -fdX results
