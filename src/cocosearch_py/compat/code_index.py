"""Code Index's tools, and its form of errors."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cocosearch_py.errors import UnconfirmedError, ValidationError
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched, search_code
from cocosearch_py.model.answers import Bounds, Count, Part, Share
from cocosearch_py.tools.answer import Arguments, Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.sizes import GLOBS, PATHS, QUERY

_RESULTS = 50
_SNIPPET_CHARS = 160
_BOOSTS: Sequence[Mapping[str, Any]] = ({"pattern": "src/", "boost": 1.25}, {"pattern": "test/", "boost": 0.7})
# As folders: these letters anywhere in a path would leave out `.github` and `.gitlab-ci.yml`.
_EXCLUDED = ("**/node_modules/**", "**/.git/**")
_WILDCARDS = "*?[{"
# It documents six types of error; the others of ours are the nearest of these.
_ERROR_TYPES = {
    "not_found": "validation_error",
    "not_indexed": "workspace_error",
    "index_collision": "workspace_error",
    "conflict": "operation_error",
    "timeout": "operation_error",
    "cancelled": "operation_error",
    "permission_denied": "service_connection_error",
}


def failed(described: Json) -> Json:
    """Describe a failed call in its words: `error` is true, and its `error_type` is one that it documents."""
    kind = described.get("error_type", "operation_error")
    details = described.get("details") or {}
    if kind in _ERROR_TYPES:
        details = {**details, "cause": kind}
    return {**described, "error": True, "error_type": _ERROR_TYPES.get(kind, kind), "details": details}


class CollectionsArguments(Arguments):
    """Parameters of Code Index's collections; all subcommands take them, and use those that concern them."""

    collection_name: Annotated[str | None, About("For info and delete")] = None
    older_than_days: Annotated[int | None, About("For prune"), Bounds(0)] = None
    yes: Annotated[bool, About("Delete without confirmation")] = False
    detailed: Annotated[bool, About("For list: also IDs and files")] = False


class Collection(Part):
    """A collection, which is an index; `points` are its chunks."""

    name: str
    points: Count
    workspace_path: str
    created_date: str
    indexed_date: str
    status: str


class Collections(Part):
    """All collections."""

    collections: tuple[Collection, ...]
    total_collections: Count
    total_points: Count


class CollectionConfig(Part):
    """How a collection was made."""

    embedding_length: Count
    model: str
    chunking_strategy: str


class CollectionStatistics(Part):
    """A score compares the answers to one question, so there is no average of an index."""

    files_indexed: Count
    total_segments: Count
    average_score: None


class CollectionInfo(Part):
    """One collection."""

    collection_name: str
    workspace_path: str
    points: Count
    vectors: Count
    status: str
    created_date: str
    indexed_date: str
    config: CollectionConfig
    statistics: CollectionStatistics


class DeletedCollection(Part):
    """The collection that is gone."""

    deleted: bool
    collection_name: str
    cache_cleaned: bool
    message: str


class PrunedCollections(Part):
    """The collections that were too old."""

    pruned_collections: tuple[str, ...]
    total_pruned: Count
    total_points_removed: Count
    message: str


class ClearedCollections(Part):
    """All collections that there were."""

    deleted_collections: tuple[str, ...]
    total_deleted: Count
    cache_cleared: bool
    message: str


def _list_collections(call: Call, asked: CollectionsArguments) -> Json:
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


def _info(call: Call, asked: CollectionsArguments) -> Json:
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


def _delete(call: Call, asked: CollectionsArguments) -> Json:
    """Delete one collection."""
    told = _clear(call, {"index_names": [_named(asked)], "confirm": asked.yes})
    return {
        "deleted": bool(told["deleted"]),
        "collection_name": next(iter(told["deleted"]), asked.collection_name),
        "cache_cleaned": bool(told["deleted"]),
        "message": told["message"],
    }


def _prune(call: Call, asked: CollectionsArguments) -> Json:
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


def _clear_all(call: Call, asked: CollectionsArguments) -> Json:
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


def _named(asked: CollectionsArguments) -> str:
    if not asked.collection_name:
        raise ValidationError(
            "collection_name is missing",
            hint="call collections with subcommand list for the names",
            details={"parameters": ["collection_name"]},
        )
    return asked.collection_name


def _operation(title: str, run: Any, answer: Any) -> Operation[CollectionsArguments, Any]:
    return Operation(
        name="collections",
        title=title,
        arguments=CollectionsArguments,
        run=run,
        shape=lambda told, _: told,
        answer=answer,
        failed=failed,
    )


