"""Sources without bodies: every line is shown or named, and what declares a function is shown."""

import re
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.navigation.folding import folded
from cocosearch_py.parsing.source import parse_source

MARK = re.compile(r"\s*\.\.\. lines (\d+)-(\d+)")


def fold(language: str, source: str) -> list[str]:
    lines = dict(enumerate(source.removesuffix("\n").split("\n"), start=1))
    return [text for _, text in folded(lines, parse_source(language, source.encode()).symbols)]


def test_a_signature_with_comments_in_it_is_shown() -> None:
    java = 'class A {\n  @SuppressWarnings("all") // why\n  public A() {\n    one();\n    two();\n  }\n}\n'
    assert fold("java", java)[1:] == [
        *('  @SuppressWarnings("all") // why', "  public A() {", "    ... lines 4-5", "  }", "}")
    ]


def test_signatures_of_several_lines_are_shown() -> None:
    python = "def add(\n    one: int,  # the first\n    two: int,\n) -> int:\n    three = one\n    return three + two\n"
    assert fold("python", python) == [*python.split("\n")[:4], "    ... lines 5-6"]
    c = "int\nadd(int one,\n    int two)\n{\n  one++;\n  return one + two;\n}\n"
    assert fold("c", c) == ["int", "add(int one,", "    int two)", "{", "  ... lines 5-6", "}"]
    typescript = "export const add = (one: number, two: number) => {\n  one++;\n  return one + two;\n};\n"
    assert fold("typescript", typescript)[1:] == ["  ... lines 2-3", "};"]


def test_functions_in_functions_are_part_of_the_body() -> None:
    python = "def outer():\n    def inner():\n        return 1\n\n    return inner\n\n\ndef short():\n    return 2\n"
    assert fold("python", python) == ["def outer():", "    ... lines 2-5", "", "", "def short():", "    return 2"]


class Span(NamedTuple):
    kind: str
    name: str
    signature: str
    start_line: int
    end_line: int


@given(
    st.lists(st.sampled_from(["", "}", "def f(", "  x = 1", "{", "f() {", "end", "é"]), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 10), st.sampled_from(["f", "f()", "", "…"])), max_size=6),
)
def test_every_line_is_shown_or_named(texts: list[str], spans: list[tuple[int, int, str]]) -> None:
    lines = dict(enumerate(texts, start=1))
    symbols = [Span("function", "f", signature, start, start + more) for start, more, signature in sorted(spans)]
    covered: list[int] = []
    for number, text in folded(lines, symbols):
        mark = MARK.fullmatch(text)
        covered += range(int(mark[1]), int(mark[2]) + 1) if mark else [number]
        assert mark or text == lines[number]
    assert covered == list(lines)
