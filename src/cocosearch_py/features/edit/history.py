"""The log of changes: list_changes and `changes undo`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cocosearch_py.discovery.revisions import time_of
from cocosearch_py.editing.undo import UndoRequest
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.features.edit.tools import (
    Change,
    Changes,
    ListChangesArguments,
    UndoArguments,
    Undone,
    UndoneChanges,
)
from cocosearch_py.model.changes import Change as LoggedChange
from cocosearch_py.model.changes import ChangeRequest, Source, hash_of_bytes
from cocosearch_py.model.changes import Undone as UndoneEdit
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.revisions import commit_meant

if TYPE_CHECKING:
    from cocosearch_py.app import App

_DIFF_LINES = 60  # Maximum lines of the diff of one undone edit.


class ChangesFound(NamedTuple):
    """Changes of a folder, the oldest first, and the number of the last one that there is."""

    root: str
    changes: Sequence[LoggedChange]
    last_seq: int
    from_oldest: bool


def list_changes(call: Call, asked: ListChangesArguments) -> Shrinkable[LoggedChange, Changes]:
    """Return changes of the files of a folder; the newest ones unless the call says since when.

    Raises:
        ValidationError: several starting points are given, or a time or revision is not valid.
        NotIndexedError: the folder has neither an index nor a log.
    """
    if asked.since_time is not None and asked.since_ref is not None:
        raise ValidationError("since_time and since_ref cannot be combined", hint="pass one of them")
    app, root = place_of_log(call)
    if call.may_write(root):
        app.change_log.recover(root)
    request = ChangeRequest(
        since_seq=asked.since_seq,
        since_time=_time(root, asked),
        sources=() if asked.source == "all" else (Source(asked.source),),
        most=asked.limit,
    )
    return _answer(read_log(app, root, request), asked)


def read_log(app: "App", root: str, request: ChangeRequest) -> ChangesFound:
    """Read the changes of a folder from its log."""
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


def _time(root: str, asked: ListChangesArguments) -> datetime | None:
    if asked.since_ref is not None:
        return time_of(Path(root), commit_meant(Path(root), asked.since_ref))
    if asked.since_time is None:
        return None
    try:
        time = datetime.fromisoformat(asked.since_time)
    except ValueError as error:
        hint = "such as 2026-03-01 or 2026-03-01T12:00:00Z"
        raise ValidationError(f"'{asked.since_time[:60]}' is not a time", hint=hint) from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _answer(found: ChangesFound, asked: ListChangesArguments) -> Shrinkable[LoggedChange, Changes]:
    def build(kept: Sequence[LoggedChange]) -> Changes:
        more = len(kept) < len(found.changes) or (found.from_oldest and len(found.changes) == asked.limit)
        reached = kept[-1].seq if more and found.from_oldest and kept else found.last_seq
        return Changes(
            root=found.root,
            changes=tuple(_change(change) for change in (kept if found.from_oldest else reversed(kept))),
            seq=found.last_seq,
            next_since_seq=reached,
            truncated=more and reached < found.last_seq,
            hint="" if found.changes else _why_empty(found, asked),
        )

    return Shrinkable(found.changes if found.from_oldest else list(reversed(found.changes)), build)


def _change(change: LoggedChange) -> Change:
    return Change(
        seq=change.seq,
        path=change.path,
        op=change.op,
        source="agent" if change.source == Source.AGENT else "watcher",
        author=change.author,
        hash_before=change.hash_before,
        hash_after=change.hash_after,
        at=change.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        undoes=change.undoes,
        undoable=change.restorable,
        unsure=not change.sure,
    )


def _why_empty(found: ChangesFound, asked: ListChangesArguments) -> str:
    """Why no change is listed."""
    if not found.last_seq:
        return "no changes yet: the list has edits by tools, and changes on disk that index runs and watches see"
    if found.from_oldest and asked.source == "all":
        return f"no changes since then; the last change is number {found.last_seq}"
    return f"no changes from this source; the last change is number {found.last_seq}: source=all lists all sources"


def undo_changes(call: Call, asked: UndoArguments) -> UndoneChanges:
    """Undo an edit, or all from one on.

    Raises:
        ValidationError: no edit is given.
        ConflictError: other changes overlap.
    """
    if asked.seq is None:
        raise ValidationError("no edit given", hint="give its number, as shown by `changes`")
    app, root = place_of_log(call)
    request = UndoRequest(
        root=root,
        seq=asked.seq,
        all_after=asked.all_after,
        dry_run=asked.dry_run,
        author="changes undo",
        most_bytes=app.settings.indexing.max_file_size_kb * 1024,
    )
    undone = app.undoing.undo(request)
    record = next((one for one in call.visible(app) if one.root_path == root and one.commit is None), None)
    if record is not None and not asked.dry_run:
        for path in dict.fromkeys(one.path for one in undone):
            call.take_in(app, record, path)
    return UndoneChanges(dry_run=asked.dry_run, undone=tuple(_undone(one) for one in undone))


def _undone(undone: UndoneEdit) -> Undone:
    return Undone(
        undid=undone.seq,
        path=undone.path,
        merged=undone.merged,
        seq=undone.new_seq,
        hash=None if undone.after is None else hash_of_bytes(undone.after),
        diff=_diff(undone),
    )


def _diff(undone: UndoneEdit) -> str:
    """Make a unified diff of the file, with at most _DIFF_LINES lines."""
    old, new = ((content or b"").decode("utf-8", "replace").splitlines() for content in (undone.before, undone.after))
    lines = list(islice(unified_diff(old, new, "before", "after", lineterm=""), _DIFF_LINES + 1))
    return "\n".join([*lines[:_DIFF_LINES], "…"] if len(lines) > _DIFF_LINES else lines)
