"""`cocosearch-py import`: an index from a file that `export` wrote."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, NotRequired, TypedDict

from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of import."""

    file: Annotated[str, Flag(metavar="FILE", filled=True, help="Bundle file.")]
    name: Annotated[
        str | None,
        Flag(names=("--name",), metavar="NAME", filled=True, help="Name of the index (default: the bundle's)."),
    ] = None
    root: Annotated[
        str | None,
        Flag(
            names=("--root",),
            metavar="DIR",
            filled=True,
            help="Local checkout of the repository. Without it, answers are not compared with files on disk.",
        ),
    ] = None


class Imported(NamedTuple):
    """The index, and the job that makes searches in a large one fast; None if there is nothing to do."""

    record: IndexRecord
    job_id: str | None


class Answer(TypedDict):
    """The index that was made. It answers at once; `job_id` makes what lets searches in a large one be fast."""

    success: bool
    index_name: str
    root_path: str | None
    files: Count
    chunks: Count
    job_id: NotRequired[str]


def import_index(call: Call, asked: Arguments) -> Imported:
    """Make an index of a bundle that `export` wrote; nothing is parsed or embedded."""
    from cocosearch_py.tools.requests import completion_of

    root = Path(asked.root) if asked.root is not None else None
    app = call.app()
    record = app.transfers.load(Path(asked.file), asked.name, root)
    call.changed()
    if app.transfers.is_complete(record):
        return Imported(record, None)
    return Imported(record, app.runs.enqueue(completion_of(app, record)).job_id)


def _answer(made: Imported, _: Arguments) -> Json:
    record = made.record
    job = {} if made.job_id is None else {"job_id": made.job_id}
    return {
        "success": True,
        "index_name": record.name,
        "root_path": None if record.is_detached else record.root_path,
        "files": record.file_count,
        "chunks": record.chunk_count,
        **job,
    }


OPERATION = Operation(
    name="import_index",
    title="Import an index",
    arguments=Arguments,
    run=import_index,
    shape=_answer,
    answer=Answer,
    writes=True,
    command=Command(
        name="import", help="Create an index from a file that `export` wrote, without parsing or embedding."
    ),
)
