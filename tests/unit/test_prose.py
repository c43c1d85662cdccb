"""Docstrings and comments keep the rules of CONTRIBUTING.md that a program can check."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "cocosearch_py"
OPENING = re.compile(r"(What|Who|Whoever|It|The same|That)\b")
BARE_FRACTION = re.compile(r"(?<![\w.)\]/*])\.\d")


@cache
def docstrings() -> tuple[tuple[Path, str], ...]:
    """All docstrings with their files, which are relative to the package."""
    places = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return tuple(
        (path.relative_to(SOURCE), text)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, places) and (text := ast.get_docstring(node))
    )


def comments() -> Iterator[tuple[Path, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        yield from ((path.relative_to(SOURCE), token.string) for token in tokens if token.type == tokenize.COMMENT)


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    assert not [(str(path), text.split("\n")[0]) for path, text in docstrings() if OPENING.match(text)]


def test_fractions_have_a_digit_before_the_point() -> None:
    assert not [(str(path), text) for path, text in (*docstrings(), *comments()) if BARE_FRACTION.search(text)]
