# `make demo` sets everything up, indexes FOLDER (this repository by default) and answers QUERY.
# `make test` sets everything up and passes the tests. Both need only Python >= 3.11, git and make.
PYTHON ?= python3
VENV ?= .venv
FOLDER ?= .
QUERY ?= how are keyword and vector results fused

.PHONY: demo test coverage lint docs clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(VENV)/bin/cocosearch-py --pretty index $(FOLDER)
	cd $(FOLDER) && $(abspath $(VENV))/bin/cocosearch-py --pretty search "$(QUERY)"

test: $(VENV)/installed
	$(VENV)/bin/python -m pytest -n 3 --dist loadfile

# The tests with each line that runs counted, in processes that they start too; fails below the share in pyproject.toml.
coverage: $(VENV)/installed
	rm -rf build/coverage && mkdir -p build/coverage
	$(VENV)/bin/python -m coverage run -m pytest -n 3 --dist loadfile
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
