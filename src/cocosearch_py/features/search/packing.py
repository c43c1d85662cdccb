"""Shown lines of hits when a call gives no number: most of the first, of the others the matches. Pure.

Most of a page is read for nothing: of 792 labelled questions 83 % are answered by the first hit, 12 % by the next two.
So the first is whole, with its context if there is room; what is left goes to the others in their order, whole if they
fit. Otherwise the next few show the lines that hold most words of the question, and those behind them the best of these
lines. No line of a file is shown twice.

Lines that are left out are marked as in contexts: `... line 57:` before the next one that is shown, `...` at the end.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cocosearch_py.search.matches import best_line, telling_lines, untold_lines
from cocosearch_py.tools.jsontext import to_json

if TYPE_CHECKING:
    from cocosearch_py.model.search import Hit

Json = dict[str, Any]

_ANSWER_CHARS = 5_200  # of results with their names and figures, if these leave room for the following
_FIRST_CHARS = 1_100  # of the first hit in any case
_LEAST_CHARS = 60  # of each other hit
_LIKELY = 4  # hits, behind which the right one seldom is
_LINE_CHARS = 80  # of a line where not all of a passage is shown
_ONE_LINE_CHARS = 50  # of a line that stands for a hit behind the likely ones
_EMPTY_CHARS = 2  # of a text without any
_TEXTS = ("content", "context_before", "context_after")


@dataclass(slots=True)
class _Page:
    """Lines shown so far."""

    words: Sequence[str]
    ranges: Sequence[tuple[str, int, int]]  # file and lines of every hit
    room: int
    shown: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # lines by file


def packed(items: Sequence[Json], hits: "Sequence[Hit]", words: Sequence[str]) -> tuple[list[Json], int]:
    """The results with as much of their texts as they are worth, and how many of them are shortened.

    Args:
        items: with `content`, `context_before` and `context_after`; one for each hit.
        words: of the question.
    """
    bare = [{**item, "content": "", "context_before": "", "context_after": ""} for item in items]
    page = _Page(
        words,
        [(item["file_path"], hit.start_line, hit.end_line) for item, hit in zip(items, hits, strict=True)],
        _ANSWER_CHARS - sum(map(_cost, bare)) - _LEAST_CHARS * len(items),
    )
    kept = []
    for number, (item, hit) in enumerate(zip(items, hits, strict=True)):
        page.room += _LEAST_CHARS
        room = max(page.room, _FIRST_CHARS if number == 0 else _LEAST_CHARS)
        chosen = _chosen(page, number, item, hit, room)
        page.room = max(0, page.room - sum([_cost(chosen[name]) for name in _TEXTS]))
        kept.append(chosen)
    return kept, sum(one != item for one, item in zip(kept, items, strict=True))


def _chosen(page: _Page, number: int, item: Json, hit: "Hit", room: int) -> Json:
    """The item with its context, without it, or with some of its lines: the first of these that there is room for."""
    path = item["file_path"]
    lines = dict(enumerate(hit.content.removesuffix("\n").split("\n"), start=hit.start_line))
    shown, cost = page.shown[path], _cost(item["content"])
    fresh = [line for line in lines if line not in shown]
    shown.update(lines)
    if len(fresh) == len(lines) and cost <= room:
        around = _around(hit)
        if not _is_shown(page, number, path, around) and sum([_cost(item[name]) for name in _TEXTS]) <= room:
            shown.update(around)
            return item
        return {**item, "context_before": "", "context_after": ""}
    if not fresh:
        return {**item, "content": "...", "context_before": "", "context_after": ""}
    width = _LINE_CHARS
    if number >= _LIKELY:
        room, width = 0, _ONE_LINE_CHARS
        lines = {line: text.strip() for line, text in lines.items()}
    held = telling_lines(page.words, "\n".join(lines.values()), hit.start_line, hit.answering)
    content = _told(lines, _telling(lines, fresh, held, item["symbol_signature"] or "", room), width)
    return {**item, "content": content, "context_before": "", "context_after": ""}


def _around(hit: "Hit") -> list[int]:
    """Numbers of the lines of a hit's context, and of its second passage."""
    before = hit.context_before.count("\n") + 1 if hit.context_before else 0
    after = hit.context_after.count("\n") + 1 if hit.context_after else 0
    lines = [*range(hit.start_line - before, hit.start_line), *range(hit.end_line + 1, hit.end_line + after + 1)]
    return lines if hit.further is None else [*lines, *range(hit.further.start_line, hit.further.end_line + 1)]


def _is_shown(page: _Page, number: int, path: str, lines: Collection[int]) -> bool:
    """Whether one of these lines is shown already, or is another hit's."""
    others = [one for at, one in enumerate(page.ranges) if at != number and one[0] == path]
    shown = page.shown[path]
    return not shown.isdisjoint(lines) or any(first <= line <= last for _, first, last in others for line in lines)


def _telling(
    lines: Mapping[int, str], fresh: Sequence[int], held: Mapping[int, int], signature: str, room: int
) -> set[int]:
    """The lines with most words of the question that there is room for, one at least, then those around them.

    What is in the signature is told there.

    Args:
        held: how many words a line holds.
    """
    new = {line: lines[line] for line in fresh}
    untold, best = untold_lines(new, signature), best_line(new, held, signature)
    telling = {line: -number for line, number in held.items() if line in untold}
    kept = {best}
    for line in sorted(fresh, key=lambda line: (telling.get(line, 0), abs(line - best))):
        trial = {*kept, line}
        if line != best and _cost(_told(lines, trial)) > room:
            break
        kept = trial
    return kept


def _told(lines: Mapping[int, str], kept: Collection[int], width: int = _LINE_CHARS) -> str:
    """These lines in order, cut to a width, with marks where others are left out."""
    told: list[str] = []
    following = min(lines)
    for line in sorted(kept):
        if line != following:
            told.append(f"... line {line}:")
        text = lines[line]
        told.append(text if len(text) <= width else text[:width] + "...")
        following = line + 1
    is_marked = len(told) > len(kept)
    return "\n".join([*told, *(["..."] if following <= max(lines) and not is_marked else [])])


def _cost(value: Any) -> int:
    """Characters as they are sent."""
    return len(to_json(value)) if value else _EMPTY_CHARS
