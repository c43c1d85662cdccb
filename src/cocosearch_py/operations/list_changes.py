"""`list_changes`, `cocosearch-py changes`: what happened to the files of a project, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.revisions import commit_meant

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.changes import Change, ChangeRequest

MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of list_changes."""

    since_seq: Annotated[
        int | None,
        Bounds(0),
        About("Changes after this number; 0: from the oldest. Without any since: the newest"),
        Flag(
            names=("--since-seq",),
            metavar="SEQ",
            minimum=0,
            help="Changes after this number, oldest first. Without any --since option, the newest are shown.",
        ),
    ] = None
    since_time: Annotated[
        str | None,
        About("Changes since this time, ISO 8601; UTC without an offset"),
        Flag(
            names=("--since-time",),
            metavar="TIME",
            filled=True,
            help="Changes since this time, such as 2026-03-01 or 2026-03-01T12:00+01:00; UTC without an offset.",
        ),
    ] = None
    since_ref: Annotated[
        str | None,
        About("Changes since the commit time of this branch, tag or commit"),
        Flag(
            names=("--since-ref",),
            metavar="REF",
            filled=True,
            help="Changes since the commit time of this branch, tag or commit.",
        ),
    ] = None
    source: Annotated[
        Literal["agent", "watcher", "all"],
        About("agent: made by tools; watcher: found on disk"),
        Flag(
            names=("--source",),
            metavar="SOURCE",
            help="`agent` (made by this program's tools and commands), `watcher` (found on disk) or `all`.",
        ),
    ] = "all"
    limit: Annotated[
        int,
        Bounds(1, MOST),
        About("Maximum changes"),
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MOST, help="Maximum number of changes."),
    ] = 100
    index_name: given.IndexName = None


class ChangeRow(TypedDict):
    """A change of one file; hashes are those that read_code answers, null where there was no file."""

    seq: Count
    path: str
    op: str
    source: Literal["agent", "watcher"]
    author: NotRequired[str]
    hash_before: str | None
    hash_after: str | None
    at: str
    undoes: NotRequired[Count]
    undoable: bool
    unsure: NotRequired[bool]


class Answer(TypedDict):
    """`seq` is the number of the last change; `next_since_seq` asks for what follows those shown."""

    root: str
    changes: list[ChangeRow]
    seq: Count
    next_since_seq: Count
    truncated: NotRequired[bool]
    hint: NotRequired[str]


class ChangesFound(NamedTuple):
    """Changes of a folder, the oldest first, and the number of the last one that there is."""

    root: str
    changes: "Sequence[Change]"
    last_seq: int
    from_oldest: bool


def list_changes(call: Call, asked: Arguments) -> ChangesFound:
    """List changes to the project's files, in order: edits by tools, and changes found on disk. Kept across restarts.

    To follow them without missing any, pass next_since_seq as since_seq.
    """
    from cocosearch_py.model.changes import ChangeRequest, Source

    if sum(one is not None for one in (asked.since_seq, asked.since_time, asked.since_ref)) > 1:
        raise ValidationError("since_seq, since_time and since_ref cannot be combined", hint="pass one of them")
    app, root = place_of_log(call)
    if call.may_write(root):
        app.change_log.recover(root)
    request = ChangeRequest(
        since_seq=asked.since_seq,
        since_time=_time(root, asked),
        sources=() if asked.source == "all" else (Source(asked.source),),
        most=asked.limit,
    )
    return read_log(app, root, request)


def read_log(app: "App", root: str, request: "ChangeRequest") -> ChangesFound:
    """What the log of a folder says."""
    found, last_seq = app.change_log.read(root, request)
    from_oldest = request.since_seq is not None or request.since_time is not None
    return ChangesFound(root, found, last_seq, from_oldest)


def place_of_log(call: Call) -> "tuple[App, str]":
    """The services, and the folder whose log is meant: that of an index, or one that had an index.

    Raises:
        IndexNotFoundError: there is none.
    """
    try:
        found = call.find()
    except NotIndexedError:
        place = call.selection.place
        app = call.app(place.folders[0] if place else None)
        for folder in place.folders if place else ():
            root = str(folder.resolve())
            if call.may_write(root) and app.change_log.last_seq(root):  # the log outlives its index
                return app, root
        raise
    return found.app, found.records[0].root_path


def _time(root: str, asked: Arguments) -> datetime | None:
    if asked.since_ref is not None:
        from cocosearch_py.discovery.revisions import time_of

        return time_of(Path(root), commit_meant(Path(root), asked.since_ref))
    if asked.since_time is None:
        return None
    try:
        time = datetime.fromisoformat(asked.since_time)
    except ValueError as error:
        hint = "such as 2026-03-01 or 2026-03-01T12:00:00Z"
        raise ValidationError(f"'{asked.since_time[:60]}' is not a time", hint=hint) from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def row_of(change: "Change") -> Json:
    """A change as an answer has it."""
    row: Json = {"seq": change.seq, "path": change.path, "op": change.op, "source": change.source}
    if change.author:
        row["author"] = change.author
    row |= {"hash_before": change.hash_before, "hash_after": change.hash_after}
    row["at"] = change.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if change.undoes is not None:
        row["undoes"] = change.undoes
    row["undoable"] = change.restorable
    return row if change.sure else {**row, "unsure": True}


def _answer(found: ChangesFound, asked: Arguments) -> Json:
    items = list(found.changes if found.from_oldest else reversed(found.changes))
    return cast("Json", fit(items, lambda kept: _built(found, asked, kept)))


def _built(found: ChangesFound, asked: Arguments, kept: "Sequence[Change]") -> Json:
    more = len(kept) < len(found.changes) or (found.from_oldest and len(found.changes) == asked.limit)
    ordered = kept if found.from_oldest else list(reversed(kept))
    reached = kept[-1].seq if more and found.from_oldest and kept else found.last_seq
    answer: Json = {
        "root": found.root,
        "changes": [row_of(one) for one in ordered],
        "seq": found.last_seq,
        "next_since_seq": reached,
    }
    if not found.changes:
        answer["hint"] = nothing(found, asked)
    return {**answer, "truncated": True} if more and reached < found.last_seq else answer


def nothing(found: ChangesFound, asked: Arguments) -> str:
    """Why no change is listed."""
    if not found.last_seq:
        return "no changes yet: the list has edits by tools, and changes on disk that index runs and watches see"
    if found.from_oldest and asked.source == "all":
        return f"no changes since then; the last change is number {found.last_seq}"
    return f"no changes from this source; the last change is number {found.last_seq}: source=all lists all sources"


OPERATION = Operation(
    name="list_changes",
    title="List changes",
    arguments=Arguments,
    run=list_changes,
    shape=_answer,
    answer=Answer,
    toolset="edit",
    order=3,
    listed=False,
    about_indexes=True,
    command=Command(
        name="changes",
        help="""Show changes to the files of a folder: edits by this program, and changes that runs found on disk.

        The log is kept across restarts, rebuilds and `clear`. `changes undo` undoes an edit.
        """,
    ),
    aliases=(Alias(name="changes", program="Lexa", dialect="changes.OPERATION"),),
)
