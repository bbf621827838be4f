# make lab     open the course in JupyterLab          make test   check and test everything
# make .venv   only the environment both share        make tidy   format code, strip notebooks
#
# PYTHON chooses the interpreter that .venv is made with: make .venv PYTHON=python3.12
# Without make: see README.md.

PYTHON ?= python3
# How pytest runs; the labs and torch's import make two workers pay even on two cores.
PYTEST ?= -n 2 --dist loadgroup

BIN := .venv/bin
# One thread each: two test workers on two cores would otherwise fight over them.
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.PHONY: help .venv lab test check tidy
help:
	@sed -n 's/^# \{0,1\}//p; /^$$/q' Makefile

.venv: .venv/.installed

# The stamp is written last, so an interrupted installation is taken up again, and new pins are
# installed over the old.
.venv/.installed: constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "hpml needs Python 3.11 or newer; '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)" >&2; \
	    echo "Install one and name it: make .venv PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	    echo "Making .venv with $$($(PYTHON) --version)"; $(PYTHON) -m venv --clear .venv; }
	@rm -f $@
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

lab: .venv
	@$(BIN)/python -m hpml lab

test: check
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST)

check: .venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

tidy: .venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m tests.project.notebooks --write
