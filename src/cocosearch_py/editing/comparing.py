"""How two versions of a text differ, in words that answers have. Pure."""

import re
from collections.abc import Sequence
from difflib import unified_diff
from typing import NamedTuple

from cocosearch_py.model.difference import difference
from cocosearch_py.model.syntax import Soundness

AROUND = 3  # lines of context
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")
_UNENDED = "\\ No newline at end of file"


class Changed(NamedTuple):
    """Lines that differ, from 1: `removed` old ones from `first` on are `added` new ones."""

    first: int
    removed: int
    added: int


def changed_lines(old: Sequence[str], new: Sequence[str]) -> Changed:
    """The shortest run of lines with all differences in it."""
    start, old_end, new_end = difference(old, new)
    return Changed(start + 1, old_end - start, new_end - start)


def diff(old: str, new: str) -> list[str]:
    """The lines of a unified diff, without names of files."""
    before, after = _ended(old), _ended(new)
    start, old_end, new_end = difference(before, after)
    skipped = max(0, start - AROUND)  # of what is the same at the top nothing is compared
    kept = min(AROUND, len(before) - old_end)
    found = unified_diff(before[skipped : old_end + kept], after[skipped : new_end + kept], n=AROUND)
    lines: list[str] = []
    for line in list(found)[2:]:
        shown = _HUNK.sub(lambda one: _moved(one, skipped), line) if line.startswith("@@") else line
        lines.append(shown.rstrip("\r\n"))
        if not line.endswith("\n"):
            lines.append(_UNENDED)
    return lines


def bounded(lines: Sequence[str], most: int) -> list[str]:
    """The first lines, and how many more there are."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"... {len(lines) - most + 1:,} more lines"]


def where_now(old: Sequence[str], new: Sequence[str], first: int, last: int) -> tuple[int, int] | None:
    """Where lines of an old text, from 1, stand in a new one that has them; None where they changed."""
    changed = changed_lines(old, new)
    shift = changed.added - changed.removed
    if last < changed.first:
        return first, last
    if first >= changed.first + changed.removed:
        return first + shift, last + shift
    wanted = old[first - 1 : last]
    if not any(line.strip() for line in wanted):
        return None
    starts = [
        at for at in range(len(new) - len(wanted) + 1) if new[at] == wanted[0] and new[at : at + len(wanted)] == wanted
    ]
    return (starts[0] + 1, starts[0] + len(wanted)) if len(starts) == 1 else None


def new_errors(before: Soundness | None, after: Soundness | None, changed: Changed) -> list[int]:
    """Lines with errors after a change, from 1, that had none before it."""
    if after is None:
        return []
    end, shift = changed.first + changed.removed, changed.added - changed.removed
    old = before.lines if before is not None else ()
    known = {line if line < changed.first else line + shift for line in old if not changed.first <= line < end}
    return [line for line in after.lines if line not in known]


def _ended(text: str) -> list[str]:
    """Lines with their ends."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last] if last else [])


def _moved(hunk: "re.Match[str]", lines: int) -> str:
    return f"@@ -{int(hunk[1]) + lines}{hunk[2] or ''} +{int(hunk[3]) + lines}{hunk[4] or ''} @@"
