"""`create_file`, `cocosearch-py create`: write a new file, or a whole new text of one."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NotRequired

from cocosearch_py.errors import ValidationError
from cocosearch_py.operations.patch_file import typed_text
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
    Yes,
    ask_first,
    carry_out,
    edit_answer,
    find_target,
    known_hash,
    one_of,
)
from cocosearch_py.tools.sizes import FILE_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from cocosearch_py.model.edits import EditReport

CREATE, OVERWRITE = "create", "overwrite"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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
    """A file that was written, and whether the index has it; `created` is false of one that was there."""

    created: bool
    indexed: NotRequired[bool]


def create_file(call: Call, asked: Arguments) -> EditMade:
    """Create a file and its parent folders. Replacing an existing file needs overwrite and its hash."""
    from cocosearch_py.model.edits import EditRequest

    one_of("preview", asked.preview, PREVIEWS)
    if asked.if_hash and not asked.overwrite:
        raise ValidationError("if_hash is given without overwrite", hint="a new file has no hash: leave it out")
    target = find_target(call, asked.path)
    settings = target.found.app.settings
    request = EditRequest(
        root=target.record.root_path,
        path=target.path,
        op=OVERWRITE if asked.overwrite else CREATE,
        content=asked.content,
        if_hash=known_hash(target, asked.if_hash) if asked.overwrite else None,
        dry_run=asked.dry_run,
        author=call.author,
        most_bytes=settings.indexing.max_file_size_kb * 1024,
        refuses_errors=settings.edit.parse_errors == "refuse",
    )

    def agree(report: "Callable[[], EditReport]") -> None:
        plan = Plan(f"{request.op} {target.path}", (target.record.root_path, request), report)
        ask_first(call, target, plan, overwrites=asked.overwrite, yes=asked.yes)

    return carry_out(call, target, replace(request, agree=agree))


def _answer(made: EditMade, asked: Arguments) -> Json:
    report = made.report
    indexed: Json = {"indexed": made.indexed} if report.applied else {}
    return edit_answer(made, asked.preview) | {"created": report.applied and report.before is None} | indexed


OPERATION = Operation(
    name="create_file",
    title="Write a file",
    arguments=Arguments,
    run=create_file,
    shape=_answer,
    answer=Created,
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
    aliases=(Alias(name="create", program="Lexa", dialect="create.OPERATION"),),
)