LIST = _operation("List collections", _list_collections, Collections)
INFO = _operation("One collection", _info, CollectionInfo)
DELETE = _operation("Delete a collection", _delete, DeletedCollection)
PRUNE = _operation("Delete old collections", _prune, PrunedCollections)
CLEAR_ALL = _operation("Delete all collections", _clear_all, ClearedCollections)


class SearchArguments(Arguments):
    """Parameters of Code Index's search. Those that begin with `search_` hold where the others are not given."""

    query: Annotated[str, About("Text to search for"), QUERY]
    workspace: Annotated[str, About("Folder whose index to search"), PATHS] = "."
    min_score: Annotated[float | None, About("Minimum vector similarity"), Bounds(0, 1)] = None
    max_results: Annotated[int | None, About("Results, 50 by default"), Bounds(1)] = None
    search_min_score: Annotated[float | None, About("As min_score"), Bounds(0, 1)] = None
    search_max_results: Annotated[int | None, About("As max_results"), Bounds(1)] = None
    search_snippet_preview_chars: Annotated[int | None, About("Length of a snippet, 160 by default"), Bounds(1)] = None
    search_file_type_weights: Annotated[dict[str, float] | None, About("Factors by extension")] = None
    search_path_boosts: Annotated[list[dict[str, Any]] | None, About("Factors by part of the path")] = None
    search_language_boosts: Annotated[dict[str, float] | None, About("Factors by language")] = None
    search_exclude_patterns: Annotated[list[str] | None, About("Parts of paths to leave out"), GLOBS] = None


class Snippet(Part):
    """A result; the path is relative to the workspace, `score` is the similarity of meaning."""

    filePath: str
    startLine: Count
    endLine: Count
    type: str
    score: Share
    adjustedScore: Share
    snippet: str
    language: str
    fileSize: Count


def _search(call: Call, asked: SearchArguments) -> Searched:
    """Search indexed code."""
    most = next((one for one in (asked.max_results, asked.search_max_results) if one is not None), _RESULTS)
    least = next((one for one in (asked.min_score, asked.search_min_score) if one is not None), 0.0)
    excluded = asked.search_exclude_patterns
    weights = {
        "ext": asked.search_file_type_weights,
        "path": [_weight(one) for one in (_BOOSTS if asked.search_path_boosts is None else asked.search_path_boosts)],
        "language": asked.search_language_boosts,
    }
    ours = SearchCodeArguments(
        query=asked.query,
        limit=most,
        min_score=least,
        exclude=list(_EXCLUDED) if excluded is None else [_anywhere(one) for one in excluded],
        weights={name: one for name, one in weights.items() if one is not None},
        smart_context=False,
    )
    return search_code(call, ours)


def _anywhere(pattern: str) -> str:
    """The glob for all paths that hold a text; one with wildcards is a glob already."""
    return pattern if any(one in pattern for one in _WILDCARDS) else f"**{pattern}**"


def _weight(boost: Mapping[str, Any]) -> Json:
    """A factor on paths; it is spelled `boost` in the parameters and `weight` in some of its texts."""
    named = {name: value for name, value in boost.items() if name != "pattern"}
    if not isinstance(boost.get("pattern"), str) or len(named) != 1 or not named.keys() <= {"boost", "weight"}:
        raise ValidationError(
            "wrong search_path_boosts: each needs pattern and boost, and nothing else",
            hint='the form is [{"pattern": "src/", "boost": 1.5}]',
        )
    return {"pattern": _anywhere(boost["pattern"]), "weight": next(iter(named.values()))}


def _snippets(searched: Searched, asked: SearchArguments) -> Any:
    chars = asked.search_snippet_preview_chars or _SNIPPET_CHARS
    items: list[Json] = [
        {
            "filePath": hit.file_path,
            "startLine": hit.start_line,
            "endLine": hit.end_line,
            "type": hit.block_type,
            "score": hit.vector_score or 0.0,
            "adjustedScore": hit.score,
            "snippet": hit.content[:chars],
            "language": hit.language_id,
            "fileSize": hit.version.size_bytes if hit.version else 0,
        }
        for _, hit in searched.hits
    ]
    return fit(items, list)


SEARCH = Operation(
    name="search",
    title="Search code",
    arguments=SearchArguments,
    answer=list[Snippet],
    run=_search,
    shape=_snippets,
    about_indexes=True,
    names_folder="workspace",
    failed=failed,
)
