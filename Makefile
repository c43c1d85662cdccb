# `make demo` sets everything up, indexes FOLDER (this repository by default) and answers QUERY.
# `make test` sets everything up and passes the tests. Both need only Python >= 3.11, git and make.
# Tests that fail are run once more, alone: many kill processes and race with them on purpose. One that passes only
# then is printed as such, and has a fault to mend (CONTRIBUTING.md). In the order of their names, quick ones come last.
PYTHON ?= python3
VENV ?= .venv
FOLDER ?= .
PROGRAM = $(abspath $(VENV))/bin/cocosearch-py
PYTEST = $(VENV)/bin/python -m pytest
QUERY ?= stop the embedded server when idle

.PHONY: demo test coverage lint docs clean

$(VENV)/bin/python: # with the newest pip, which shows its progress
	$(PYTHON) -m venv --upgrade-deps $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install -e .
	touch $@

$(VENV)/with-tools: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install -e '.[dev]'
	touch $(VENV)/installed $@

demo: $(VENV)/installed
	$(PROGRAM) --pretty index $(FOLDER)
	cd $(FOLDER) && $(PROGRAM) --pretty search "$(QUERY)"
	@echo
	@echo "Two commands to try next, in $(abspath $(FOLDER)):"
	@echo "  $(PROGRAM) summarize"
	@echo "  $(PROGRAM) search --interactive"

test: $(VENV)/with-tools
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder || { \
	  test $$? -eq 1 && $(PYTEST) --last-failed --last-failed-no-failures none -rA --show-capture no && \
	  echo "These passed only alone, and have a fault to mend."; }

# The tests with each line that runs counted, in processes that they start too; fails below the share in pyproject.toml.
coverage: $(VENV)/with-tools
	rm -rf build/coverage && mkdir -p build/coverage
	$(VENV)/bin/python -m coverage run -m pytest -n 3 --dist loadfile --no-loadscope-reorder
	$(VENV)/bin/python -m coverage combine --quiet
	$(VENV)/bin/python -m coverage report

lint: $(VENV)/with-tools
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/with-tools
	$(VENV)/bin/python tools/docs/cli_reference.py
	$(VENV)/bin/python tools/docs/configuration.py
	$(VENV)/bin/python tools/docs/mcp_tools.py
	$(VENV)/bin/python tools/docs/retrieval.py

clean:
	rm -rf $(VENV) build dist
