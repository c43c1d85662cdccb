"""`open`: a result, a file or a definition in the editor."""

from cocosearch_py.cli.editor import open_found
from cocosearch_py.cli.operations import prepare
from cocosearch_py.cli.program import OpenArguments
from cocosearch_py.cli.results import number_of, recall
from cocosearch_py.cli.session import Session
from cocosearch_py.tools.registry import operation_named


def open_target(session: Session, asked: OpenArguments) -> int:
    """Open a result of the last search, a file, or a definition in the editor, or print its place."""
    target, index_name, line = asked.target, asked.index_name, None
    if (number := number_of(target)) is not None:
        result = recall(session.data_folder, number)
        target, line, index_name = result.path, result.line, index_name or result.index_name
    read_code = operation_named("read_code")
    values = {one.name: one.untyped for one in read_code.parameters if one.flag is not None}
    read, call = prepare(session, read_code, values | {"targets": [target], "index_name": index_name})
    return open_found(session, read_code.shape(call.run(read_code.run, read), read), line)
