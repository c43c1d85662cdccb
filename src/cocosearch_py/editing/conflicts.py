"""Report for a caller whose file has changed since: the changes, their authors, the new lines, what to read.

It never learns the hash of a content that it has not read: whoever wants to edit has to look first.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from cocosearch_py.discovery.reading import hash_of
from cocosearch_py.discovery.sniff import Text, inspect
from cocosearch_py.editing.comparing import bounded, changed_lines, diff, where_now
from cocosearch_py.editing.splicing import form_of, places
from cocosearch_py.errors import ConflictError
from cocosearch_py.model.changes import ANOTHER_PROGRAM, UNKNOWN, Change
from cocosearch_py.model.edits import EditRequest

DIFF_LINES = 60
AROUND = 5  # lines that are to be read before and after those of the caller
_MOST_LINES = 200  # that one call is told to read
_MOST_PLACES = 20


class History(NamedTuple):
    """Known history of a file.

    Attributes:
        content: its bytes when they had a hash; None if they are not kept.
        last: its last change in the log; None if there is none.
    """

    content: Callable[[str, str], bytes | None]
    last: Callable[[str], Change | None]


def conflict(path: str, asked: EditRequest, data: bytes, history: History) -> ConflictError:
    """The error for a file that is not what `asked.if_hash` says; `data` is what it is.

    Its `details`: `changed_by`; `diff` of what the caller knew, if that is kept; `your_lines` where they are found;
    `read`, the call that reads them.
    """
    known = history.content(path, asked.if_hash or "")
    text, old_text = _text(path, data), None if known is None else _text(path, known)
    now, old = _lines(text), None if old_text is None else _lines(old_text)
    details: dict[str, Any] = {"changed_by": _changed_by(history.last(path), data, is_known=known is not None)}
    if old_text is not None:
        details["diff"] = bounded(diff(old_text, text), DIFF_LINES)
    found = _lines_now(path, asked, data, old, now)
    if found:
        details["your_lines"] = [{"start_line": first, "end_line": last} for first, last in found[:_MOST_PLACES]]
    details["read"] = {"tool": "read_code", "arguments": _to_read(path, asked, found, old, now)}
    who = details["changed_by"].get("author") or details["changed_by"]["source"]
    said = f"{path} has changed since you read it: {who} changed it"
    if known is None:  # it may never have been so: the hash may be of another file, or made up
        said = f"{path} does not have this hash, and no earlier version of it with this hash is known"
    return ConflictError(
        f"{said}; nothing was written",
        hint=f"read {_named(details['read']['arguments'])} again, then edit with the hash of that answer",
        details=details,
    )


def _named(place: dict[str, Any]) -> str:
    path = str(place["path"])
    return f"{path}:{place['start_line']}-{place['end_line']}" if "start_line" in place else path


def _changed_by(last: Change | None, data: bytes, *, is_known: bool) -> dict[str, Any]:
    """Return the author of a file's content, as far as the log knows; a content it never recorded has none."""
    if last is None or last.hash_after != hash_of(data).hex():
        return {"source": ANOTHER_PROGRAM if is_known else UNKNOWN}
    told: dict[str, Any] = {"source": last.source, "op": last.op, "seq": last.seq, "at": last.at.isoformat()}
    return told | ({"author": last.author} if last.author else {})


def _lines_now(
    path: str, asked: EditRequest, data: bytes, old: list[str] | None, now: list[str]
) -> list[tuple[int, int]]:
    """Where the lines that the call is about stand now."""
    text = asked.old_text if asked.old_text is not None else asked.anchor
    if text:
        return places(data, form_of(path, data), text)
    lines = asked.lines or ((asked.after, asked.after) if asked.after else None)
    if old is None or lines is None or not 1 <= lines[0] <= lines[1] <= len(old):
        return []
    found = where_now(old, now, *lines)
    return [found] if found is not None else []


def _to_read(
    path: str, asked: EditRequest, found: list[tuple[int, int]], old: list[str] | None, now: list[str]
) -> dict[str, Any]:
    if asked.symbol is not None:
        return {"path": f"{path}#{asked.symbol}"}
    lines = asked.lines or ((asked.after or 1, asked.after or 1) if asked.after is not None else None)
    if found:
        first, last = found[0][0], found[-1][1]
    elif old is not None and lines is not None:  # they are among those that changed
        first, last = _around_change(old, now)
    elif lines is not None:
        first, last = lines
    else:
        first, last = 1, len(now)
    first = max(1, min(first, len(now)) - AROUND)
    last = min(len(now), last + AROUND, first + _MOST_LINES - 1)
    return {"path": path, "start_line": first, "end_line": max(first, last)}


def _around_change(old: list[str], now: list[str]) -> tuple[int, int]:
    changed = changed_lines(old, now)
    return changed.first, changed.first + max(0, changed.added - 1)


def _text(path: str, data: bytes) -> str:
    found = inspect(path, data, wanted=True)
    return found.source.decode() if isinstance(found, Text) else ""


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
