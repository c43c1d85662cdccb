"""Code Index's tools, and its form of errors."""

from collections.abc import Mapping, Sequence
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Annotated, Any, cast

from msgspec import UNSET, UnsetType

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.errors import ConfigurationError, UnconfirmedError, ValidationError
from cocosearch_py.features.indexing.service import Run, begin_runs
from cocosearch_py.features.indexing.several import Several, entries_of, run_each
from cocosearch_py.features.indexing.tools import MAX_WAIT_S
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments as Ours
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched, search_code
from cocosearch_py.model.answers import Bounds, Count, Part, Share
from cocosearch_py.tools.answer import Arguments, Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.runs import index_of, progress
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


MAX_WORKSPACES = 50
_MAX_FILE_BYTES = 2**20
# A configuration names these for services that are not ours: its model and length of vectors among them.
_FOREIGN = ("embedding_length", "ollama_base_url", "ollama_model", "qdrant_url", "qdrant_api_key", "workspace_path")


class IndexArguments(Arguments):
    """Parameters of Code Index's index. Those from `embedding_length` on are its configuration overrides."""

    workspace: Annotated[str, About("Folder to index"), PATHS] = "."
    config: Annotated[str | None, About("JSON configuration; read and never written"), PATHS] = None
    workspacelist: Annotated[str | None, About("File that lists one folder per line, relative to the file"), PATHS] = (
        None
    )
    embed_timeout: Annotated[int | None, About("Seconds for one response of the model"), Bounds(1, 3600)] = None
    embedding_length: Annotated[int | None, About("Vector dimension of the model")] = None
    chunking_strategy: Annotated[str | None, About("lines, tokens or treesitter")] = None
    use_tree_sitter: Annotated[bool | None, About("Split by syntax, whatever the strategy")] = None
    batch_segment_threshold: Annotated[int | None, About("Texts per model run")] = None
    embed_timeout_seconds: Annotated[int | None, About("As embed_timeout")] = None
    max_file_size_bytes: Annotated[int | None, About("Larger files are skipped")] = None
    tree_sitter_max_file_size_bytes: Annotated[int | None, About("Larger files are split at lines")] = None
    tree_sitter_max_blocks_per_file: Annotated[int | None, About("Files with more are split at lines")] = None
    tree_sitter_skip_test_files: Annotated[bool | None, About("No effect: tests rank below other code")] = None
    token_chunk_size: Annotated[int | None, About("Tokens per chunk")] = None
    token_chunk_overlap: Annotated[int | None, About("Tokens of overlap")] = None
    extensions: Annotated[list[str] | None, About("Only files with these extensions")] = None
    auto_extensions: Annotated[bool | None, About("No effect: languages are always detected")] = None
    exclude_files_path: Annotated[str | None, About("File with exclude patterns"), PATHS] = None
    timeout_log_path: Annotated[str | None, About("No effect: the answer has timeout_files"), PATHS] = None
    search_min_score: Annotated[float | None, About("No effect in a run")] = None
    search_max_results: Annotated[int | None, About("No effect in a run")] = None
    search_file_type_weights: Annotated[dict[str, float] | None, About("No effect in a run")] = None
    search_path_boosts: Annotated[list[dict[str, Any]] | None, About("No effect in a run")] = None


_OVERRIDES = IndexArguments.__struct_fields__[4:]


class IndexedWorkspace(Part):
    """Figures of a run; files that had not changed count as skipped. Of several workspaces these are the sums."""

    success: bool
    files_processed: Count
    files_skipped: Count
    total_segments: Count
    processing_time_seconds: float
    collection_name: str
    workspace_path: str
    timeout_files: list[str]
    warnings: list[str]
    workspaces: tuple[Json, ...] | UnsetType = UNSET


def _index(call: Call, asked: IndexArguments) -> "Waiting[list[Json]]":
    """Index a workspace, or bring its index up to date; waits at most 20 s."""
    remarks: list[str] = []
    configured = _configured(call, asked.config, remarks) if asked.config else {}
    named = {name: value for name in _OVERRIDES if (value := getattr(asked, name)) is not None}
    overrides = {**configured, **named} or None

    def begin(own: Call, folder: str) -> Waiting[Run]:
        ours = Ours(path=folder, overrides=overrides, embed_timeout=asked.embed_timeout)
        return cast("Waiting[Run]", begin_runs(own, ours))

    if not asked.workspacelist:
        begun = begin(call, asked.workspace)
        return Waiting(
            begun.job, MAX_WAIT_S, lambda job: _remarked([_of_run(begun.then(job))], remarks), stops=begun.stops
        )
    folders = _workspaces(call, asked.workspacelist)
    several: Waiting[Several[Run]] | Several[Run] = run_each(call, folders, begin, MAX_WAIT_S)
    if isinstance(several, Several):  # nothing began
        errors = [one.raised for one in several.outcomes if one.raised is not None]
        raise errors[0] if errors else ValidationError("the list names no workspace", hint="write one folder per line")
    return Waiting(several.job, MAX_WAIT_S, lambda job: _of_list(several.then(job), remarks), stops=several.stops)


