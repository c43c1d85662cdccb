"""`cocosearch-py why`: which rule decided that a file is in the index, or is not."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict

from cocosearch_py.catalog.selection import project_root
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.counts import counted
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.indexing.why import Verdict

EXIT_UNKNOWN = 1
_UNKNOWN = ("missing", "outside")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of why."""

    paths: Annotated[list[str], Flag(metavar="FILE...", help="Files or folders.")]
    index_name: given.IndexName = None


class VerdictItem(TypedDict):
    """What is with one file; what does not apply is null or left out."""

    path: str
    verdict: str
    message: str
    status: str | None
    next_run: str | None
    reason: str | None
    rule: str | None
    error: str | None
    decided_by: str | None
    language: NotRequired[str | None]
    content_class: NotRequired[str | None]
    class_rule: NotRequired[str | None]
    chunks: NotRequired[Count]
    symbols: NotRequired[Count]
    parse_status: NotRequired[str | None]
    parse_error: NotRequired[str | None]
    files: NotRequired[dict[str, Count]]


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """The index that was asked, if there is one, its folder, and what is with each path."""

    index_name: str | None
    root_path: str
    verdicts: "list[Verdict]"


def why(call: Call, asked: Arguments) -> Explained:
    """Tell which rule decided about files: those of the caller's index, else of the project around the caller."""
    if not asked.paths:
        raise ValidationError("no file given", hint="name files or folders: cocosearch-py why FILE")
    app = call.app()
    record, place = None, call.selection.place
    if place is None or app.database.is_there:
        try:
            record = call.find().records[0]
        except NotIndexedError:
            record = None
    if record is None and place is not None:
        root = project_root(place.folders[0])
    else:
        root = Path(record.root_path if record is not None else ".")
    verdicts = app.explain_files(root, asked.paths, record)
    return Explained(None if record is None else record.name, str(root), verdicts)


def message(one: "Verdict") -> str:
    """A verdict in words."""
    if one.verdict == "folder":
        counts = ", ".join(f"{files:,} {what}" for what, files in one.counts.items())
        return f"a folder that is searched for files: {counts or 'no file in it is indexed yet'}"
    if one.verdict in _FIXED:
        return _FIXED[one.verdict].format(decided=one.decided)
    if one.verdict == "indexed":
        return _indexed(one)
    cause = _cause(one)
    if one.next_run is None or one.status is None:
        return cause
    return f"{_STATUS[one.status]} at the last run; the next run {_NEXT[one.next_run]}{f': {cause}' if cause else ''}"


_FIXED = {
    "missing": "no such file on disk or in the index",
    "outside": "outside {decided}, the folder of this index",
    "version_control": "the version control system's own file; such files are never indexed",
    "removed": "gone from the disk since the last run; the next run removes it from the index",
    "new": "not in the index yet; the next run adds it",
}
_STATUS = {"indexed": "indexed", "skipped": "skipped", "failed": "failed"}
_NEXT = {
    "add": "adds it",
    "update": "reads its new content",
    "remove": "removes it",
    "skip": "skips it",
    "fail": "reports it",
}


def _indexed(one: "Verdict") -> str:
    kind = (one.content_class or "not classified").replace("_", " ")
    told = f"indexed: {counted(one.chunks, 'chunk')}, {counted(one.symbols, 'definition')}; {one.language_id}, {kind}"
    if one.class_rule:
        told += f" ({one.class_rule})"
    if one.parse_error:
        told += f"; parsed with errors: {one.parse_error}"
    return told


def _cause(one: "Verdict") -> str:
    """What decided that a file is left out or failed; nothing where the file just changed."""
    itself = not one.decided or one.path.endswith(one.decided.rstrip("/"))
    above = "" if itself else f", decided for {one.decided}"
    if one.error:
        return f"failed: {one.error}{above}"
    return f"skipped as {one.reason.replace('_', ' ')}: {one.rule}{above}" if one.reason else ""


def _answer(explained: Explained, _: Arguments) -> list[Json]:
    return [verdict_item(one) for one in explained.verdicts]


def verdict_item(one: "Verdict") -> Json:
    """What is with one file, as a member of an answer."""
    item: Json = {
        "path": one.path,
        "verdict": one.verdict,
        "message": message(one),
        "status": one.status,
        "next_run": one.next_run,
        "reason": one.reason,
        "rule": one.rule,
        "error": one.error,
        "decided_by": one.decided,
    }
    if one.verdict == "indexed":
        item |= {
            "language": one.language_id,
            "content_class": one.content_class,
            "class_rule": one.class_rule,
            "chunks": one.chunks,
            "symbols": one.symbols,
            "parse_status": one.parse_status,
            "parse_error": one.parse_error,
        }
    if one.verdict == "folder":
        item["files"] = dict(one.counts)
    return item


def _exit_code(explained: Explained, _: Arguments) -> int:
    return EXIT_UNKNOWN if any(one.verdict in _UNKNOWN for one in explained.verdicts) else 0


OPERATION = Operation(
    name="why",
    title="Why a file is indexed or not",
    arguments=Arguments,
    run=why,
    shape=_answer,
    answer=list[VerdictItem],
    about_indexes=True,
    command=Command(
        name="why",
        help="""Explain which rule put a file into the index, or left it out.

        It checks the file as it is now, the rules, and the result of the last run. Exits with 1 if a file does not
        exist or is outside the index's folder.
        """,
        exit_code=_exit_code,
    ),
)
