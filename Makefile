# `make demo` sets everything up, indexes FOLDER (this repository by default) and answers QUERY.
# `make test` sets everything up and passes the tests. Both need only Python >= 3.11, git and make.
# The files of tests run in the order of their names, so that quick ones come last. Property tests get the same examples
# each time.
PYTHON ?= python3
VENV ?= .venv
FOLDER ?= .
PROGRAM = $(abspath $(VENV))/bin/cocosearch-py
TESTS = pytest -n 3 --dist loadfile --no-loadscope-reorder --hypothesis-profile repeatable
QUERY ?= stop the embedded server when idle

# A part of the tests that says whether another PostgreSQL can hold indexes.
SERVER_TESTS = tests/migration tests/jobs tests/editing tests/db/test_searching.py tests/db/test_search_exact_text.py \
  tests/db/test_transfer.py tests/mcp/test_edits.py tests/mcp/test_subscriptions.py

.PHONY: demo test test-server coverage lint docs clean

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
	$(VENV)/bin/python -m $(TESTS)

# Needs SERVER, the URL of a superuser of that PostgreSQL.
test-server: $(VENV)/installed
	$(VENV)/bin/python -m pytest $(SERVER_TESTS) --server $(SERVER)

# The tests with each line that runs counted, in processes that they start too; fails below the share in pyproject.toml.
coverage: $(VENV)/with-tools
	rm -rf build/coverage && mkdir -p build/coverage
	$(VENV)/bin/python -m coverage run -m $(TESTS)
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
	$(VENV)/bin/python tools/docs/licences.py

clean:
	rm -rf $(VENV) build dist
