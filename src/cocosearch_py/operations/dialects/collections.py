"""Code Index's `collections`: list, info, delete, prune and clear-all, chosen by `subcommand`."""

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from cocosearch_py.errors import UnconfirmedError, ValidationError
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.operations.dialects.code_index import failed
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.registry import answer_of


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


def list_collections(call: Call, asked: Arguments) -> Json:
    """List all collections."""
    indexes = answer_of(call, "list_indexes", {"detailed": True})
    items = [_listed(index, detailed=asked.detailed) for index in indexes]
    totals = {"total_collections": len(items), "total_points": sum(item["points"] for item in items)}
    whole: Json = fit(items, lambda kept: {"collections": list(kept), **totals})
    return whole


def _listed(index: Json, *, detailed: bool) -> Json:
    item = {"name": index["name"], "points": index["chunks"], **_times(index)}
    if detailed:
        ids = {"collection_id": index["index_id"], "workspace_id": index["workspace_id"]}
        item |= {**ids, "files_indexed": index["files"], "model": index["embedding_model"]}
    return item


def _times(index: Json) -> Json:
    return {
        "workspace_path": index["root_path"],
        "created_date": index["created_at"],
        "indexed_date": index["updated_at"],
        "status": index["status"],
    }


def info(call: Call, asked: Arguments) -> Json:
    """Return the figures of one collection."""
    stats = answer_of(call, "index_stats", {"index_name": _named(asked)})
    config = stats["config"]
    return {
        "collection_name": stats["name"],
        "points": stats["chunk_count"],
        "vectors": stats["vector_count"],
        **_times(stats),
        "config": {
            "embedding_length": config["embedding_dimension"],
            "model": config["embedding_model"],
            "chunking_strategy": config["chunking_strategy"],
        },
        "statistics": {
            "files_indexed": stats["file_count"],
            "total_segments": stats["chunk_count"],
            "average_score": None,
        },
    }


def delete(call: Call, asked: Arguments) -> Json:
    """Delete one collection."""
    told = _clear(call, {"index_names": [_named(asked)], "confirm": asked.yes})
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
    told = _clear(call, {"older_than_days": asked.older_than_days, "confirm": asked.yes})
    return {
        "pruned_collections": told["deleted"],
        "total_pruned": told["total_deleted"],
        "total_points_removed": told["chunks_removed"],
        "message": told["message"],
    }


def clear_all(call: Call, asked: Arguments) -> Json:
    """Delete all collections."""
    told = _clear(call, {"all": True, "confirm": asked.yes})
    return {
        "deleted_collections": told["deleted"],
        "total_deleted": told["total_deleted"],
        "cache_cleared": True,
        "message": told["message"],
    }


def _clear(call: Call, arguments: Json) -> Json:
    try:
        cleared: Json = answer_of(call, "clear_index", arguments)
    except UnconfirmedError as error:
        hint = error.hint.replace("confirm=true", "yes=true")
        raise UnconfirmedError(error.message, hint=hint, details=error.details) from error
    return cleared


def _named(asked: Arguments) -> str:
    if not asked.collection_name:
        raise ValidationError(
            "collection_name is missing",
            hint="call collections with subcommand list for the names",
            details={"parameters": ["collection_name"]},
        )
    return asked.collection_name


def _operation(title: str, run: Any, answer: Any) -> Operation[Arguments, Any]:
    return Operation(
        name="collections",
        title=title,
        arguments=Arguments,
        run=run,
        shape=lambda told, _: told,
        answer=answer,
        failed=failed,
    )


LIST = _operation("List collections", list_collections, Listed)
INFO = _operation("One collection", info, Info)
DELETE = _operation("Delete a collection", delete, Deleted)
PRUNE = _operation("Delete old collections", prune, Pruned)
CLEAR_ALL = _operation("Delete all collections", clear_all, Cleared)
