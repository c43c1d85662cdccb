"""Explains why files are in an index, or left out."""

from pathlib import Path

from msgspec import structs

from cocosearch_py.catalog.selection import project_root
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.features.indexing.tools import VerdictItem, WhyArguments
from cocosearch_py.indexing.why import Verdict
from cocosearch_py.model.counts import counted
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.call import Call

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


def why(call: Call, asked: WhyArguments) -> list[VerdictItem]:
    """Explain files of the caller's index; without one, of the project around the caller.

    Raises:
        ValidationError: no file is given.
        IndexNotFoundError: there is no such index.
    """
    if not asked.paths:
        raise ValidationError("no file given", hint="name files or folders: cocosearch-py why FILE")
    app, record, place = call.app(), _record(call), call.selection.place
    if record is None and place is not None:
        root = project_root(place.folders[0])
    else:
        root = Path(record.root_path if record is not None else ".")
    items = [verdict_item(verdict) for verdict in app.explain_files(root, asked.paths, record)]
    if record is not None:
        return items
    hint = f"{root} has no index; `cocosearch-py index` creates one"
    return [structs.replace(item, hint=hint) for item in items]


def _record(call: Call) -> IndexRecord | None:
    if call.selection.place is not None and not call.app().database.is_there:
        return None
    try:
        return call.find().records[0]
    except NotIndexedError:
        return None


def verdict_item(verdict: Verdict) -> VerdictItem:
    """Return a verdict as a member of an answer."""
    item = VerdictItem(
        path=verdict.path,
        verdict=verdict.verdict,
        message=message(verdict),
        status=verdict.status,
        next_run=verdict.next_run,
        reason=verdict.reason,
        rule=verdict.rule,
        error=verdict.error,
        decided_by=verdict.decided,
    )
    if verdict.verdict == "folder":
        return structs.replace(item, files=dict(verdict.counts))
    if verdict.verdict != "indexed":
        return item
    return structs.replace(
        item,
        language=verdict.language_id,
        content_class=verdict.content_class,
        class_rule=verdict.class_rule,
        chunks=verdict.chunks,
        symbols=verdict.symbols,
        parse_status=verdict.parse_status,
        parse_error=verdict.parse_error,
    )


def message(verdict: Verdict) -> str:
    """Return a verdict in words."""
    if verdict.verdict == "folder":
        counts = ", ".join(f"{files:,} {status}" for status, files in verdict.counts.items())
        return f"a folder that is searched for files: {counts or 'no file in it is indexed yet'}"
    if verdict.verdict in _FIXED:
        return _FIXED[verdict.verdict].format(decided=verdict.decided)
    if verdict.verdict == "indexed":
        return _indexed(verdict)
    cause = _cause(verdict)
    if verdict.next_run is None or verdict.status is None:
        return cause
    effect = f"{verdict.status} at the last run; the next run {_NEXT[verdict.next_run]}"
    return f"{effect}: {cause}" if cause else effect


def _indexed(verdict: Verdict) -> str:
    kind = (verdict.content_class or "not classified").replace("_", " ")
    counts = f"{counted(verdict.chunks, 'chunk')}, {counted(verdict.symbols, 'definition')}"
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
