"""Tools that edit files: patch_file, create_file, list_changes, and the command `changes undo`."""

import sys
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Bounds, Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import EDIT, UNLISTED, About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import FILE_TEXT

MAX_CHANGES = 1_000
REPLACE = "replace"

DryRun = Annotated[
    bool, About("Write nothing"), Flag(names=("--dry-run",), help="Show what would change; write nothing.")
]
Preview = Annotated[
    str,
    About("compact or full diff"),
    UNLISTED,
    Flag(names=("--preview",), metavar="HOW", help="Form of the diff: compact or full."),
]
IF_HASH = Flag(names=("--if-hash",), metavar="HASH", help="Hash of the text that you read, as `read` shows it.")
Yes = Annotated[bool, Flag(names=("-y", "--yes"), default=False, help="Do not ask for confirmation.")]


def typed_text(text: str | None) -> str | None:
    """Return the text of a command line; `-` stands for standard input."""
    return sys.stdin.buffer.read().decode("utf-8") if text == "-" else text


class PatchArguments(Arguments):
    """Parameters of patch_file."""

    path: Annotated[
        str,
        About("File in the project; not needed for undo"),
        Flag(metavar="FILE", type=str, help="File in the project; not needed for undo."),
    ] = ""
    op: Annotated[
        str,
        About("replace, insert, delete or undo"),
        Flag(names=("--op",), metavar="OP", help="replace, insert, delete or undo."),
    ] = REPLACE
    content: Annotated[
        str | None,
        About("New text; whole lines, except for old_text"),
        FILE_TEXT,
        Flag(names=("--content",), metavar="TEXT", read=typed_text, help="New text; - reads standard input."),
    ] = None
    range_start: Annotated[
        int | None, About("First line, from 1"), Flag(names=("--range-start",), metavar="N", help="First line, from 1.")
    ] = None
    range_end: Annotated[
        int | None,
        About("Last line, inclusive"),
        Flag(names=("--range-end",), metavar="N", help="Last line, inclusive (default: the first line)."),
    ] = None
    after: Annotated[
        int | None,
        About("insert: after this line; 0: at the top"),
        Flag(names=("--after",), metavar="N", help="Insert after this line; 0 means at the top."),
    ] = None
    old_text: Annotated[
        str | None,
        About("Or exact text to replace or delete; must occur once"),
        FILE_TEXT,
        Flag(names=("--old-text",), metavar="TEXT", help="Exact text to replace or delete; must occur exactly once."),
    ] = None
    anchor: Annotated[
        str | None,
        About("insert: beside the line with this text; must occur once"),
        FILE_TEXT,
        Flag(
            names=("--anchor",), metavar="TEXT", help="Insert beside the line with this text; must occur exactly once."
        ),
    ] = None
    placement: Annotated[
        str,
        About("after or before the anchor"),
        Flag(names=("--placement",), metavar="WHERE", help="after or before the anchor."),
    ] = "after"
    symbol: Annotated[
        str | None,
        About("Or whole definition to replace or delete"),
        Flag(names=("--symbol",), metavar="NAME", help="Whole definition to replace or delete."),
    ] = None
    seq: Annotated[
        int | None,
        Bounds(1),
        About("undo: number of the change"),
        Flag(names=("--seq",), metavar="SEQ", minimum=1, help="Number of the change to undo, as `changes` shows it."),
    ] = None
    if_hash: Annotated[str | None, About("hash from your last read_code answer; not needed for undo"), IF_HASH] = None
    dry_run: DryRun = False
    preview: Preview = "compact"
    index_name: given.IndexName = None
    yes: Yes = False


class ParseStatus(Part):
    """How a file could be parsed: ok, partial, error, no_grammar or not_parsed; `before` only if there was a file."""

    after: str
    before: str = ""
    new_error_lines: tuple[int, ...] = ()


class Edited(Part):
    """A file after an edit. `start_line` and `end_line` are the new lines; `hash` is for the next edit."""

    file_path: str
    applied: bool
    hash: str
    start_line: Count
    end_line: Count
    line_count: Count
    parse_status: ParseStatus
    diff: str
    dry_run: bool = False
    seq: int | None = None
    note: str = ""
    warnings: tuple[str, ...] = ()


class Patched(Edited):
    """A file after an edit, and whether the index has it."""

    reindexed: bool | None = None


class CreateArguments(Arguments):
    """Parameters of create_file."""

    path: Annotated[str, About("File in the project"), Flag(metavar="FILE", type=str, help="File in the project.")]
    content: Annotated[
        str,
        About("Whole text of the file"),
        FILE_TEXT,
        Flag(names=("--content",), metavar="TEXT", read=typed_text, help="Text of the file; - reads standard input."),
    ] = ""
    overwrite: Annotated[
        bool,
        About("Replace an existing file; needs if_hash"),
        Flag(names=("--overwrite",), help="Replace an existing file; needs --if-hash."),
    ] = False
    if_hash: Annotated[str | None, About("With overwrite: hash from your last read_code answer"), IF_HASH] = None
    dry_run: DryRun = False
    preview: Preview = "compact"
    index_name: given.IndexName = None
    yes: Yes = False


