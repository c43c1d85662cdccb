"""Which passages of a large index match a pattern, without looking at all of them: by the trigrams it needs.

Passages are looked at in the order of the answer and no further than the page needs: what is common fills it soon.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, dropwhile, islice

from cocosearch_py.analysis.grams import SEGMENT_CHUNKS, common, grams_of
from cocosearch_py.model.texts import TextPattern, TextRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import lines, postings
from cocosearch_py.storage.queries.lines import Passage
from cocosearch_py.storage.queries.postings import PostedList
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.schema.registry import POSTING_MIN_CHUNKS

_MOST_TEXTS = 16  # that are looked up
_FEW_NUMBERS = 16  # looking at so many passages costs less than reading another list
_ALWAYS = 1_000  # passages that are all looked at, so that their files are counted; 5 ms
_FIRST_BATCH = 500
_ONE_BY_ONE = 8  # looking at a passage by its number costs so many times what it does when all are looked at


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Passages that match, as far as the answer needs them.

    Attributes:
        passages: all of them, or those that fill the page.
        file_count, passage_count: of all that were found; there are others where the page was full before.
    """

    passages: list[Passage]
    file_count: int
    passage_count: int


def narrow(conn: Connection, target: Target, request: TextRequest) -> Narrowed | None:
    """Where the answer is; None if every passage of the index has to be looked at."""
    if target.chunk_count < POSTING_MIN_CHUNKS // 2:
        return None
    end = postings.end_of_numbers(conn, target)
    if not end:
        return None
    numbers = _numbers(conn, target, request.pattern)
    after = postings.numbers_of_file(conn, target, request.after.path) if request.after else range(0)
    found = _matching(conn, target, request, iter(range(end)) if numbers is None else numbers, after)
    if found is None:
        return None
    newer = lines.matching_newer(conn, target, request.pattern)
    needed = found if request.count_only or after is None else _on_page(request, found, after)
    return Narrowed([*needed, *newer], len({one.file_id for one in (*found, *newer)}), len(found) + len(newer))


def numbers_of_files(conn: Connection, target: Target, pattern: TextPattern) -> list[int] | None:
    """Numbers of the passages that may hold one of the texts that a match over several lines needs.

    Each of these stands somewhere in its file: the one that the fewest passages hold tells the most. None if every
    passage of the index has to be looked at.
    """
    if target.chunk_count < POSTING_MIN_CHUNKS // 2 or not postings.end_of_numbers(conn, target):
        return None
    of_choices = (_numbers(conn, target, replace(pattern, needed=(choice,))) for choice in pattern.needed[:_MOST_TEXTS])
    found = min((list(numbers) for numbers in of_choices if numbers is not None), key=len, default=None)
    return None if found is None or len(found) > target.chunk_count // _ONE_BY_ONE else found


def _numbers(conn: Connection, target: Target, pattern: TextPattern) -> Iterator[int] | None:
    """Numbers, ascending, of the passages that have all grams of what the pattern needs; None if these are none."""
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
    return (
        segment * SEGMENT_CHUNKS + number for segment in sorted(held) for number in _of_segment(choices, held[segment])
    )


def _of_segment(choices: Sequence[range], lists: Mapping[int, Sequence[PostedList]]) -> Sequence[int]:
    """Numbers in a segment of the passages that may hold a text of each choice."""
    found = []
    for choice in choices:
        of_texts = [common([one.chunks for one in lists[text]], _FEW_NUMBERS) for text in choice if text in lists]
        if not of_texts:
            return ()
        found.append(of_texts)
    if len(found) == len(found[0]) == 1:
        return found[0][0]
    return sorted(set.intersection(*[set().union(*of_texts) for of_texts in found]))


def _matching(
    conn: Connection, target: Target, request: TextRequest, numbers: Iterator[int], after: range | None
) -> list[Passage] | None:
    """Those of the passages that match, as far as the page needs; None if it takes less to look at all of the index.

    Args:
        after: numbers of the file in which the page before ends; None if it has none.
    """
    most = target.chunk_count // _ONE_BY_ONE
    at_once = most if request.count_only else _ALWAYS
    first = list(islice(numbers, at_once + 1))
    if len(first) <= at_once:
        return lines.matching_of(conn, target, request.pattern, first)
    if request.count_only or after is None:
        return None
    found: list[Passage] = []
    looked_at, size = 0, _FIRST_BATCH
    numbers = dropwhile(lambda number: number < after.start, chain(first, numbers))
    while batch := list(islice(numbers, size)):
        looked_at, size = looked_at + len(batch), 2 * size
        if looked_at > most:
            return None
        found += lines.matching_of(conn, target, request.pattern, batch)
        if len(_places(request, found, after)) > request.limit:
            break
    return found


def _on_page(request: TextRequest, found: Sequence[Passage], after: range) -> Iterator[Passage]:
    """Those that the page may show: in the file where the one before ends, and one place more than it has."""
    places = set(list(_places(request, found, after))[: request.limit + 1])
    for one in found:
        if one.number is not None and (one.number in after or _place(request, one) in places):
            yield one


def _places(request: TextRequest, found: Sequence[Passage], after: range) -> dict[object, None]:
    """What fills a page: files or passages behind that file, in the order of the answer."""
    return {_place(request, one): None for one in found if one.number is not None and one.number >= after.stop}


def _place(request: TextRequest, one: Passage) -> object:
    return one.file_id if request.paths_only else one.number
