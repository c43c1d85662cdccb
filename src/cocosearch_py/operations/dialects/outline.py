"""Lexa's `outline`: all that a file defines, and its imports apart from that."""

import posixpath
from dataclasses import dataclass
from typing import Annotated

from cocosearch_py.operations.outline_file import MAX_DEPTH, Answer, Outlined, outline_file
from cocosearch_py.operations.outline_file import OPERATION as OURS
from cocosearch_py.operations.outline_file import Arguments as Ours
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's outline; an index may be named."""

    path: Annotated[str, About("Path of a file")]
    index_name: given.IndexName = None


def outline(call: Call, asked: Arguments) -> Outlined:
    """Show symbols and imports of a file."""
    return outline_file(call, _ours(asked))


def _ours(asked: Arguments) -> Ours:
    return Ours(path=asked.path, depth=MAX_DEPTH)


def _answer(found: Outlined, asked: Arguments) -> Json:
    told: Json = OURS.shape(found, _ours(asked))
    return {**told, "path": posixpath.relpath(told["path"], found.record.root_path)}


OPERATION: "Operation[Arguments, Outlined]" = Operation(
    name="outline",
    title="Outline a file",
    arguments=Arguments,
    run=outline,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    needs="symbol",
)
