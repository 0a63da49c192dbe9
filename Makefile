# One command before every commit: make check. PYTHON is the interpreter of an environment with `pip install -e .[dev]`.
PYTHON ?= .venv/bin/python
BIN = $(dir $(PYTHON))

.PHONY: check format lint types imports cover test
check: format lint types imports cover test

format:
	$(BIN)ruff format --check .
lint:
	$(BIN)ruff check .
types:
	$(BIN)mypy
imports:
	$(BIN)lint-imports
# With the compiler off every line of a kernel counts for coverage.
cover:
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q --cov --cov-report=term --cov-fail-under=90
test:
	$(PYTHON) -m pytest -q
