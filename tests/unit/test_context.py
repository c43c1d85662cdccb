"""Lines around a hit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.model.search import MAX_CONTEXT_LINES, SearchRequest
from cocosearch_py.search.context import MAX_LINE_CHARS, context_range, context_reach, cut_lines

LINE = st.integers(1, 300)


def size(bounds: tuple[int, int]) -> int:
    return max(0, bounds[1] - bounds[0] + 1)


@given(LINE, st.integers(0, 80), st.integers(0, 200), st.integers(0, 200))
def test_smart_context(start: int, length: int, above: int, below: int) -> None:
    end = start + length
    scope = (max(1, start - above), end + below)
    found = context_range(SearchRequest("x"), start, end, scope)
    before, after = size(found.before), size(found.after)
    assert found.before[1] == start - 1 and found.after[0] == end + 1  # both touch the hit
    assert found.before[0] >= scope[0] and found.after[1] <= scope[1]
    assert before + after + length + 1 <= max(MAX_CONTEXT_LINES, length + 1)
    whole = scope[1] - scope[0] + 1
    if whole <= MAX_CONTEXT_LINES:
        assert (found.before[0], found.after[1]) == scope
    elif length + 1 < MAX_CONTEXT_LINES:
        assert before + after + length + 1 == MAX_CONTEXT_LINES  # no line is given away


@given(LINE, st.integers(0, 80), LINE, st.integers(0, 200))
def test_scope_that_does_not_hold_the_hit(start: int, length: int, first: int, more: int) -> None:
    found = context_range(SearchRequest("x"), start, start + length, (first, first + more))
    assert found.before[0] >= 1
    assert size(found.before) + size(found.after) + length + 1 <= max(MAX_CONTEXT_LINES, length + 1)


@given(LINE, st.integers(0, 80), st.one_of(st.none(), st.integers(0, 50)), st.one_of(st.none(), st.integers(0, 50)))
def test_exact_counts_win(start: int, length: int, before: int | None, after: int | None) -> None:
    request = SearchRequest("x", context_before=before, context_after=after)
    found = context_range(request, start, start + length, (1, 1_000))
    if before is None and after is None:
        return
    assert size(found.before) == min(before or 0, start - 1)
    assert size(found.after) == (after or 0)


def test_no_context() -> None:
    assert context_range(SearchRequest("x", smart_context=False), 10, 20, (1, 50)).is_empty
    assert context_range(SearchRequest("x"), 10, 20, None).is_empty
    assert context_range(SearchRequest("x"), 10, 20, (10, 20)).is_empty


@given(st.lists(st.text("ab ", max_size=5), min_size=1, max_size=30), st.data())
def test_cut_lines_of_consecutive_chunks(lines: list[str], data: st.DataObject) -> None:
    text = "".join(line + "\n" for line in lines)
    at = data.draw(st.integers(0, len(lines)))
    head = "".join(line + "\n" for line in lines[:at])
    chunks = [(number, part) for number, part in ((1, head), (at + 1, text[len(head) :])) if part]
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    assert cut_lines(chunks, first, last) == "\n".join(lines[first - 1 : last])


@pytest.mark.parametrize(("first", "last"), [(3, 2), (1, 0)])
def test_empty_range(first: int, last: int) -> None:
    assert cut_lines([(1, "a\nb\n")], first, last) == ""


def test_range_over_the_end() -> None:
    assert cut_lines([(1, "a\nb")], 2, 9) == "b"
    assert cut_lines([], 1, 5) == ""


def test_context_after_the_last_line_is_not_an_empty_line() -> None:
    assert cut_lines([(1, "a\nb\n")], 2, 9) == "b"
    assert cut_lines([(1, "a\nb\n")], 3, 9) == ""


def test_long_lines_are_cut() -> None:
    assert cut_lines([(1, "x" * 500 + "\nshort\n")], 1, 2) == "x" * MAX_LINE_CHARS + "...\nshort"


COUNT = st.none() | st.integers(0, 50)


@given(LINE, st.integers(0, 80), st.integers(0, 200), st.integers(0, 200), COUNT, COUNT, st.booleans())
def test_no_more_lines_are_wanted_than_the_reach_brings(
    start: int, length: int, above: int, below: int, before: int | None, after: int | None, smart: bool
) -> None:
    request = SearchRequest("x", context_before=before, context_after=after, smart_context=smart)
    end, scope = start + length, (max(1, start - above), start + length + below)
    wanted, reach = context_range(request, start, end, scope), context_reach(request)
    first, last = start - reach.before, end + reach.after
    assert wanted.before[0] >= max(1, first) and wanted.after[1] <= last
