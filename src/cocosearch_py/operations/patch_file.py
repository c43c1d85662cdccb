"""`patch_file`, `cocosearch-py patch`: change lines, a text or a definition of one file."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NotRequired

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Bounds
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import EDIT, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.editing import (
    IF_HASH,
    PREVIEWS,
    DryRun,
    Edited,
    EditMade,
    Plan,
    Preview,
    Target,
    Yes,
    ask_first,
    carry_out,
    edit_answer,
    find_folder,
    find_target,
    known_hash,
    one_of,
    undo_edit,
)
from cocosearch_py.tools.sizes import FILE_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from cocosearch_py.model.edits import EditReport, EditRequest

REPLACE, INSERT, DELETE = "replace", "insert", "delete"
_UNDO = "undo"
_ADDRESSES = {
    REPLACE: ("range_start", "old_text", "symbol"),
    INSERT: ("after", "anchor"),
    DELETE: ("range_start", "old_text", "symbol"),
}
_PLACEMENTS = ("after", "before")


def typed_text(text: str | None) -> str | None:
    """What stands for a text on the command line: `-` is what comes from standard input."""
    if text != "-":
        return text
    return sys.stdin.buffer.read().decode("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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


class Patched(Edited):
    """A file after an edit, and whether the index has it."""

    reindexed: NotRequired[bool]


def patch_file(call: Call, asked: Arguments) -> EditMade:
    """Change lines, a text or a definition in one file; the rest stays byte for byte.

    Pass the hash from read_code. If the file has changed since, nothing is written and the answer says what to read.
    """
    one_of("op", asked.op, (*_ADDRESSES, _UNDO))
    one_of("preview", asked.preview, PREVIEWS)
    _check_address(asked)
    if asked.op == _UNDO:
        target = find_target(call, asked.path) if asked.path else find_folder(call)
        return undo_edit(call, target, asked.seq or 0, dry_run=asked.dry_run, yes=asked.yes)
    if not asked.path:
        raise ValidationError("path is missing: name the file to change", hint="pass a path as answers show it")
    target = find_target(call, asked.path)
    request = _request(call, asked, target)

    def agree(report: "Callable[[], EditReport]") -> None:
        plan = Plan(f"change {target.path}", (target.record.root_path, request), report)
        ask_first(call, target, plan, overwrites=False, yes=asked.yes)

    return carry_out(call, target, replace(request, agree=agree))


def _request(call: Call, asked: Arguments, target: Target) -> "EditRequest":
    from cocosearch_py.model.edits import EditRequest

    settings = target.found.app.settings
    last = asked.range_start if asked.range_end is None else asked.range_end
    return EditRequest(
        root=target.record.root_path,
        path=target.path,
        op=asked.op,
        content=asked.content or "",
        lines=None if asked.range_start is None or last is None else (asked.range_start, last),
        after=asked.after,
        old_text=asked.old_text,
        anchor=asked.anchor,
        before_anchor=one_of("placement", asked.placement, _PLACEMENTS) == "before",
        symbol=asked.symbol,
        if_hash=known_hash(target, asked.if_hash),
        dry_run=asked.dry_run,
        author=call.author,
        most_bytes=settings.indexing.max_file_size_kb * 1024,
        refuses_errors=settings.edit.parse_errors == "refuse",
    )


def _check_address(asked: Arguments) -> None:
    """Refuse a call that has not just one address, or one that its operation does not take."""
    named = {"range_start", "range_end"} if asked.range_end is not None and asked.range_start is None else set()
    named |= {name for name in ("range_start", "after", "old_text", "anchor", "symbol") if _given(asked, name)}
    if (asked.op == _UNDO) != (asked.seq is not None) or (asked.op == _UNDO and (named or asked.content)):
        raise ValidationError(
            "undo needs seq alone, and no other operation takes seq",
            hint="list_changes shows the change numbers",
        )
    if asked.op == _UNDO:
        return
    allowed = _ADDRESSES[asked.op]
    if len(named) != 1 or not named <= set(allowed):
        told = f"{', '.join(sorted(named))} are given" if len(named) > 1 else f"{', '.join(named) or 'none'} is given"
        ways = ", ".join(("range_start and range_end" if one == "range_start" else one) for one in allowed)
        raise ValidationError(f"{asked.op} needs one address, {told}", hint=f"give one of: {ways}")
    if asked.op != DELETE and asked.content is None:
        raise ValidationError(f"{asked.op} needs content", hint="give the new text; to remove lines, use delete")
    if asked.op == DELETE and asked.content:
        raise ValidationError("delete takes no content", hint="use replace, or leave content out")


def _given(asked: Arguments, name: str) -> bool:
    return getattr(asked, name) is not None


def _answer(made: EditMade, asked: Arguments) -> Json:
    reindexed: Json = {"reindexed": made.indexed} if made.report.applied else {}
    return edit_answer(made, asked.preview) | reindexed


OPERATION = Operation(
    name="patch_file",
    title="Change a file",
    arguments=Arguments,
    run=patch_file,
    shape=_answer,
    answer=Patched,
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
    aliases=(Alias(name="patch", program="Lexa", dialect="patch.OPERATION"),),
)
