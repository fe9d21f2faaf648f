# Each target alone sets up what it needs on a fresh machine; the second time it only checks a few time stamps.
# `make help` lists them.

PYTHON ?= python3
BIN    := .venv/bin
PIP    := -m pip install --quiet --disable-pip-version-check
LAB_ARGS ?=
PYTEST_ARGS ?=
# Jupyter asks for this word when it runs as root, as it does in most containers.
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)

.DELETE_ON_ERROR:
.PHONY: help lab test lint types layers unit notebooks browser format bench facts frontend screenshots clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab: .venv/.lab  ## JupyterLab on the tour (more options: LAB_ARGS="--no-browser --port=8890")
	$(BIN)/jupyter lab $(ROOT_FLAG) $(LAB_ARGS) notebooks/00_tour.ipynb

test: lint types layers unit notebooks browser  ## everything a change has to pass

lint: .venv/.dev  ## ruff: rules and format
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet || { echo "not formatted (run: make format):"; $(BIN)/ruff format --check; exit 1; }

types: .venv/.dev  ## mypy --strict
	$(BIN)/mypy

layers: .venv/.dev  ## imports point one way
	@$(BIN)/lint-imports --no-logo --no-cache

unit: .venv/.dev  ## unit, differential and property tests; those of kernels also with all of them compiled
	$(BIN)/pytest -q -n 2 -m "not browser" $(PYTEST_ARGS)
	TFBENCH_FAST=wait TFBENCH_CACHE_DIR=.venv/kernels $(BIN)/pytest -q -n 2 tests/engine/kernels tests/engine/control_flow tests/engine/test_parallel.py $(PYTEST_ARGS)

# Serial: a notebook's cells must stay on one worker, and four kernels start faster one after the other on two cores.
notebooks: export IPYTHONDIR := $(CURDIR)/.venv/ipython
notebooks: .venv/.dev  ## every notebook cell against its saved output
	$(BIN)/pytest -q --nbval --nbval-current-env --nbval-cell-timeout=120 \
	  --nbval-sanitize-with tests/nbval-sanitize.cfg notebooks $(PYTEST_ARGS)

browser: .venv/.dev .venv/.browser  ## the notebook as a person sees it, in Lab and Notebook 7
	$(BIN)/pytest -q -m browser tests/browser $(PYTEST_ARGS)

format: .venv/.dev  ## ruff: sort imports, apply safe fixes, format
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format

bench: .venv-oracle/.done  ## side by side with TensorFlow (installs it, in an environment of its own)
	.venv-oracle/bin/python -m benchmarks $(BENCH_ARGS)

facts: .venv-oracle/.done  ## record again what TensorFlow does
	.venv-oracle/bin/python tests/oracle/record.py $(FACTS)

frontend:  ## check the widget's sources and build its bundle again (needs Node 20)
	cd tfbench/widgets/frontend && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

screenshots: .venv/.dev .venv/.browser  ## the README's pictures, from the notebooks
	$(BIN)/python -m tools.screenshots notebooks/00_tour.ipynb notebooks/10_inspecting_a_real_model.ipynb

clean:  ## forget both environments and every cache
	rm -rf .venv .venv-oracle .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# ---- set-up, each step once ------------------------------------------------------------------------------------------

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit("tfbench needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	touch $@

.venv/.lab: .venv/.made pyproject.toml tools/constraints.txt
	$(BIN)/python $(PIP) -c tools/constraints.txt -e '.[lab]'
	touch $@

.venv/.dev: .venv/.made pyproject.toml tools/constraints.txt
	$(BIN)/python $(PIP) -c tools/constraints.txt -e '.[dev]'
	touch $@ .venv/.lab

# Not a stamp alone: a browser can be removed, and finding it costs a tenth of a second.
.PHONY: .venv/.browser
.venv/.browser: .venv/.dev
	@$(BIN)/python -m tools.ensure_browser

.venv-oracle/.done: pyproject.toml
	$(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python $(PIP) -e '.[oracle]'
	touch $@
