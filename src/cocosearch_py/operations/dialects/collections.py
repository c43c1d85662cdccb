"""Code Index's `collections`: list, info, delete, prune and clear-all, chosen by `subcommand`."""

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from cocosearch_py.catalog.stats import IndexStats
from cocosearch_py.errors import UnconfirmedError, ValidationError
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations import clear_index, index_stats, list_indexes
from cocosearch_py.operations.dialects.code_index import failed
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.fitting import fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Code Index's collections; all subcommands take them, and use those that concern them."""

    collection_name: Annotated[str | None, About("For info and delete")] = None
    older_than_days: Annotated[int | None, About("For prune"), Bounds(0)] = None
    yes: Annotated[bool, About("Delete without confirmation")] = False
    detailed: Annotated[bool, About("For list: also IDs and files")] = False


class Item(TypedDict):
    """A collection, which is an index; `points` are its chunks."""

    name: str
    points: Count
    workspace_path: str
    created_date: str
    indexed_date: str
    status: str


class Listed(TypedDict):
    """All collections."""

    collections: list[Item]
    total_collections: Count
    total_points: Count


class Config(TypedDict):
    """How a collection was made."""

    embedding_length: Count
    model: str
    chunking_strategy: str


class Statistics(TypedDict):
    """A score compares the answers to one question, so there is no average of an index."""

    files_indexed: Count
    total_segments: Count
    average_score: None


class Info(TypedDict):
    """One collection."""

    collection_name: str
    workspace_path: str
    points: Count
    vectors: Count
    status: str
    created_date: str
    indexed_date: str
    config: Config
    statistics: Statistics


class Deleted(TypedDict):
    """The collection that is gone."""

    deleted: bool
    collection_name: str
    cache_cleaned: bool
    message: str


class Pruned(TypedDict):
    """The collections that were too old."""

    pruned_collections: list[str]
    total_pruned: Count
    total_points_removed: Count
    message: str


class Cleared(TypedDict):
    """All collections that there were."""

    deleted_collections: list[str]
    total_deleted: Count
    cache_cleared: bool
    message: str


def list_collections(call: Call, _: Arguments) -> list[IndexRecord]:
    """List all collections."""
    return list_indexes.list_indexes(call, list_indexes.Arguments())


def _listed(records: list[IndexRecord], asked: Arguments) -> Any:
    items: list[Json] = []
    for record in records:
        item = {"name": record.name, "points": record.chunk_count, **_times(record)}
        if asked.detailed:
            ids = {"collection_id": record.ulid, "workspace_id": record.workspace_id}
            item = {**item, **ids, "files_indexed": record.file_count, "model": record.embedding_model}
        items.append(item)
    totals = {"total_collections": len(records), "total_points": sum(record.chunk_count for record in records)}
    return fit(items, lambda kept: {"collections": list(kept), **totals})


def _times(record: IndexRecord) -> Json:
    return {
        "workspace_path": record.root_path,
        "created_date": timestamp(record.created_at),
        "indexed_date": timestamp(record.updated_at),
        "status": record.status,
    }


def info(call: Call, asked: Arguments) -> IndexStats:
    """Tell about one collection."""
    stats = index_stats.index_stats(call, index_stats.Arguments(index_name=_named(asked)))
    if isinstance(stats, list):
        raise TypeError("an index was named")
    return stats


def _informed(stats: IndexStats, _: Arguments) -> Json:
    record = stats.record
    return {
        "collection_name": record.name,
        "points": record.chunk_count,
        "vectors": stats.vectors,
        **_times(record),
        "config": {
            "embedding_length": record.embedding_dimension,
            "model": record.embedding_model,
            "chunking_strategy": record.options.get("strategy", "treesitter"),
        },
        "statistics": {
            "files_indexed": record.file_count,
            "total_segments": record.chunk_count,
            "average_score": None,
        },
    }


def delete(call: Call, asked: Arguments) -> Json:
    """Delete one collection."""
    told = _clear(call, clear_index.Arguments(index_names=[_named(asked)], confirm=asked.yes))
    return {
        "deleted": bool(told["deleted"]),
        "collection_name": next(iter(told["deleted"]), asked.collection_name),
        "cache_cleaned": bool(told["deleted"]),
        "message": told["message"],
    }


def prune(call: Call, asked: Arguments) -> Json:
    """Delete the collections that were not indexed for so long."""
    if asked.older_than_days is None:
        raise ValidationError(
            "prune needs older_than_days",
            hint="call collections with subcommand prune and older_than_days 30, for example",
            details={"parameters": ["older_than_days"]},
        )
    told = _clear(call, clear_index.Arguments(older_than_days=asked.older_than_days, confirm=asked.yes))
    return {
        "pruned_collections": told["deleted"],
        "total_pruned": told["total_deleted"],
        "total_points_removed": told["chunks_removed"],
        "message": told["message"],
    }


def clear_all(call: Call, asked: Arguments) -> Json:
    """Delete all collections."""
    told = _clear(call, clear_index.Arguments(all=True, confirm=asked.yes))
    return {
        "deleted_collections": told["deleted"],
        "total_deleted": told["total_deleted"],
        "cache_cleared": True,
        "message": told["message"],
    }


def _clear(call: Call, ours: clear_index.Arguments) -> Json:
    try:
        report = clear_index.clear_index(call, ours)
    except UnconfirmedError as error:
        hint = error.hint.replace("confirm=true", "yes=true")
        raise UnconfirmedError(error.message, hint=hint, details=error.details) from error
    told: Json = clear_index.OPERATION.shape(report, ours)
    return told


def _named(asked: Arguments) -> str:
    if not asked.collection_name:
        raise ValidationError(
            "collection_name is missing",
            hint="call collections with subcommand list for the names",
            details={"parameters": ["collection_name"]},
        )
    return asked.collection_name


def _operation(title: str, run: Any, answer: Any, shape: Any = lambda told, _: told) -> Operation[Arguments, Any]:
    return Operation(
        name="collections", title=title, arguments=Arguments, run=run, shape=shape, answer=answer, failed=failed
    )


LIST = _operation("List collections", list_collections, Listed, _listed)
INFO = _operation("One collection", info, Info, _informed)
DELETE = _operation("Delete a collection", delete, Deleted)
PRUNE = _operation("Delete old collections", prune, Pruned)
CLEAR_ALL = _operation("Delete all collections", clear_all, Cleared)
