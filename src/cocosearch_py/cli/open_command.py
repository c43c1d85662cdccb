"""`open`: a result, a file or a definition in the editor."""

from typing import Annotated

import typer

from cocosearch_py.cli.command import not_empty
from cocosearch_py.cli.editor import open_found
from cocosearch_py.cli.operations import prepare
from cocosearch_py.cli.results import number_of, recall
from cocosearch_py.cli.session import Session
from cocosearch_py.operations import read_code

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="Result number N of the last search, FILE, FILE:LINE, FILE#NAME or NAME. Write ./N for a file named N.",
    ),
]
IndexName = Annotated[
    str | None,
    typer.Option(
        "-n",
        "--index",
        "--index-name",
        metavar="NAME",
        callback=not_empty,
        help="Index to use (default: the result's, or the current folder's).",
    ),
]


def open_target(session: Session, target: Target, index_name: IndexName = None) -> int:
    """Open a result of the last search, a file, or a definition in your editor, at its line.

    The editor is $VISUAL, $EDITOR, or the first of nano, vim and vi. Without an editor, or in a pipe, the
    location is printed.
    """
    line = None
    if (number := number_of(target)) is not None:
        result = recall(session.data_folder, number)
        target, line, index_name = result.path, result.line, index_name or result.index_name
    values = {one.name: one.untyped for one in read_code.OPERATION.parameters if one.flag is not None}
    asked, call = prepare(session, read_code.OPERATION, values | {"targets": [target], "index_name": index_name})
    return open_found(session, call.run(read_code.read_code, asked), line)
