"""Quoted phrases of a query, and runs of its words in a text."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.verbatim import (
    MOST_PHRASES,
    Runs,
    find_phrases,
    has_placeholders,
    is_in_string,
    is_message,
    is_printed,
    quotes_most,
    telling_runs,
    terms_within,
    without_values,
)
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


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('the service "app" does not have any type defined', "does not have any type defined"),
        ("error: the user may not have the role: MANAGE_ORDERS", "the user may not have the role"),
        ("Rule Xyzzy: skipping attachment logo of that kind", "skipping attachment logo of that kind"),
        ("no xyzzy was written into the folder", "was written into the folder"),
        ("it is not so, and was not", ""),  # function words alone
        ('the "app" has failed', ""),  # too short
        ("you do not have access to the xyzzy", "you do not have access to the"),  # one word that says something
        ("xyzzy: key is locked", "key is locked"),
    ],
)
def test_the_longest_run_of_a_message(message: str, expected: str) -> None:
    def is_known(terms: Sequence[str]) -> bool:
        return not terms[0].startswith("xyzz")

    assert " ".join(next(iter(telling_runs(message, is_known)), [])) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no %s in %-3d", True),
        ("delete '${token.id}'?", True),
        ("no {} in {x!r:}", True),
        (r"\(url) is bad", True),
        ('100% of {"a": 1}', False),
    ],
)
def test_placeholders(text: str, expected: bool) -> None:
    assert has_placeholders(text) is expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("The [/var/data.json] group is gone", "The [ ] group is gone"),
        ("name=etc/a.yml, 12 left", "name= , left"),
        ("invalid user/password; 12", "invalid user/password;"),
        ("no status for orders/main", "no status for"),
        ("[warn] cannot migrate", "cannot migrate"),
        ("error creating patch: 12", "error creating patch:"),
    ],
)
def test_a_message_without_what_is_filled_in(message: str, expected: str) -> None:
    assert without_values(message) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Failed to resolve the package from orders", True),
        ("2026-03-02 ERROR no such thing", True),
        ("There are no such things.", True),
        ("what happens when a file cannot be read", False),
        ("error handling of the parser", False),
        ("postgres image: 17", False),
        ("the go version that is required", False),
    ],
)
def test_what_programs_print_is_no_question(text: str, expected: bool) -> None:
    assert is_printed(text) is expected
    assert is_message(text) or not expected


def test_a_word_before_and_in_a_value_takes_nothing_from_a_message() -> None:
    message = "no value in setup file must be a function"
    match = Runs(message, dict.fromkeys(message.split(), 1.0)).best_match(
        "`no value in setup file ${setup.file}. Must be a function`"
    )
    assert match is not None
    assert match.share == 1.0


def test_the_place_of_a_message_is_in_a_string_where_a_comment_says_the_same() -> None:
    text = '# cannot open file\nraise OSError("cannot open file")'
    match = Runs("cannot open file", EVEN).best_match(text)
    assert match is not None
    assert is_in_string(text, match.place)


def test_a_name_before_a_value_counts() -> None:
    runs = Runs("Attempt x4711 is not assigned", dict.fromkeys(["attempt", "is", "not", "assigned"], 1.0))
    match = runs.best_match('raise ValueError(f"Attempt {attempt.id} is not assigned")')
    assert match is not None
    assert match.share == 1.0


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
    ("opening", "expected"),
    [
        ('message = """\\', True),
        ("raise Failed('''", True),
        ('    """', False),
        ('    r"""', False),
        ('"""a""" + b', False),
    ],
)
def test_a_triple_quote_opens_a_string_unless_it_begins_its_line(opening: str, expected: bool) -> None:
    text = f"def one():\n{opening}\nWorking outside of context."
    assert is_in_string(text, text.index("Working")) is expected


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
