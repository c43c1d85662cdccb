"""How the tests of facts write them."""

from itertools import groupby

import pytest

from cocosearch_py.model.references import FileFacts
from cocosearch_py.parsing import has_grammar, parse_source


def check_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    """Compare the facts of a source with lines of text.

    `uses` are "line: kind qualifier name, ...", `imports` "line: module name alias" with "-" for what is not there,
    `figures` "function complexity nesting parameters".
    """
    if not has_grammar(language_id):
        pytest.skip("its grammar is not installed here")
    parsed = parse_source(language_id, source.encode())
    facts = parsed.facts
    assert _uses(facts) == uses
    shown = (f"{one.line}: {one.module} {one.name or '-'} {one.alias or '-'}\n" for one in facts.imports)
    assert "".join(shown) == imports
    rows = (
        f"{parsed.symbols[number].name} {one.cyclomatic} {one.max_nesting} {one.parameter_count}\n"
        for number, one in facts.metrics
    )
    assert "".join(rows) == figures


def _uses(facts: FileFacts) -> str:
    lines = groupby(facts.references, key=lambda one: one.line)
    return "".join(
        f"{line}: {', '.join(' '.join(filter(None, (one.kind, one.qualifier, one.name))) for one in uses)}\n"
        for line, uses in lines
    )
