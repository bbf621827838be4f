# make lab     open the course in JupyterLab          make test       checks and tests, eight minutes
# make .venv   only the environment that they share   make test-all   also the thorough tests
# make tidy    format code, strip notebooks           make wheel      dist/hpml_labs-….whl, to lie
#                                                                     beside a notebook
#
# PYTHON is the interpreter of the environment, VENV its folder:
#     make test PYTHON=python3.14 VENV=.venv-3.14
# Without make: see README.md.

PYTHON ?= python3
VENV ?= .venv
# How pytest runs; the labs and torch's import make two workers pay even on two cores.
PYTEST ?= -n 2 -m "not thorough"

BIN := $(VENV)/bin
# Threads of each test worker. Two workers with more than one each would compete for two cores.
THREADS ?= 1
SET_THREADS := OMP_NUM_THREADS=$(THREADS) MKL_NUM_THREADS=$(THREADS) \
    OPENBLAS_NUM_THREADS=$(THREADS) NUMBA_NUM_THREADS=$(THREADS)
# The versions that pyproject.toml names. On a newer one nothing is pinned: the pins have no wheels.
OLDEST := (3, 11)
NEWEST := (3, 14)

.PHONY: help .venv same-python lab test test-all pytest check tidy wheel mutants
help:
	@sed -n 's/^# \{0,1\}//p; /^$$/q' Makefile

# Named after the usual folder; it makes the folder that VENV names.
.venv: $(VENV)/.installed $(if $(filter command,$(origin PYTHON)),same-python)

# An environment keeps the interpreter that it was made with. So `make PYTHON=...` on an environment of
# another version must fail, instead of running the tests on the wrong one.
VERSION := -c 'import sys; print("%d.%d" % sys.version_info[:2])'
same-python: $(VENV)/.installed
	@is=$$($(BIN)/python $(VERSION)); [ "$$is" = "$$($(PYTHON) $(VERSION))" ] || { \
	    echo "$(VENV) has Python $$is, not '$(PYTHON)'. One beside it: add VENV=.venv-2," >&2; \
	    echo "or delete $(VENV) to have it made anew." >&2; exit 1; }

# The stamp is written last, so an interrupted installation is taken up again, and new pins are
# installed over the old.
$(VENV)/.installed: constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' 2>/dev/null || { \
	    echo "hpml needs Python 3.11 or newer; '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)" >&2; \
	    echo "Install one and name it: make .venv PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	    $(PYTHON) -c 'import ensurepip, venv; ensurepip.version()' 2>/dev/null || { \
	        echo "'$(PYTHON)' cannot make an environment: its module venv or ensurepip is missing." >&2; \
	        $(PYTHON) -c 'import sys; print("Debian, Ubuntu: apt-get install python%d.%d-venv" \
	            % sys.version_info[:2])' >&2; exit 1; }; \
	    mkdir -p $(VENV) 2>/dev/null && [ -w $(VENV) ] || { \
	        echo "$(VENV) cannot be made or written to. Name another folder for the environment:" >&2; \
	        echo "make lab VENV=$${TMPDIR:-/tmp}/hpml-venv" >&2; exit 1; }; \
	    echo "Making $(VENV) with $$($(PYTHON) --version)"; $(PYTHON) -m venv --clear $(VENV); }
	@rm -f $@
	@pins="-c constraints.txt"; \
	$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] > $(NEWEST))' || { pins=; \
	    echo "hpml is tested with Python 3.11 to 3.14; this is $$($(BIN)/python --version). It gets" \
	        "the newest packages, and lab 02's stack machine does not know its bytecode." >&2; }; \
	echo "Installing the course's packages into $(VENV): once, some minutes," \
	    "for the last of which pip says nothing"; \
	set -x; $(BIN)/python -m hpml.course.install $$pins
	@touch $@

lab: .venv
	@$(BIN)/python -m hpml lab

# A student's copy has no tests of the project: what a student writes is not linted there.
test: $(if $(wildcard tests/project),check) pytest

# All tests: long random runs, every lab in a browser, hostile submissions.
test-all:
	@$(MAKE) test PYTEST="-n 2"

pytest: .venv
	$(SET_THREADS) $(BIN)/python -m pytest $(PYTEST)

check: .venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

tidy: .venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(if $(wildcard tests/project),$(BIN)/python -m tests.project.notebooks --write)

# Small faults that no test notices; some seconds for each fault:
#     make mutants PACKAGE=hpml/benchmark/agreement.py
mutants: .venv
	@$(BIN)/python -m pip install -q cosmic-ray
	@PATH="$(abspath $(BIN)):$$PATH" $(SET_THREADS) $(BIN)/python -m tests.project.mutants $(PACKAGE)

wheel: .venv
	$(BIN)/python -P -m hatchling build -t wheel
