"""Quoted phrases of a query, and runs of its words in a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.verbatim import MOST_PHRASES, Runs, find_phrases, is_in_string, quotes_most, terms_within
from cocosearch_py.storage.queries.passages import phrase_pattern

MESSAGE = "cannot open file data.txt: permission denied"
EVEN = dict.fromkeys(re.findall(r"\w+", MESSAGE), 1.0)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"not a number"', ("not a number",)),
        ('where is "not a number" raised', ("not a number",)),
        ("who says \u201cnot a number\u201d", ("not a number",)),
        ('raise ValueError("not a number")', ("not a number",)),
        (r'"say \"hi\" to"', ('say "hi" to',)),
        ('"one" and "two"', ("one", "two")),
        ('{"level":"error","msg":"failed"}', ()),
        ('5" disk and 3" disk', ()),
        ('""', ()),
        ('" "', ()),
    ],
)
def test_phrases(query: str, expected: tuple[str, ...]) -> None:
    assert find_phrases(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"not a number"', True),
        ('where is "not a number" raised', True),
        ('CloudPlayer "No formats" with the proxy settings', False),
        ('"%d"', True),
    ],
)
def test_quotes_most(query: str, expected: bool) -> None:
    assert quotes_most(query, find_phrases(query)) is expected


def test_phrases_are_bounded() -> None:
    assert len(find_phrases(" ".join(f'"phrase {number}"' for number in range(20)))) == MOST_PHRASES


def test_a_phrase_may_begin_inside_a_word() -> None:
    assert terms_within("nect to server", whole=False) == ("to",)
    assert terms_within("connect to server") == ("connect", "to", "server")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'raise OSError("{MESSAGE}")', 1.0),
        ('f"cannot open file {name}: permission denied"', 5 / 7),
        ('"cannot open file %s"', 3 / 7),
        ('"cannot open file {path} txt"', 4 / 7),
        ("permission denied. cannot open file", 3 / 7),  # in another order
        ("file open cannot", 0.0),
        ("permission denied", 0.0),  # too short to tell
        ("", 0.0),
    ],
)
def test_share_of_a_message(text: str, expected: float) -> None:
    match = Runs(MESSAGE, EVEN).best_match(text)
    assert (match.share if match else 0.0) == pytest.approx(expected)
    assert match is None or text[match.place :].startswith("cannot")


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_share_is_a_share(query: str, text: str) -> None:
    runs = Runs(query, dict.fromkeys(re.findall(r"\w+", query.lower()), 1.0))
    match = runs.best_match(text)
    assert match is None or (0.0 <= match.share <= 1.0 and 0 <= match.place < len(text))


def test_what_stands_before_a_message_takes_nothing_from_it() -> None:
    runs = Runs("shop: failed to start: cannot open file", {**EVEN, "failed": 1.0, "to": 1.0, "start": 1.0})
    match = runs.best_match('"cannot open file"')
    assert match is not None
    assert match.share == 1.0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('    raise Error("cannot open")', True),
        ("    # the user's file: cannot open", False),
        ("// don't: cannot open", False),
        ("    cannot open", False),
    ],
)
def test_is_in_string(line: str, expected: bool) -> None:
    text = f'x = "a"\n{line}\n'
    assert is_in_string(text, text.index("cannot")) is expected


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("a  b", "a b"),
        ("a b", "a\n    b"),
        ("a b", "// a\n    // b"),
        ('it"s', 'it\\"s'),
        ("f(x)[0]+$", "f(x)[0]+$"),
        ("100% of C:\\tmp", "100% of C:\\tmp"),
    ],
)
def test_a_phrase_matches(phrase: str, text: str) -> None:
    assert re.search(phrase_pattern(phrase, ignore_case=False).text, text)
