"""Likeness of words: what the matcher leaves out for speed is never alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.issue_reports import analyze_query
from cocosearch_py.search.word_similarity import WordMatcher, similarity

# Close to each other in their letters and endings, so that many pairs are alike.
WORDS = st.builds(
    lambda start, end: start + end,
    st.text("abcy", min_size=1, max_size=6),
    st.sampled_from(["", "s", "es", "ed", "ing", "er", "ator", "ation", "ment", "able", "ly", "y", "ies", "e"]),
)


@given(words=st.lists(WORDS, min_size=1, max_size=4), part=WORDS)
def test_the_matcher_compares_each_word(words: list[str], part: str) -> None:
    expected = tuple(similarity(word, part) for word in words)
    assert WordMatcher(words)[part] == (expected if any(expected) else ())


@pytest.mark.parametrize(
    ("text", "part", "words"),
    [
        ("weighted round robin load balancer", "wrr", {"weighted", "round", "robin"}),
        ("how long is the time to live of a key", "ttl", {"time", "live"}),
        ("hostnames resolved in the thread pool", "threadpool", {"thread", "pool"}),
        ("memory allocation wrapper", "zmalloc", {"allocation"}),
        ("weighted round robin (WRR)", "wrr", {"weighted", "round", "robin", "wrr"}),
        ("send request context", "src", set()),
        ("call log items", "cli", set()),
        ("unregister a handler", "wrr", set()),
        ("time to live", "ttlive", set()),
        ("the pool of a thread", "threadpool", {"thread"}),  # they do not stand in this order
        ("list of keys", "ziplist", set()),  # such short words are parts of many
    ],
)
def test_parts_that_a_question_makes_of_its_words(text: str, part: str, words: set[str]) -> None:
    content = analyze_query(text, text).words
    row = WordMatcher(content, text)[part]
    assert {word for word, value in zip(content, row, strict=False) if value} == words
    assert bool(WordMatcher(content, text).coverage([part])) == bool(words)


@given(words=st.lists(WORDS, min_size=1, max_size=4), names=st.lists(st.lists(WORDS, max_size=3), max_size=6))
def test_a_name_is_like_the_words_if_one_of_its_parts_is(words: list[str], names: list[list[str]]) -> None:
    matcher = WordMatcher(words, " ".join(words))
    alike = matcher.alike(names)
    for name in names:
        assert alike.isdisjoint(name) == (not matcher.best_by_word(name))
        assert bool(name and matcher.coverage(name)) == (not alike.isdisjoint(name))
