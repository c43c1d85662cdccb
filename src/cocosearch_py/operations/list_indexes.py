"""`list_indexes`, `cocosearch-py list`: all indexes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

from cocosearch_py.catalog.freshness import age_days, staleness
from cocosearch_py.discovery.repository import Repository, find_repository
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, Status, timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.sizes import GLOBS

MAX_LIMIT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of list_indexes; CocoSearch's has none."""

    pattern: Annotated[
        str | None,
        About("Glob of names: shop-*"),
        GLOBS,
        UNLISTED,
        Flag(metavar="[PATTERN]", help="Only indexes whose names match, such as 'shop-*'."),
    ] = None
    detailed: Annotated[
        bool,
        About("Add branch, commit, age, model, repository and other worktrees"),
        UNLISTED,
        Flag(names=("--detailed",), help="Also show branch, commit, age, model, repository and its other worktrees."),
    ] = False
    limit: Annotated[
        int | None,
        About("Maximum indexes"),
        UNLISTED,
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of indexes."),
    ] = None
    cursor: Annotated[given.Cursor, UNLISTED] = None


class IndexItem(TypedDict):
    """One index; `commit` of one that is of a commit, `rev` is what that was called.

    From `workspace_id` to `chunking_strategy` with `detailed`. `repo` is the name of its repository; `worktrees` are
    the indexes of the other worktrees of that.
    """

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
    workspace_id: NotRequired[str]
    created_at: NotRequired[str]
    git_branch: NotRequired[str | None]
    git_commit: NotRequired[str | None]
    repo: NotRequired[str | None]
    worktrees: NotRequired[list[str]]
    is_stale: NotRequired[bool]
    staleness_days: NotRequired[Count]
    embedding_model: NotRequired[str]
    embedding_dimension: NotRequired[Count]
    chunking_strategy: NotRequired[str]


class More(TypedDict):
    """The last item when there are more than were asked for."""

    type: Literal["truncated"]
    message: str
    returned: Count
    available: Count
    next_cursor: str


class Note(TypedDict):
    """What was understood otherwise than it was written."""

    type: Literal["warning"]
    message: str


def list_indexes(call: Call, asked: Arguments) -> list[IndexRecord]:
    """List all code indexes: names, tables, folders, sizes."""
    app = call.app()
    records = sorted([*call.visible(app), *call.unfinished(app)], key=lambda record: record.name)
    return [record for record in records if asked.pattern is None or fnmatchcase(record.name, asked.pattern)]


def _answer(records: list[IndexRecord], asked: Arguments) -> list[Json]:
    bounds = Bounded()
    limit = None if asked.limit is None else bounds.value("limit", asked.limit, 1, MAX_LIMIT)
    left = [record for record in records if asked.cursor is None or record.name > asked.cursor]
    shown = left[:limit]
    items = [_item(record) for record in shown]
    if asked.detailed:
        items = [{**item, **more} for item, more in zip(items, _details(shown, records), strict=True)]
    items += [{"type": "warning", "message": text} for text in bounds.notes]
    if len(shown) < len(left):
        last = shown[-1].name
        told = f"{len(left) - len(shown):,} more: call again with cursor {last!r}"
        numbers = {"returned": len(shown), "available": len(records)}
        items.append({"type": "truncated", "message": told, **numbers, "next_cursor": last})
    return items


def _item(record: IndexRecord) -> Json:
    return {
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


def _details(shown: Sequence[IndexRecord], records: Sequence[IndexRecord]) -> list[Json]:
    """More of each; `records` are the indexes among which worktrees are looked for."""
    repositories = {record.name: _repository(record) for record in records}
    return [
        {
            "workspace_id": record.workspace_id,
            "created_at": timestamp(record.created_at),
            "git_branch": record.git_branch,
            "git_commit": record.git_commit,
            "repo": _name(repositories[record.name]),
            "worktrees": [
                other.name for other in records if _are_worktrees(repositories[record.name], repositories[other.name])
            ],
            "is_stale": staleness(record) is not None,
            "staleness_days": age_days(record),
            "embedding_model": record.embedding_model,
            "embedding_dimension": record.embedding_dimension,
            "chunking_strategy": str(record.options.get("strategy", "treesitter")),
        }
        for record in shown
    ]


def _repository(record: IndexRecord) -> Repository | None:
    return None if record.is_detached else find_repository(Path(record.root_path))


def _are_worktrees(one: Repository | None, other: Repository | None) -> bool:
    """Report whether these are different worktrees of one repository; folders of the same worktree are not."""
    if one is None or other is None or one.root.resolve() == other.root.resolve():
        return False
    return one.common_dir.resolve() == other.common_dir.resolve()


def _name(repository: Repository | None) -> str | None:
    """Name of the repository; clients see no more of its place."""
    if repository is None:
        return None
    folder = repository.common_dir.resolve()  # shared by all worktrees
    return folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")


def _command_answer(records: list[IndexRecord], asked: Arguments) -> list[Json]:
    """The same, with how many files an interrupted run left."""
    left = {record.name: record.pending_file_count for record in records if record.pending_file_count}
    return [
        {**item, **({"files_pending": left[item["name"]]} if item.get("name") in left else {})}
        for item in _answer(records, asked)
    ]


OPERATION = Operation(
    name="list_indexes",
    title="List indexes",
    arguments=Arguments,
    run=list_indexes,
    shape=_answer,
    answer=list[IndexItem | More | Note],
    error_is_text=True,
    toolset="index",
    order=1,
    command=Command(name="list", help="List all indexes.", shape=_command_answer),
    aliases=(
        Alias(name="collections", program="Code Index", chosen_by=("subcommand", "list"), dialect="collections.LIST"),
    ),
)
