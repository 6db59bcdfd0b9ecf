# `make` lists the targets. Needed on the machine: make, and a Python of 3.11 or newer (tools/venv.sh finds one, or name
# it: make PYTHON=/path/to/python test). All else goes into .venv, at the versions in constraints.txt.
# ARGS is handed on: make run ARGS="--rounds 10000 --seed 1", make test ARGS="-k deal -x".

BIN := .venv/bin
PYTHON ?=
ARGS ?=
export PYTHON

.PHONY: help run test quick check format cover bounds bench notebooks docs shares pins clean env-run env-dev env-notebooks

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: env-run  ## play a million rounds into a new directory and print the odds
	@$(BIN)/domeng-sim run $(ARGS)

test: check  ## all checks, then all tests (what CI runs)
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

quick: env-dev  ## the tests that take little time, for in between
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" $(ARGS)

check: env-dev  ## format, lint, types, import rules, docstrings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	find domeng_sim -name '*.py' -exec $(BIN)/numpydoc lint {} +

format: env-dev  ## rewrite the sources as `check` wants them
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

# Only without the compiler does coverage see the kernels.
cover: env-dev  ## the tests without the compiler, with coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(ARGS)
	$(BIN)/coverage report
	$(BIN)/coverage html --quiet

# numba's disk cache does not tell code with bounds checks from code without: the checked code gets its own folder.
bounds: env-dev  ## the kernel tests with bounds checks
	NUMBA_BOUNDSCHECK=1 DOMENG_SIM_CACHE="$(CURDIR)/.cache/bounds" $(BIN)/python -m pytest --ignore=tests/cli $(ARGS)

bench: env-dev  ## measure the speed, also against the C program and the naive twin
	$(BIN)/python -m benchmarks $(ARGS)

notebooks: env-notebooks  ## run all notebooks and write them as pages into notebooks/html
	$(BIN)/jupyter-nbconvert --to html --execute --output-dir notebooks/html --log-level WARN $(ARGS) notebooks/*.ipynb
	@echo "Open these in a browser:"; ls notebooks/html/*.html

docs: env-dev  ## write the generated pages of docs/ anew
	$(BIN)/python -m tools.docs $(ARGS)
	$(BIN)/python -m tools.strategies_page

shares: env-dev  ## measure the presets whose shares are not current, or ARGS="--game GAME NAME"
	$(BIN)/python -m tools.preset_shares $(ARGS)
	$(BIN)/python -m tools.strategies_page

pins: env-dev  ## write constraints.txt anew from the newest releases (needs Python 3.11)
	$(BIN)/python tools/pins.py

clean:  ## remove .venv and all that tools and builds left
	rm -rf .venv .cache .coverage .coverage.* htmlcov build dist .hypothesis .import_linter_cache
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

env-run env-dev env-notebooks:
	@sh tools/venv.sh $(@:env-%=%)
