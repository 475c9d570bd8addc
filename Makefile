# Two commands matter: `make demo` and `make test`. Each creates .venv and installs what it needs.

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

# Packages are installed without compiling them, and hundreds of tests start processes: the first import must be the only
# one that compiles.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test check first-half second-half all-tests coverage docs format bench lock audit fuzz mutants clean

demo: .venv/demo
	$(BIN)/auricle demo

# Before every commit: static checks beside unit tests that need no weights, browser or server.
quick: .venv/dev
	$(MAKE) --jobs=3 --output-sync=target first-half second-half check

# Everything. Static checks run beside the tests; many tests wait, so there are more workers than cores.
test: .venv/test
	$(MAKE) --jobs=2 --output-sync=target check all-tests

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/lint_texts.py

# Each collects only its own tests; of two workers of one run, each would collect all of them.
NOT_QUICK := tests/browser/ tests/contract/ tests/crash/ tests/oracle/ tests/scripts/
first-half: HALF = $(filter-out $(NOT_QUICK),$(wildcard tests/[a-m]*/))
second-half: HALF = $(filter-out $(NOT_QUICK),$(wildcard tests/[n-z]*/)) $(wildcard tests/test_*.py)
first-half second-half: .venv/dev
	$(BIN)/python -m pytest -m "not slow and not thorough" $(HALF)

all-tests: .venv/test
	$(PYTEST) --numprocesses 3

# The share of lines that tests execute. Recording them doubles the time of the tests, so `make test` leaves it out.
coverage: .venv/test
	$(PYTEST) --numprocesses 3 --cov --cov-report=
	@echo "Coverage of src/auricle: $$($(BIN)/coverage report --format=total) %"

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation site, in build/docs/site; broken links and pages in no menu are errors. Needs no network.
docs: .venv/docs
	$(BIN)/python scripts/build_docs.py

bench: .venv/test
	$(BIN)/python bench/run_all.py

# Exact versions and hashes for development and CI, after a change of the dependencies in pyproject.toml.
lock: .venv/bin/python
	$(BIN)/python scripts/lock.py write

# What is installed against what is locked. pip-audit, which looks up known vulnerabilities, needs a network.
audit: .venv/test
	$(BIN)/python scripts/audit.py
	@if [ -x $(BIN)/pip-audit ]; then $(BIN)/pip-audit --skip-editable; else echo "pip-audit is not installed: known vulnerabilities were not looked up."; fi

# Hostile sounds, manifests, YAML files and responses: no traceback, no hang, little memory.
fuzz: .venv/test
	$(BIN)/python scripts/fuzz.py

# Small faults that the tests must notice. Takes an hour; a second call continues where the first one stopped.
SEED ?= 0
mutants: .venv/test
	$(BIN)/python scripts/mutate.py --modules engine runs metrics text statistics --count 100 --seed $(SEED) --min-rate 97 --cache .mutants

clean:
	rm -rf .venv .mutants

.venv/bin/python:
	$(PYTHON) -m venv .venv

# Markers record what is installed; a changed lock installs again. Files are accepted only with the hash in the lock.
.venv/demo: .venv/bin/python requirements.lock pyproject.toml
	$(BIN)/python scripts/lock.py install demo
	touch $@

.venv/dev: .venv/bin/python requirements.lock pyproject.toml
	$(BIN)/python scripts/lock.py install dev
	touch $@

.venv/docs: .venv/bin/python requirements.lock pyproject.toml
	$(BIN)/python scripts/lock.py install docs
	touch $@

# Includes what `dev` and `docs` install.
.venv/test: .venv/bin/python requirements.lock pyproject.toml
	$(BIN)/python scripts/lock.py install test
	touch .venv/dev .venv/docs $@