class Created(Edited):
    """A file that was written, and whether the index has it. `created` is false if it existed."""

    created: bool | UnsetType = UNSET
    indexed: bool | None = None


class ListChangesArguments(Arguments):
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
        Bounds(1, MAX_CHANGES),
        About("Maximum changes"),
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_CHANGES, help="Maximum number of changes."),
    ] = 100
    index_name: given.IndexName = None


class Change(Part):
    """A change of a file. Hashes are those that read_code returns, null where there was no file."""

    seq: Count
    path: str
    op: str
    source: Literal["agent", "watcher"]
    hash_before: str | None
    hash_after: str | None
    at: str
    undoable: bool
    author: str = ""
    undoes: int | None = None
    unsure: bool = False


class Changes(Part):
    """Changes, oldest first. `seq` is the number of the last change; `next_since_seq` asks for those that follow."""

    root: str
    changes: tuple[Change, ...]
    seq: Count
    next_since_seq: Count
    truncated: bool = False
    hint: str = ""


class UndoArguments(Arguments):
    """Parameters of undo_changes."""

    seq: Annotated[int | None, Flag(metavar="SEQ", minimum=1, help="Number of the edit, as `changes` shows it.")] = None
    all_after: Annotated[bool, Flag(names=("--all-after",), help="Also undo every later edit, newest first.")] = False
    dry_run: Annotated[bool, Flag(names=("--dry-run",), help="Show what would be written; write nothing.")] = False
    index_name: given.IndexName = None


class Undone(Part):
    """An edit that was undone; `merged` if its file had changed since, in other lines."""

    undid: Count
    path: str
    merged: bool
    seq: Count | None
    hash: str | None
    diff: str


class UndoneChanges(Part):
    """The edits that were undone, or would be."""

    dry_run: bool
    undone: tuple[Undone, ...]


TOOLS = (
    tool(
        __package__,
        "patch_file",
        title="Change a file",
        about="Change lines, a text or a definition in one file; the rest stays byte for byte.\n\n"
        "Pass the hash from read_code. If the file has changed since, nothing is written and the answer says what to "
        "read.",
        arguments=PatchArguments,
        answer=Patched,
        view="show_edit",
        toolset=EDIT,
        order=1,
        listed=False,
        about_indexes=True,
        writes=True,
        destroys=True,
        command=Command(
            name="patch",
            help="""Change lines, a text or a definition in one file.

            The rest of the file stays byte for byte. If the file has changed since you read it, nothing is written.
            """,
        ),
        aliases=(Alias(name="patch", program="Lexa", dialect="lexa.PATCH"),),
    ),
    tool(
        __package__,
        "create_file",
        title="Write a file",
        about="Create a file and its parent folders. Replacing an existing file needs overwrite and its hash.",
        arguments=CreateArguments,
        answer=Created,
        view="show_edit",
        toolset=EDIT,
        order=2,
        listed=False,
        about_indexes=True,
        writes=True,
        destroys=True,
        command=Command(
            name="create",
            help="""Create a file and its parent folders.

            Replacing an existing file needs --overwrite and its hash.
            """,
        ),
        aliases=(Alias(name="create", program="Lexa", dialect="lexa.CREATE"),),
    ),
    tool(
        __package__,
        "list_changes",
        title="List changes",
        about="List changes to the project's files, in order: edits by tools, and changes found on disk. Kept across "
        "restarts.\n\nTo follow them without missing any, pass next_since_seq as since_seq.",
        module="history",
        arguments=ListChangesArguments,
        answer=Changes,
        view="show_changes",
        toolset=EDIT,
        order=3,
        listed=False,
        about_indexes=True,
        command=Command(
            name="changes",
            help="""Show changes to the files of a folder: edits by this program, and changes that runs found on disk.

            The log is kept across restarts, rebuilds and `clear`. `changes undo` undoes an edit.
            """,
        ),
        aliases=(Alias(name="changes", program="Lexa", dialect="lexa.CHANGES"),),
    ),
    tool(
        __package__,
        "undo_changes",
        title="Undo changes",
        about="Take an edit back.",
        module="history",
        arguments=UndoArguments,
        answer=UndoneChanges,
        view="show_undone",
        about_indexes=True,
        writes=True,
        destroys=True,
        command=Command(
            name="changes undo",
            help="""Undo an edit that a tool or command of this program made.

            The file returns to its earlier text. If other lines have changed since, only this edit is undone.
            Overlapping changes are a conflict, and nothing is written. An undo is an edit too, and can be undone.
            """,
        ),
    ),
)
