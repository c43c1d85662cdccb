"""Reasons why files are in an index or not, and their wording."""

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Value
from cocosearch_py.model.counts import counted

_NAMES = {"decided": "decided_by", "language_id": "language", "counts": "files"}


class Verdict(Value, kw_only=False, rename=_NAMES):
    """The rule that decided about a path, and the effect of the next run.

    Attributes:
        path: as it was given.
        verdict: indexed, skipped, failed or folder: as the last run left it, and the next will;
            new, changed, removed: the next run does something about it, see `next_run`;
            version_control, missing, outside: no index has such a file.
        status: indexed, skipped or failed in the index; None when it has no such file.
        next_run: add, update, remove, skip or fail; None: nothing.
        reason, rule, error: the cause, as things are now.
        decided: the file or folder that the rule is about, relative to the root: the path, or one above it.
        message: all of that in words.
        language_id to parse_error: of a file that is indexed.
        counts: of a folder: status or reason -> files in the index's ledger.
        hint: how to make an index where there is none.
    """

    path: str
    verdict: str
    status: str | None = None
    next_run: str | None = None
    reason: str | None = None
    rule: str | None = None
    error: str | None = None
    decided: str | None = None
    message: str = ""
    language_id: str | UnsetType | None = UNSET
    content_class: str | UnsetType | None = UNSET
    class_rule: str | UnsetType | None = UNSET
    chunks: Count | UnsetType = UNSET
    symbols: Count | UnsetType = UNSET
    parse_status: str | UnsetType | None = UNSET
    parse_error: str | UnsetType | None = UNSET
    counts: dict[str, Count] | UnsetType = UNSET
    hint: str | UnsetType = UNSET


_FIXED = {
    "missing": "no such file on disk or in the index",
    "outside": "outside {decided}, the folder of this index",
    "version_control": "the version control system's own file; such files are never indexed",
    "removed": "gone from the disk since the last run; the next run removes it from the index",
    "new": "not in the index yet; the next run adds it",
}
_NEXT = {
    "add": "adds it",
    "update": "reads its new content",
    "remove": "removes it",
    "skip": "skips it",
    "fail": "reports it",
}


def message(verdict: Verdict) -> str:
    """Return a verdict in words."""
    if verdict.counts is not UNSET:
        counts = ", ".join(f"{files:,} {status}" for status, files in verdict.counts.items())
        return f"a folder that is searched for files: {counts or 'no file in it is indexed yet'}"
    if verdict.verdict in _FIXED:
        return _FIXED[verdict.verdict].format(decided=verdict.decided)
    if verdict.chunks is not UNSET and verdict.symbols is not UNSET:
        return _indexed(verdict, verdict.chunks, verdict.symbols)
    cause = _cause(verdict)
    if verdict.next_run is None or verdict.status is None:
        return cause
    effect = f"{verdict.status} at the last run; the next run {_NEXT[verdict.next_run]}"
    return f"{effect}: {cause}" if cause else effect


def _indexed(verdict: Verdict, chunks: int, symbols: int) -> str:
    kind = (verdict.content_class or "not classified").replace("_", " ")
    counts = f"{counted(chunks, 'chunk')}, {counted(symbols, 'definition')}"
    text = f"indexed: {counts}; {verdict.language_id}, {kind}"
    if verdict.class_rule:
        text += f" ({verdict.class_rule})"
    if verdict.parse_error:
        text += f"; parsed with errors: {verdict.parse_error}"
    return text


def _cause(verdict: Verdict) -> str:
    """Return the rule or error that left a file out; nothing where the file has only changed."""
    itself = not verdict.decided or verdict.path.endswith(verdict.decided.rstrip("/"))
    above = "" if itself else f", decided for {verdict.decided}"
    if verdict.error:
        return f"failed: {verdict.error}{above}"
    return f"skipped as {verdict.reason.replace('_', ' ')}: {verdict.rule}{above}" if verdict.reason else ""
