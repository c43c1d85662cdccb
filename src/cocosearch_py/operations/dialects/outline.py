"""Lexa's `outline`: all that a file defines, and its imports apart from that."""

import posixpath
from dataclasses import dataclass
from typing import Annotated

from cocosearch_py.features.navigate.answers import FileOutline
from cocosearch_py.features.navigate.arguments import MAX_OUTLINE_DEPTH
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.registry import answer_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's outline; an index may be named."""

    path: Annotated[str, About("Path of a file")]
    index_name: given.IndexName = None


def outline(call: Call, asked: Arguments) -> Json:
    """Show symbols and imports of a file."""
    answer: Json = answer_of(call, "outline_file", {"path": asked.path, "depth": MAX_OUTLINE_DEPTH})
    return {**answer, "path": posixpath.relpath(answer["path"], call.find().records[0].root_path)}


OPERATION: "Operation[Arguments, Json]" = Operation(
    name="outline",
    title="Outline a file",
    arguments=Arguments,
    run=outline,
    shape=lambda answer, _: answer,
    answer=FileOutline,
    about_indexes=True,
    needs="symbol",
)
