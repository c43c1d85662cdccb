"""Lexa's `create`: write a new file."""

from dataclasses import dataclass
from typing import Annotated

from cocosearch_py.features.edit.service import EditMade, make_file
from cocosearch_py.features.edit.tools import CreateArguments
from cocosearch_py.operations.dialects.patch import Answer, written
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import EDIT, About, Operation
from cocosearch_py.tools.sizes import FILE_TEXT


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's create; whoever overwrites passes `if_hash` as well."""

    path: Annotated[str, About("File in the project")]
    content: Annotated[str, About("Whole text of the file"), FILE_TEXT] = ""
    overwrite: Annotated[bool, About("Replace an existing file")] = False
    dry_run: Annotated[bool, About("Write nothing")] = False
    if_hash: Annotated[str | None, About("With overwrite: hash from the read answer")] = None
    index_name: given.IndexName = None


def create(call: Call, asked: Arguments) -> EditMade:
    """Write a new file."""
    return make_file(
        call,
        CreateArguments(
            path=asked.path,
            content=asked.content,
            overwrite=asked.overwrite,
            dry_run=asked.dry_run,
            if_hash=asked.if_hash,
            index_name=asked.index_name,
        ),
    )


OPERATION = Operation(
    name="create",
    title="Write a file",
    arguments=Arguments,
    run=create,
    shape=lambda made, _: written(made, "compact"),
    answer=Answer,
    toolset=EDIT,
    about_indexes=True,
    writes=True,
    destroys=True,
)
