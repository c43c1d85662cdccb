"""Passages that say the same."""

from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.copies import find_copies

PASSAGE = "\n".join(f"    value_{number} = compute({number})" for number in range(20))


def test_a_passage_that_differs_in_a_line_is_a_copy_of_the_first() -> None:
    variant = PASSAGE.replace("compute(3)", "other(3)")
    assert find_copies([PASSAGE, "x = 1\n" * 9, variant, PASSAGE.replace("    ", "\t")]) == {2: 0, 3: 0}


def test_passages_that_differ_in_more_or_are_short_are_none() -> None:
    assert find_copies([PASSAGE, PASSAGE.replace("compute(1", "other(1")]) == {}
    lines = PASSAGE.splitlines()
    for changed in (2, 3, 5, 10):  # of 20 lines
        variant = "\n".join([*lines[:-changed], *(line.upper() for line in lines[-changed:])])
        assert find_copies([PASSAGE, variant]) == {}, changed
    assert find_copies([PASSAGE, "\n".join(lines[:15])]) == {}, "a part of it"
    assert find_copies(["import os\nimport sys\n"] * 2) == {}


@given(st.lists(st.sampled_from([PASSAGE, PASSAGE.upper(), "short", ""]), max_size=8))
def test_what_a_copy_is_of_is_earlier_and_no_copy(passages: list[str]) -> None:
    copies = find_copies(passages)
    assert all(first < copy and first not in copies for copy, first in copies.items())
