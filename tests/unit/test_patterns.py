"""Patterns as people write them, as what PostgreSQL is asked."""

import pytest

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.texts import TextPattern
from cocosearch_py.search.patterns import MAX_PATTERN_CHARS, text_pattern


@pytest.mark.parametrize(
    ("pattern", "translated", "literal"),
    [
        ("foo.bar", "foo.bar", "foo"),
        (r"foo\.bar\(", r"foo\.bar\(", "foo.bar("),
        (r"\bword\b", r"\yword\y", "word"),
        (r"\<w\>", r"\mw\M", "w"),
        (r"a\s+b", r"a[ \t\r\f\v]+b", "a"),
        (r"[\s\d_-]", r"[ \t\r\f\v\d_-]", ""),
        (r"\W\D\S", r"[^\w][^\d][^\s]", ""),
        ("(?P<name>a)|(?:b)(c)", "(?:a)|(?:b)(?:c)", ""),
        ("(a|b)cd", "(?:a|b)cd", "cd"),
        ("abc?", "abc?", "ab"),
        ("abc*?d", "abc*d", "ab"),
        ("ab{2,3}c", "ab{2,3}c", "ab"),
        ("abc+d", "abc+d", "abc"),
        ("f() {", "f(?:) \\{", " {"),
        ("[]a]", r"[\]a]", ""),
        ("[[:alpha:]x]", "[[:alpha:]x]", ""),
        (r"\x41\u{e4}", "Aä", "Aä"),
        ("a b", r"a\ b", "a b"),
    ],
)
def test_what_is_written_in_another_way_is_translated(pattern: str, translated: str, literal: str) -> None:
    found = text_pattern(pattern, regex=True, case_sensitive=True)
    assert (found.regex, found.literal) == (translated.replace("f(?:) \\{", r"f(?:)\ \{"), literal)


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("(a", 1),
        ("a)", 2),
        ("a[b", 2),
        ("*a", 1),
        ("a**", 3),
        ("a++", 3),
        ("a{300}", 2),
        ("x(?=a)", 2),
        ("(?<!a)b", 1),
        ("a(?i)b", 2),
        (r"(a)\1", 4),
        (r"\pL", 1),
        (r"a\Z", 2),
        (r"[\W]", 2),
        ("[a[b]]", 3),
        ("[a&&b]", 3),
        (r"a\nb", 2),
        (r"\x{d800}", 1),
        ("\\", 1),
        ("(|*)", 3),
    ],
)
def test_what_cannot_be_searched_for_is_refused_with_its_place(pattern: str, place: int) -> None:
    with pytest.raises(ValidationError, match=rf"\(character {place}\)") as raised:
        text_pattern(pattern, regex=True)
    assert raised.value.hint


@pytest.mark.parametrize("query", ["", "a\nb", "a" * (MAX_PATTERN_CHARS + 1)])
def test_a_query_is_a_part_of_a_line(query: str) -> None:
    with pytest.raises(ValidationError):
        text_pattern(query)


@pytest.mark.parametrize(
    ("query", "options", "ignore_case"),
    [
        ("retry", {}, True),
        ("Retry", {}, False),
        ("retry", {"case_sensitive": True}, False),
        ("Retry", {"case_sensitive": False}, True),
        ("Retry.*", {"case_sensitive": False, "regex": True}, True),
        (r"\Bretry\W", {"regex": True}, True),
        ("[A-Z]x", {"regex": True}, False),
        ("(?i)Retry", {"regex": True}, True),
    ],
)
def test_case_counts_if_there_is_a_capital(query: str, options: dict[str, bool], ignore_case: bool) -> None:
    assert text_pattern(query, **options).ignore_case is ignore_case


def test_a_word_has_no_letter_beside_it() -> None:
    assert text_pattern("f(", word=True) == TextPattern("f(", r"(?<!\w)(?:f\()(?!\w)", ignore_case=True)


@pytest.mark.parametrize(
    ("pattern", "translated", "literal"),
    [
        (r"foo\n.bar", "(?wi)foo\\\n[^\\n]bar", "foo"),
        (r"(?s)a.b", "(?wi)a.b", "a"),
        (r"a\s*?b|cd", r"(?wi)a\s*?b|cd", ""),
        (r"[\s\S]\D[^\n]Def", "(?w)[\\s\\S][^\\d][^\\\n]Def", "Def"),
        ("ab\ncde", "(?wi)ab\\\ncde", "cde"),
    ],
)
def test_matches_may_span_lines(pattern: str, translated: str, literal: str) -> None:
    read = text_pattern(pattern, regex=True, multiline=True)
    assert (read.regex, read.literal) == (translated, literal)
    assert read.to_end is not None
    assert read.branches == (2 if "|" in pattern else 0)


def test_flags_come_first() -> None:
    assert text_pattern("(?is)A.b", regex=True) == TextPattern("A", "A.b", ignore_case=True)
    for pattern in ("a(?s).", "(?x)a", r"a\nb", "[\n]"):
        with pytest.raises(ValidationError):
            text_pattern(pattern, regex=True)


@pytest.mark.parametrize(
    "query",
    ["(a{200}){200}", "((a{100}){100}){100}", "x{0,255}" * 20, "(a{255,}){255,}", "(?:ab|cd){255}" * 5, ".*" * 51],
)
def test_repetitions_have_a_bound_when_they_are_written_out(query: str) -> None:
    with pytest.raises(ValidationError, match="more than 5,000 characters"):
        text_pattern(query, regex=True)


@pytest.mark.parametrize(
    "query", ["a{255}" * 19, "(a{70}){70}", "[a-z]{1,64}@[a-z]{1,255}", ".{0,200}=.{0,200}", ".*a+" * 20]
)
def test_usual_repetitions_are_searched_for(query: str) -> None:
    assert text_pattern(query, regex=True).regex
