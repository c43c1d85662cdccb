"""What holds a text holds its grams: the lists made of many texts at once agree with the grams of each."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.analysis.grams import BITS, GAPS, NUMBERS, among, grams_of, listed
from cocosearch_py.indexing.gram_lists import lists_of
from cocosearch_py.search.literals import Needs
from cocosearch_py.search.patterns import text_pattern

LETTERS = st.sampled_from("abKſsS\nüÜİi \u212a𝒳")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(LETTERS, max_size=40), max_size=40))
def test_lists_have_the_texts_that_hold_a_gram(texts: list[str]) -> None:
    expected: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        for gram in grams_of(text, ignore_case=False):
            expected.setdefault(gram, []).append(number)
    found = {gram: (count, listed(held)) for gram, count, held in lists_of(texts)}
    assert found == {gram: (len(numbers), numbers) for gram, numbers in expected.items()}


@settings(deadline=None)
@given(st.text(LETTERS, max_size=30), st.text(LETTERS, max_size=5), st.text(LETTERS, max_size=5), st.booleans())
def test_what_holds_a_text_holds_its_grams(text: str, before: str, after: str, upper: bool) -> None:
    around = before + text + after
    assert grams_of(text, ignore_case=False) <= grams_of(around, ignore_case=False)
    other = (text.upper() if upper else text.lower()) if text.isascii() else text
    assert grams_of(text, ignore_case=True) <= grams_of(before + other + after, ignore_case=False)


def test_letters_that_are_alike_where_case_does_not_count_have_the_same_grams() -> None:
    assert grams_of("task", ignore_case=True) == grams_of("TAſ\u212a", ignore_case=False)
    assert not grams_of("äöü", ignore_case=True)
    assert grams_of("äöü", ignore_case=False) != grams_of("ÄÖÜ", ignore_case=False)


@pytest.mark.parametrize(
    ("numbers", "form"),
    [
        ([5, 60_000], NUMBERS),
        (list(range(0, 60_000, 40)), GAPS),
        (list(range(0, 60_000, 3)), BITS),
        ([0, 600], NUMBERS),
    ],
)
def test_a_list_is_written_in_its_shortest_form(numbers: list[int], form: bytes) -> None:
    wanted = set(numbers)
    texts = ["abc" if number in wanted else "" for number in range(numbers[-1] + 1)]
    ((_, count, held),) = lists_of(texts)
    assert (count, held[:1], listed(held)) == (len(numbers), form, numbers)
    some = list(range(0, 65_536, 5))
    assert among(some, held) == [number for number in some if number in wanted]


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("foo", {("foo",)}),
        ("foo|bar", {("bar", "foo")}),
        ("(get|set)_name.*token", {("get_name", "set_name"), ("token",)}),
        ("colou?r", {("color", "colour")}),
        ("ab{2}c", {("abbc",)}),
        ("ab{2,}c", {("abb",), ("bc",)}),
        ("x(ab)*y", {("x",), ("y",)}),
        ("x(a.b)?y", {("x",), ("y",)}),
        ("x(a.b)+y", {("x",), ("a",), ("b",), ("y",)}),
        ("[Ff]oo$", {("Foo", "foo")}),
        (r"\bfoo\b", {("foo",)}),
        (r"^\s*$", set()),
        ("foo|.*", set()),
        ("foo|", set()),
        ("(foo.|bar)baz", {("baz",), ("bar", "foo")}),
        ("(?:)a", {("a",)}),
        ("[^a]b", {("b",)}),
        ("a{0}b", {("b",)}),
    ],
)
def test_what_a_pattern_needs(pattern: str, needed: set[tuple[str, ...]]) -> None:
    assert set(text_pattern(pattern, regex=True).needed) == needed


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
def test_every_match_has_what_the_pattern_needs(data: st.DataObject, pattern: str) -> None:
    needed = text_pattern(pattern, regex=True, case_sensitive=True)
    match = data.draw(st.from_regex(re.compile(pattern), fullmatch=True))
    assert needed.literal in match
    for choice in needed.needed:
        assert any(text in match for text in choice), (choice, match)


def test_a_pattern_that_can_be_too_much_needs_less() -> None:
    assert text_pattern("[ab]" * 40 + "end", regex=True).needed
    assert text_pattern("((a|b)(c|d)){200}", regex=True).needed
    needs = Needs()
    needs.text("a")
    needs.repeat(255, None)
    assert all(len(text) <= 255 for choice in needs.found() for text in choice)
