"""`cocosearch-py changes undo`: take edits back."""

from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.operations.list_changes import place_of_log
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.model.changes import Undone

DIFF_LINES = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of undo_changes."""

    seq: Annotated[int | None, Flag(metavar="SEQ", minimum=1, help="Number of the edit, as `changes` shows it.")] = None
    all_after: Annotated[bool, Flag(names=("--all-after",), help="Also undo every later edit, newest first.")] = False
    dry_run: Annotated[bool, Flag(names=("--dry-run",), help="Show what would be written; write nothing.")] = False
    index_name: given.IndexName = None


class UndoneRow(TypedDict):
    """An edit that was taken back; `merged`: its file had changed since, in other lines."""

    undid: Count
    path: str
    merged: bool
    seq: Count | None
    hash: str | None
    diff: str


class Answer(TypedDict):
    """What was done, or would be."""

    dry_run: bool
    undone: list[UndoneRow]


def undo_changes(call: Call, asked: Arguments) -> "list[Undone]":
    """Take an edit back."""
    from cocosearch_py.editing.undo import UndoRequest

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
    return undone


def row_of(undone: "Undone") -> Json:
    """An edit that was taken back as an answer has it."""
    from cocosearch_py.model.changes import hash_of_bytes

    return {
        "undid": undone.seq,
        "path": undone.path,
        "merged": undone.merged,
        "seq": undone.new_seq,
        "hash": None if undone.after is None else hash_of_bytes(undone.after),
        "diff": diff_of(undone),
    }


def diff_of(undone: "Undone") -> str:
    """What changes in the file, as a unified diff of DIFF_LINES at most."""
    old, new = ((content or b"").decode("utf-8", "replace").splitlines() for content in (undone.before, undone.after))
    lines = list(islice(unified_diff(old, new, "before", "after", lineterm=""), DIFF_LINES + 1))
    return "\n".join([*lines[:DIFF_LINES], "…"] if len(lines) > DIFF_LINES else lines)


OPERATION = Operation(
    name="undo_changes",
    title="Undo changes",
    arguments=Arguments,
    run=undo_changes,
    shape=lambda found, asked: {"dry_run": asked.dry_run, "undone": [row_of(one) for one in found]},
    answer=Answer,
    about_indexes=True,
    writes=True,
    destroys=True,
    command=Command(
        name="changes undo",
        help="""Undo an edit that a tool or command of this program made.

        The file returns to its earlier text. If other lines have changed since, only this edit is undone. Overlapping
        changes are a conflict, and nothing is written. An undo is an edit too, and can be undone.
        """,
    ),
)
