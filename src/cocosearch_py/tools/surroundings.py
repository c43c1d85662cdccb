"""Surroundings of a hit: lines of its file, the members of its type, a second passage. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cocosearch_py.model.search import FurtherPassage, Hit, Member

MAX_OUTLINE_LINES = 40
_VALUES = frozenset({"field", "property", "variable", "constant"})  # left out of a long outline


def surroundings(hit: "Hit") -> tuple[str, str]:
    """The context before and after a hit, with all of that, in the order of the file.

    The members come behind the lines after the hit, and a second passage, whose lines that are not shown yet, before
    or after them all. Each begins with a line of three dots that says what it is.
    """
    before, after = hit.context_before, hit.context_after
    first, last = hit.start_line - _count(before), hit.end_line + _count(after)
    if hit.members:
        after = _joined([after, *_outlined(hit.symbol_name or "", hit.members)])
    if hit.further is not None:
        above, below = _told_outside(hit.further, first, last)
        before, after = _joined([*above, before]), _joined([after, *below])
    return before, after


def outline(members: "Sequence[Member]") -> list[str]:
    """Line, kind and name of each member of a type."""
    digits = len(str(members[-1].start_line)) if members else 0
    return [f"{one.start_line:>{digits}} {one.kind} {one.name}" for one in members]


def _outlined(owner: str, members: "Sequence[Member]") -> list[str]:
    """At most MAX_OUTLINE_LINES of the members; of more than these, functions and types."""
    kept = members
    if len(kept) > MAX_OUTLINE_LINES:
        kept = [one for one in members if one.kind not in _VALUES] or members
    kept = kept[:MAX_OUTLINE_LINES]
    left = len(members) - len(kept)
    return ["\n".join([f"... members of {owner}:", *outline(kept), *([f"... {left} more"] if left else [])])]


def _told_outside(further: "FurtherPassage", first: int, last: int) -> tuple[list[str], list[str]]:
    """The lines of a passage before line `first` and after line `last`, each with a line that says which they are."""
    lines = dict(enumerate(further.content.removesuffix("\n").split("\n"), start=further.start_line))
    named = f" of {further.hierarchy}" if further.hierarchy else ""
    above = [line for number, line in lines.items() if number < first]
    below = {number: line for number, line in lines.items() if number > last}
    gap = [] if first - 1 in lines else ["..."]
    return (
        ["\n".join([f"... line {further.start_line}{named}:", *above, *gap])] if above else [],
        ["\n".join([f"... line {min(below)}{named}:", *below.values()])] if below else [],
    )


def _count(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def _joined(parts: list[str]) -> str:
    return "\n".join(part for part in parts if part)
