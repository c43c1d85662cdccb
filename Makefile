# `make demo` sets everything up, indexes FOLDER (this repository by default) and answers QUERY.
# `make test` sets everything up and passes the tests. Both need only Python >= 3.11, git and make.
# The files of tests run in the order of their names, so that quick ones come last. Property tests get the same examples
# each time.
PYTHON ?= python3
VENV ?= .venv
FOLDER ?= .
TESTS = pytest -n 3 --dist loadfile --no-loadscope-reorder --hypothesis-profile repeatable
QUERY ?= stop the embedded server when idle

# A part of the tests that says whether another PostgreSQL can hold indexes.
SERVER_TESTS = tests/migration tests/jobs tests/editing tests/db/test_searching.py tests/db/test_search_exact_text.py \
  tests/db/test_transfer.py tests/mcp/test_edits.py tests/mcp/test_subscriptions.py

.PHONY: demo test test-server coverage lint docs clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(VENV)/bin/cocosearch-py --pretty index $(FOLDER)
	cd $(FOLDER) && $(abspath $(VENV))/bin/cocosearch-py --pretty search "$(QUERY)"

test: $(VENV)/installed
	$(VENV)/bin/python -m $(TESTS)

# Needs SERVER, the URL of a superuser of that PostgreSQL.
test-server: $(VENV)/installed
	$(VENV)/bin/python -m pytest $(SERVER_TESTS) --server $(SERVER)

# The tests with each line that runs counted, in processes that they start too; fails below the share in pyproject.toml.
coverage: $(VENV)/installed
	rm -rf build/coverage && mkdir -p build/coverage
	$(VENV)/bin/python -m coverage run -m $(TESTS)
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
	$(VENV)/bin/python tools/docs/licences.py

clean:
	rm -rf $(VENV) build dist
