"""Counts in words."""

import pytest

from cocosearch_py.model.counts import counted


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "file", "0 files"),
        (1, "file", "1 file"),
        (1435, "file", "1,435 files"),
        (2, "index", "2 indexes"),
        (2, "class", "2 classes"),
        (2, "dependency", "2 dependencies"),
        (2, "key", "2 keys"),
        (2, "more line", "2 more lines"),
    ],
)
def test_a_noun_agrees_with_its_number(number: int, noun: str, said: str) -> None:
    assert counted(number, noun) == said
