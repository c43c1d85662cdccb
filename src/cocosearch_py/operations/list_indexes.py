"""`list_indexes`, `cocosearch-py list`: all indexes."""

from dataclasses import dataclass
from typing import NotRequired, TypedDict

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.common.answers import Json, Status, timestamp
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import Alias, Command, Operation
from cocosearch_py.operations.common.schema import Count


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """list_indexes has no parameters."""


class IndexItem(TypedDict):
    """One index; `commit` of one that is of a commit, `rev` is what that was called."""

    name: str
    index_id: str
    table_name: str
    root_path: str
    files: Count
    chunks: Count
    status: Status
    updated_at: str
    rev: NotRequired[str]
    commit: NotRequired[str]


def list_indexes(call: Call, _: Arguments) -> list[IndexRecord]:
    """List all code indexes: names, tables, folders, sizes."""
    app = call.app()
    return sorted([*call.visible(app), *call.unfinished(app)], key=lambda record: record.name)


def _answer(records: list[IndexRecord], _: Arguments) -> list[Json]:
    return [
        {
            "name": record.name,
            "index_id": record.ulid,
            "table_name": record.table_name,
            "root_path": record.root_path,
            "files": record.file_count,
            "chunks": record.chunk_count,
            "status": record.status,
            "updated_at": timestamp(record.updated_at),
            **({"rev": record.git_branch, "commit": record.commit} if record.commit else {}),
        }
        for record in records
    ]


def _command_answer(records: list[IndexRecord], asked: Arguments) -> list[Json]:
    """The same, with how many files an interrupted run left."""
    left = [{"files_pending": record.pending_file_count} if record.pending_file_count else {} for record in records]
    return [{**item, **more} for item, more in zip(_answer(records, asked), left, strict=True)]


OPERATION = Operation(
    name="list_indexes",
    title="List indexes",
    arguments=Arguments,
    run=list_indexes,
    shape=_answer,
    answer=list[IndexItem],
    error_is_text=True,
    toolset="index",
    order=1,
    command=Command(name="list", help="List all indexes.", shape=_command_answer),
    aliases=(
        Alias(name="collections", program="Code Index", chosen_by=("subcommand", "list"), dialect="collections.LIST"),
    ),
)
