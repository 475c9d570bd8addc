# Two commands matter: `make demo` and `make test`. Each creates .venv and installs what it needs.

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

.PHONY: demo quick test check fast-tests all-tests format bench clean

demo: .venv/demo
	$(BIN)/auricle demo

# Before every commit: static checks beside unit tests that need no weights, browser or server.
quick: .venv/test
	$(MAKE) --jobs=2 --output-sync=target check fast-tests

# Everything. Static checks run beside the tests; many tests wait, so there are more workers than cores.
test: .venv/test
	$(MAKE) --jobs=2 --output-sync=target check all-tests

check: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fast-tests: .venv/test
	$(PYTEST) --numprocesses 2 -m "not slow" tests/unit

all-tests: .venv/test
	$(PYTEST) --numprocesses 3 --cov --cov-report=
	@echo "Coverage of src/auricle: $$($(BIN)/coverage report --format=total) %"

format: .venv/test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/test
	$(BIN)/python bench/run_all.py

clean:
	rm -rf .venv

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# Markers record what is installed; a changed pyproject.toml installs again. The test extra is large, and
# compiling only what is imported is faster than compiling all of it.
.venv/demo: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	touch $@

.venv/test: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test]'
	touch $@
