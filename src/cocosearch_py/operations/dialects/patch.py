"""Lexa's `patch`: change lines of a file."""

from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

from cocosearch_py.features.edit.service import EditMade, edited, make_patch
from cocosearch_py.features.edit.tools import PatchArguments
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import EDIT, About, Operation
from cocosearch_py.tools.sizes import FILE_TEXT


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's patch; `if_hash` is required here."""

    path: Annotated[str, About("File in the project")]
    op: Annotated[str, About("replace, insert or delete")]
    content: Annotated[str | None, About("New text"), FILE_TEXT] = None
    range_start: Annotated[int | None, About("First line, from 1")] = None
    range_end: Annotated[int | None, About("Last line, inclusive")] = None
    after: Annotated[int | None, About("insert after this line")] = None
    if_hash: Annotated[str | None, About("hash from the read answer")] = None
    dry_run: Annotated[bool, About("Write nothing")] = False
    replace_text: Annotated[str | None, About("Or the exact text to replace"), FILE_TEXT] = None
    anchor: Annotated[str | None, About("Text of the line to insert beside"), FILE_TEXT] = None
    placement: Annotated[str, About("before or after the anchor")] = "after"
    preview_mode: Annotated[str, About("compact or full")] = "compact"
    index_name: given.IndexName = None


class Answer(TypedDict):
    """`change_sequence` is the number of the change in the log; of a dry run there is none."""

    path: str
    op: str
    applied: bool
    dry_run: bool
    hash: str
    change_sequence: NotRequired[int]
    preview: str
    parse_status: str
    warnings: NotRequired[list[str]]


def patch(call: Call, asked: Arguments) -> EditMade:
    """Change lines of a file."""
    content = "" if asked.content is None and asked.op == "replace" else asked.content
    return make_patch(
        call,
        PatchArguments(
            path=asked.path,
            op=asked.op,
            content=None if asked.op == "delete" else content,
            range_start=asked.range_start,
            range_end=asked.range_end,
            after=asked.after,
            old_text=asked.replace_text,
            anchor=asked.anchor,
            placement=asked.placement,
            if_hash=asked.if_hash,
            dry_run=asked.dry_run,
            preview=asked.preview_mode,
            index_name=asked.index_name,
        ),
    )


def written(made: EditMade, preview: str) -> Json:
    """What Lexa answers of a file that was written."""
    fields, report = edited(made, preview), made.report
    return {
        "path": report.path,
        "op": report.op,
        "applied": report.applied,
        "dry_run": report.dry_run,
        "hash": report.hash,
        **({} if report.seq is None else {"change_sequence": report.seq}),
        "preview": fields["diff"],
        "parse_status": report.statuses[1],
        **({"warnings": list(fields["warnings"])} if fields["warnings"] else {}),
    }


OPERATION = Operation(
    name="patch",
    title="Change a file",
    arguments=Arguments,
    run=patch,
    shape=lambda made, asked: written(made, asked.preview_mode),
    answer=Answer,
    toolset=EDIT,
    about_indexes=True,
    writes=True,
    destroys=True,
)
