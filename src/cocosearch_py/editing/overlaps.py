"""Which of the later changes of a file stand in the way of taking one back: those of the same lines. Pure."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from cocosearch_py.model.difference import difference

Lines = tuple[int, int]  # from 0, the end exclusive; empty where lines were taken away


class Step(NamedTuple):
    """Change of a file: `by` are the numbers of the logged changes that it may be, none for another program."""

    by: tuple[int, ...]
    before: bytes | None
    after: bytes | None


class Overlapping(NamedTuple):
    """The changes in the way, in their order, and whether another program changed these lines as well."""

    by: tuple[int, ...]
    others: bool


def in_the_way(before: bytes | None, after: bytes | None, later: Iterable[Step]) -> Overlapping:
    """Follow the lines of a change through what came later.

    Args:
        before, after: the file around the change; None where it was not there.
        later: what became of it then, each step beginning with what the one before left.
    """
    lines = [(start, end) for _, _, start, end in _hunks(before, after)]
    found: list[int] = []
    others = False
    for step in later:
        hunks = _hunks(step.before, step.after)
        is_whole = step.before is None or step.after is None
        if is_whole or any(_touch(hunk[:2], one) for hunk in hunks for one in lines):
            found += step.by
            others |= not step.by
        lines = [_moved(one, hunks) for one in lines]
    return Overlapping(tuple(dict.fromkeys(found)), others)


def _hunks(old: bytes | None, new: bytes | None) -> list[tuple[int, int, int, int]]:
    """Lines of the old content, and those of the new one that stand there instead."""
    before, after = _lines(old), _lines(new)
    start, old_end, new_end = difference(before, after)
    matcher = SequenceMatcher(None, before[start:old_end], after[start:new_end], autojunk=False)
    return [
        (start + first, start + last, start + new_first, start + new_last)
        for tag, first, last, new_first, new_last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _lines(content: bytes | None) -> list[bytes]:
    return (content or b"").splitlines(keepends=True)


def _touch(hunk: Lines, lines: Lines) -> bool:
    """Whether a merge takes them for one place: they overlap, or nothing is between them."""
    return hunk[0] <= lines[1] and lines[0] <= hunk[1]


def _moved(lines: Lines, hunks: Sequence[tuple[int, int, int, int]]) -> Lines:
    """Where lines stand afterwards, together with all that touches them."""
    start, end = lines
    touching = [hunk for hunk in hunks if _touch(hunk[:2], lines)]
    above = sum(_growth(hunk) for hunk in hunks if hunk[1] < start)
    inside = sum(map(_growth, touching))
    if touching:
        start, end = min(start, touching[0][0]), max(end, touching[-1][1])
    return start + above, end + above + inside


def _growth(hunk: tuple[int, int, int, int]) -> int:
    first, last, new_first, new_last = hunk
    return (new_last - new_first) - (last - first)
