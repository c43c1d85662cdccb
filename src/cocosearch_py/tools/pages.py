"""Pages of answers: where the next one begins. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.indexes import IndexRecord

R = TypeVar("R")

_CURSOR = re.compile(r"([a-z]{1,20}):(\d{1,4}):(\d{1,9})")


class Cursor(NamedTuple):
    """Where a page begins: how it was searched, the number of the index, and what of it was shown before."""

    mode: str
    number: int
    offset: int

    def __str__(self) -> str:
        return f"{self.mode}:{self.number}:{self.offset}"


def read_cursor(text: str | None, modes: Sequence[str], indexes: int) -> Cursor | None:
    """The cursor that a caller gave back.

    Raises:
        ValidationError: it is not one of ours.
    """
    if text is None:
        return None
    read = _CURSOR.fullmatch(text)
    if read is None or read[1] not in modes or int(read[2]) >= indexes:
        raise ValidationError("invalid cursor", hint="pass next_cursor of the previous answer unchanged")
    return Cursor(read[1], int(read[2]), int(read[3]))


def fill(
    records: Sequence[IndexRecord],
    begin: Cursor,
    room: int,
    look: Callable[[IndexRecord, int, int], R],
    count: Callable[[R], int],
) -> list[tuple[IndexRecord, R]]:
    """A report of each index, which tells how much it has in all, and as much of it as the page has room for.

    Args:
        look: makes the report of an index, with so many items at most (the third argument) from an offset on.
        count: says how many items a report has.
    """
    reports = []
    for number, record in enumerate(records):
        offset = begin.offset if number == begin.number else 0
        report = look(record, offset, room if number >= begin.number else 0)
        room -= count(report)
        reports.append((record, report))
    return reports


def following(begin: Cursor, mode: str, sizes: Iterable[tuple[int, int]], count: int) -> str | None:
    """Where the page after the first `count` items begins; None if there are no more.

    Args:
        sizes: of each index's report, how many items it has, and how many there are in all.
    """
    offset = begin.offset
    for number, (held, total) in enumerate(sizes):
        if number < begin.number:
            continue
        shown = min(count, held)
        if offset + shown < total:
            return str(Cursor(mode, number, offset + shown))
        count, offset = count - shown, 0
    return None