def _of_list(several: Several[Run], remarks: list[str]) -> list[Json]:
    """Return the figures of each run; a workspace that no run could begin in is a remark."""
    items, refused = [], []
    for one in several.outcomes:
        told = f"{one.path}: {(one.error or {}).get('message')}"
        if one.raised is not None:
            refused.append(told)
        elif one.report is not None:
            items.append(_of_run(one.report))
        else:
            items.append({**_NOTHING, "workspace_path": one.path, "warnings": [told]})
    return _remarked(items, [*remarks, *refused])


def _remarked(items: list[Json], remarks: list[str]) -> list[Json]:
    """Add the remarks to the first item."""
    first, *rest = items
    return [{**first, "warnings": [*remarks, *first["warnings"]]}, *rest]


_NOTHING: Mapping[str, Any] = {
    "success": False,
    "files_processed": 0,
    "files_skipped": 0,
    "total_segments": 0,
    "processing_time_seconds": 0.0,
    "collection_name": "",
    "timeout_files": [],
}


def _of_run(run: Run) -> Json:
    report = run.report
    if report is None:
        told = f"still running: call index_status with job_id {run.job.job_id}"
        return {
            **_NOTHING,
            "success": True,
            "files_processed": run.job.done,
            "processing_time_seconds": progress(run.job).seconds,
            "collection_name": index_of(run.job),
            "workspace_path": str(run.folder),
            "warnings": [told],
            "job_id": run.job.job_id,
        }
    return {
        "success": True,
        "files_processed": report.files_added + report.files_updated,
        "files_skipped": report.files_skipped + report.files_unchanged,
        "total_segments": report.chunks,
        "processing_time_seconds": round(report.seconds, 3),
        "collection_name": report.index_name,
        "workspace_path": report.root_path,
        "timeout_files": list(report.timeout_files),
        "warnings": list(report.warnings),
    }


def _summed(items: list[Json], _: IndexArguments) -> Json:
    if len(items) == 1:
        return items[0]
    sums = ("files_processed", "files_skipped", "total_segments", "processing_time_seconds")
    return {
        **items[0],
        "success": all(item["success"] for item in items),
        **{name: sum(item[name] for item in items) for name in sums},
        "timeout_files": [file for item in items for file in item["timeout_files"]],
        "warnings": [text for item in items for text in item["warnings"]],
        "workspaces": items,
    }


def _configured(call: Call, path: str, remarks: list[str]) -> Json:
    """The overrides that a JSON configuration of Code Index means; raises ConfigurationError."""
    text = _text_of(call, path)
    if text is None:
        remarks.append(f"config: {path} does not exist, and is not created")
        return {}
    try:
        values = loads(text)
    except (JSONDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not JSON: {error}", hint="correct the file, or leave out config") from None
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} is not a JSON object", hint="correct the file, or leave out config")
    if foreign := [name for name in _FOREIGN if name in values]:
        remarks.append(
            f"config: {', '.join(foreign)} have no effect: embedding and database are set in cocosearch.yaml"
        )
    unknown = [name for name in values if name not in (*_OVERRIDES, *_FOREIGN) and not name.startswith("search_")]
    if unknown:
        remarks.append(f"config: unknown {', '.join(unknown)}"[:500])
    return {
        name: value
        for name, value in values.items()
        if name in _OVERRIDES and name not in _FOREIGN and not name.startswith("search_")
    }


def _workspaces(call: Call, path: str) -> list[str]:
    """The folders of a list, as absolute paths; raises ValidationError."""
    text = _text_of(call, path)
    if text is None:
        raise ValidationError(f"the list {path} does not exist", hint="give a text file with one folder per line")
    base = call.folder_to_index(str(Path(path).parent))
    folders = list(dict.fromkeys(entries_of(text, base)))
    if len(folders) > MAX_WORKSPACES:
        raise ValidationError(f"the list names more than {MAX_WORKSPACES} workspaces", hint="split it")
    return folders


def _text_of(call: Call, path: str) -> str | None:
    """A file in a folder that the caller may have indexed; None when it is not there. Raises SafetyError."""
    folder = call.folder_to_index(str(Path(path).parent))
    try:
        with FolderReader(str(folder), _MAX_FILE_BYTES) as reader:
            data = reader.read(Path(path).name)
    except OSError:
        return None
    if not isinstance(data, bytes):
        raise ValidationError(f"{path} is not a readable file", hint="give a text file of at most 1 MB")
    return data.decode("utf-8", "replace")


INDEX: "Operation[IndexArguments, list[Json]]" = Operation(
    name="index",
    title="Index a workspace",
    arguments=IndexArguments,
    run=_index,
    shape=_summed,
    answer=IndexedWorkspace,
    about_project=True,
    failed=failed,
)
