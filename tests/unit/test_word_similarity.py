"""Likeness of words: what the matcher leaves out for speed is never alike."""

from hypothesis import given
from hypothesis import strategies as st

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
