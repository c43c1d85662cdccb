# `make demo` sets everything up, indexes FOLDER (this repository by default) and answers QUERY.
# `make test` sets everything up and passes the tests. Both need only Python >= 3.11, git and make.
# Tests that fail are run once more, alone: many kill processes and race with them on purpose. One that passes only
# then is printed as such, and has a fault to mend (CONTRIBUTING.md). In the order of their names, quick ones come last.
PYTHON ?= python3
VENV ?= .venv
FOLDER ?= .
PYTEST = $(VENV)/bin/python -m pytest
QUERY ?= stop the embedded server when idle

.PHONY: demo test coverage lint docs clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(VENV)/bin/cocosearch-py --pretty index $(FOLDER)
	cd $(FOLDER) && $(abspath $(VENV))/bin/cocosearch-py --pretty search "$(QUERY)"

test: $(VENV)/installed
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder || { \
	  test $$? -eq 1 && $(PYTEST) --last-failed --last-failed-no-failures none -rA --show-capture no && \
	  echo "These passed only alone, and have a fault to mend."; }

# The tests with each line that runs counted, in processes that they start too; fails below the share in pyproject.toml.
coverage: $(VENV)/installed
	rm -rf build/coverage && mkdir -p build/coverage
	$(VENV)/bin/python -m coverage run -m pytest -n 3 --dist loadfile --no-loadscope-reorder
	$(VENV)/bin/python -m coverage combine --quiet
	$(VENV)/bin/python -m coverage report

lint: $(VENV)/installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/installed
	$(VENV)/bin/python tools/docs/cli_reference.py
	$(VENV)/bin/python tools/docs/configuration.py
	$(VENV)/bin/python tools/docs/mcp_tools.py
	$(VENV)/bin/python tools/docs/retrieval.py

clean:
	rm -rf $(VENV) build dist
