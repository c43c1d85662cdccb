"""Which passages of a large index match a pattern, without looking at all of them: by the trigrams it needs.

Passages are looked at in the order of the answer and no further than the page needs: what is common fills it soon.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from cocosearch_py.analysis.grams import SEGMENT_CHUNKS, among, grams_of, listed
from cocosearch_py.model.texts import TextPattern, TextRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import lines, postings
from cocosearch_py.storage.queries.lines import Passage
from cocosearch_py.storage.queries.postings import PostedList
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.schema.registry import POSTING_MIN_CHUNKS

_MOST_TEXTS = 16  # that are looked up
_FEW_NUMBERS = 16  # looking at so many passages costs less than reading another list
_ALWAYS = 2_000  # passages that are all looked at, so that their files are counted; 10 ms
_FIRST_BATCH = 500
_ONE_BY_ONE = 8  # looking at a passage by its number costs so many times what it does when all are looked at


def narrow(conn: Connection, target: Target, request: TextRequest) -> list[Passage] | None:
    """Passages that match: all of them, or those that fill the page and come before the others.

    Returns:
        None if every passage of the index has to be looked at.
    """
    if target.chunk_count < POSTING_MIN_CHUNKS // 2:
        return None
    end = postings.end_of_numbers(conn, target)
    if not end:
        return None
    numbers = _numbers(conn, target, request.pattern)
    found = _matching(conn, target, request, range(end) if numbers is None else numbers)
    if found is None:
        return None
    return found + lines.matching_newer(conn, target, request.pattern)


def _numbers(conn: Connection, target: Target, pattern: TextPattern) -> list[int] | None:
    """Numbers of the passages that have all grams of what the pattern needs; None if these are none."""
    asked: list[set[int]] = []  # grams of each text
    choices = []  # positions of their texts in `asked`
    for texts in pattern.needed:
        grams = [grams_of(text, ignore_case=pattern.ignore_case) for text in texts]
        if all(grams) and len(asked) + len(grams) <= _MOST_TEXTS:
            choices.append(range(len(asked), len(asked) + len(grams)))
            asked += grams
    if not choices:
        return None
    held: dict[int, dict[int, list[PostedList]]] = defaultdict(lambda: defaultdict(list))
    for one in postings.lists_of(conn, target, asked):
        if one.grams == len(asked[one.text]):
            held[one.segment][one.text].append(one)
    return [
        segment * SEGMENT_CHUNKS + number for segment in sorted(held) for number in _of_segment(choices, held[segment])
    ]


def _of_segment(choices: Sequence[range], lists: Mapping[int, Sequence[PostedList]]) -> list[int]:
    """Numbers in a segment of the passages that may hold a text of each choice."""
    found = [{number for text in choice if text in lists for number in _common(lists[text])} for choice in choices]
    return sorted(set.intersection(*found))


def _common(lists: Sequence[PostedList]) -> list[int]:
    numbers = listed(lists[0].chunks)
    for one in lists[1:]:
        if len(numbers) <= _FEW_NUMBERS:
            break
        numbers = among(numbers, one.chunks)
    return numbers


def _matching(conn: Connection, target: Target, request: TextRequest, numbers: Sequence[int]) -> list[Passage] | None:
    """Those of the passages that match, as far as the page needs; None if it takes less to look at all of the index."""
    most = target.chunk_count // _ONE_BY_ONE
    if len(numbers) <= (most if request.count_only else _ALWAYS):
        return lines.matching_of(conn, target, request.pattern, numbers)
    if request.count_only:
        return None
    first_on_page = 0
    if request.after:
        place = postings.numbers_of_file(conn, target, request.after.path)
        if place is None:
            return None
        first_on_page = place.stop
        numbers = [number for number in numbers if number >= place.start]
    found: list[Passage] = []
    on_page: set[int | tuple[int, int]] = set()
    looked_at = 0
    for batch in _batches(numbers):
        if looked_at + len(batch) > most:
            return None
        looked_at += len(batch)
        held = lines.matching_of(conn, target, request.pattern, batch)
        found += held
        new = [one for one in held if one.number is not None and one.number >= first_on_page]
        on_page |= {one.file_id if request.paths_only else (one.file_id, one.chunk_no) for one in new}
        if len(on_page) > request.limit:
            break
    return found


def _batches(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    start, size = 0, _FIRST_BATCH
    while start < len(numbers):
        yield numbers[start : start + size]
        start, size = start + size, 2 * size
