"""The text that every match of a pattern holds, which decides what is looked at."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.search.patterns import text_pattern


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("foo", "foo"),
        ("foo|bar", ""),
        ("foo|", ""),
        ("(get|set)_name.*token", "_name"),
        ("(?:get)_name", "_name"),
        ("x(get_name)+y", "get_name"),
        ("x(get_name)*yz", "yz"),
        ("x(a(b|c)get_name)y", "get_name"),
        ("colou?r", "colo"),
        ("ab{2}c", "ab"),
        ("a{0}b", "b"),
        ("[Ff]oo$", "oo"),
        (r"\bfoo\b", "foo"),
        (r"^\s*$", ""),
        ("foo|.*", ""),
    ],
)
def test_longest_text_of_a_pattern(pattern: str, literal: str) -> None:
    assert text_pattern(pattern, regex=True).literal == literal


PIECES = st.sampled_from(
    [
        "a",
        "b",
        "cd",
        "é",
        ".",
        r"\w",
        r"\s*",
        "[ab]",
        "[^a]",
        "[a-c]",
        "x?",
        "y*",
        "z+",
        "e{2}",
        "f{1,3}",
        "g{2,}",
        "h{0,2}",
    ]
)
PATTERNS = st.recursive(
    st.lists(PIECES, min_size=1, max_size=4).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0}", "{1,2}"])).map(
            lambda one: f"({one[0]}){one[1]}"
        ),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=400)
@given(st.data(), PATTERNS)
def test_every_match_holds_the_literal(data: st.DataObject, pattern: str) -> None:
    read = text_pattern(pattern, regex=True, case_sensitive=True)
    assert read.literal in data.draw(st.from_regex(re.compile(pattern), fullmatch=True))
