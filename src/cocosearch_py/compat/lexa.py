"""Lexa's tools."""

import posixpath
from typing import Annotated, Any

from msgspec import structs

from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.compat.adapter import adapter
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.features.edit.tools import MAX_CHANGES
from cocosearch_py.features.files.tools import MAX_FILES, FolderEntry, ListedFile, ScoredPath
from cocosearch_py.features.navigate.answers import FileOutline
from cocosearch_py.features.navigate.arguments import MAX_OUTLINE_DEPTH
from cocosearch_py.features.pipeline import tools as pipeline
from cocosearch_py.features.pipeline.chain import parse
from cocosearch_py.features.pipeline.items import Item
from cocosearch_py.features.pipeline.service import run_steps
from cocosearch_py.features.pipeline.verbs import NAMES
from cocosearch_py.features.references.tools import CURSOR_MODE, Reference
from cocosearch_py.model.answers import Bounds, Count, Part
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Json, Shrinkable
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import EDIT, About, Operation
from cocosearch_py.tools.pages import Cursor
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.sizes import FILE_TEXT, GLOBS

MaxResults = Annotated[int, About("1-200"), Bounds(1)]
_FILTERS = ("path", "path_glob", "language", "min_lines", "max_lines")
_CHANGES_NOTE = "Changes since this server was started; list_changes has those before it as well."


class FilesArguments(Arguments):
    """Parameters of Lexa's files; an index may be named in each of these."""

    path: Annotated[str | None, About("Below this folder")] = None
    path_glob: Annotated[str | None, About("Only these paths: **/*.{ts,tsx}"), GLOBS] = None
    language: given.Languages = None
    min_lines: Annotated[int | None, About("Minimum number of lines")] = None
    max_lines: Annotated[int | None, About("Maximum number of lines")] = None
    max_results: MaxResults = MAX_FILES
    index_name: given.IndexName = None


class Files(Part):
    """Files; `filters` are those of the call."""

    count: Count
    total: Count
    limit: Count
    truncated: bool
    filters: Any
    files: tuple[ListedFile, ...]
    warnings: tuple[str, ...] = ()


def _asked_files(asked: FilesArguments) -> Json:
    return {name: getattr(asked, name) for name in _FILTERS} | {"limit": asked.max_results}


def _files(_: Call, answer: Json, asked: FilesArguments) -> Json:
    filters = {name: getattr(asked, name) for name in _FILTERS}
    return {name: answer[name] for name in Files.__struct_fields__ if name in answer} | {"filters": filters}


FILES = adapter(
    "files",
    "List files",
    "list_files",
    arguments=FilesArguments,
    answer=Files,
    ask=_asked_files,
    reply=_files,
    about_indexes=True,
)


class ListArguments(Arguments):
    """Parameters of Lexa's list."""

    path: Annotated[str | None, About("Folder; default: the project")] = None
    index_name: given.IndexName = None


class Children(Part):
    """Files and folders directly in a folder; `truncated` if there are more."""

    path: str
    count: Count
    entries: tuple[FolderEntry, ...]
    truncated: bool = False
    warnings: tuple[str, ...] = ()


LIST = adapter(
    "list",
    "List a folder",
    "list_files",
    arguments=ListArguments,
    answer=Children,
    ask=lambda asked: {"path": asked.path, "view": "children", "limit": MAX_FILES},
    about_indexes=True,
)


class GlobArguments(Arguments):
    """Parameters of Lexa's glob."""

    pattern: Annotated[str, About("Glob of paths"), GLOBS]
    max_results: MaxResults = MAX_FILES
    index_name: given.IndexName = None


class Paths(Part):
    """Paths that match a glob."""

    pattern: str
    count: Count
    total: Count
    limit: Count
    truncated: bool
    paths: tuple[str, ...]
    warnings: tuple[str, ...] = ()


GLOB = adapter(
    "glob",
    "List paths by a glob",
    "list_files",
    arguments=GlobArguments,
    answer=Paths,
    ask=lambda asked: {"path_glob": asked.pattern, "view": "paths", "limit": asked.max_results},
    about_indexes=True,
)


class PathSearchArguments(Arguments):
    """Parameters of Lexa's path_search."""

    query: Annotated[str, About("Text that resembles the path")]
    max_results: MaxResults = 20
    index_name: given.IndexName = None


class SimilarPaths(Part):
    """Paths like a query, best match first."""

    query: str
    count: Count
    limit: Count
    results: tuple[ScoredPath, ...]
    warnings: tuple[str, ...] = ()


PATH_SEARCH = adapter(
    "path_search",
    "Find paths",
    "list_files",
    arguments=PathSearchArguments,
    answer=SimilarPaths,
    ask=lambda asked: {"query": asked.query, "limit": asked.max_results},
    about_indexes=True,
)


class RecentArguments(Arguments):
    """Parameters of Lexa's recent."""

    limit: MaxResults = 10
    index_name: given.IndexName = None


class RecentFiles(Part):
    """Files, the last modified first."""

    count: Count
    limit: Count
    files: tuple[ListedFile, ...]
    warnings: tuple[str, ...] = ()


RECENT = adapter(
    "recent",
    "Recently modified files",
    "list_files",
    arguments=RecentArguments,
    answer=RecentFiles,
    ask=lambda asked: {"sort": "modified", "limit": asked.limit},
    about_indexes=True,
)


class OutlineArguments(Arguments):
    """Parameters of Lexa's outline; an index may be named."""

    path: Annotated[str, About("Path of a file")]
    index_name: given.IndexName = None


def _in_project(call: Call, path: str) -> str:
    """Return a path relative to the root of the call's index."""
    return posixpath.relpath(path, call.find().records[0].root_path)


OUTLINE = adapter(
    "outline",
    "Outline a file",
    "outline_file",
    arguments=OutlineArguments,
    answer=FileOutline,
    ask=lambda asked: {"path": asked.path, "depth": MAX_OUTLINE_DEPTH},
    reply=lambda call, answer, _: {**answer, "path": _in_project(call, answer["path"])},
    about_indexes=True,
    needs="symbol",
)


class WordRefsArguments(Arguments):
    """Parameters of Lexa's word_refs; an index may be named."""

    word: Annotated[str, About("An identifier")]
    max_results: MaxResults = 30
    cursor: Annotated[int | str | None, About("next_cursor: number of earlier results, from 0")] = None
    path_prefix: Annotated[str | None, About("Only this folder")] = None
    path_glob: Annotated[str | None, About("Only these paths"), GLOBS] = None
    index_name: given.IndexName = None


class WordRefs(Part):
    """Uses and definitions, the surest first; `next_cursor` is the number of the next one."""

    references: tuple[Reference, ...]
    definitions: tuple[str, ...]
    total: Count
    counts: dict[str, Count]
    confidence: dict[str, Count]
    completeness: Completeness
    next_cursor: Count | str = ""
    hints: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def _asked_refs(asked: WordRefsArguments) -> Json:
    cursor = None if asked.cursor is None else str(asked.cursor)
    return {
        "symbol": asked.word,
        "kinds": "all",
        "limit": asked.max_results,
        "cursor": str(Cursor(CURSOR_MODE, 0, int(cursor))) if cursor and cursor.isdecimal() else cursor,
        "path_prefix": asked.path_prefix,
        "path_glob": asked.path_glob,
    }


def _word_refs(_: Call, answer: Json, __: WordRefsArguments) -> Json:
    if "next_cursor" not in answer:
        return answer
    _, number, offset = answer["next_cursor"].split(":")
    return {**answer, "next_cursor": int(offset)} if number == "0" else answer  # Others are of linked indexes.


WORD_REFS = adapter(
    "word_refs",
    "Find a word in code",
    "find_references",
    arguments=WordRefsArguments,
    answer=WordRefs,
    ask=_asked_refs,
    reply=_word_refs,
    about_indexes=True,
    needs="graph",
)


class PatchArguments(Arguments):
    """Parameters of Lexa's patch; `if_hash` is required here."""

    path: Annotated[str, About("File in the project")]
    op: Annotated[str, About("replace, insert or delete")]
    content: Annotated[str | None, About("New text"), FILE_TEXT] = None
    range_start: Annotated[int | None, About("First line, from 1")] = None
    range_end: Annotated[int | None, About("Last line, inclusive")] = None
    after: Annotated[int | None, About("insert after this line")] = None
    if_hash: Annotated[str | None, About("hash from the read answer")] = None
    dry_run: Annotated[bool, About("Write nothing")] = False
    replace_text: Annotated[str | None, About("Or the exact text to replace"), FILE_TEXT] = None
    anchor: Annotated[str | None, About("Text of the line to insert beside"), FILE_TEXT] = None
    placement: Annotated[str, About("before or after the anchor")] = "after"
    preview_mode: Annotated[str, About("compact or full")] = "compact"
    index_name: given.IndexName = None


class Written(Part):
    """`change_sequence` is the number of the change in the log; of a dry run there is none."""

    path: str
    op: str
    applied: bool
    dry_run: bool
    hash: str
    preview: str
    parse_status: str
    change_sequence: int = 0
    warnings: tuple[str, ...] = ()


def _asked_patch(asked: PatchArguments) -> Json:
    empty = "" if asked.op == "replace" else None
    content = empty if asked.content is None else asked.content
    renamed = {"content", "replace_text", "preview_mode", "index_name"}
    return {
        **{name: value for name, value in structs.asdict(asked).items() if name not in renamed},
        "content": None if asked.op == "delete" else content,
        "old_text": asked.replace_text,
        "preview": asked.preview_mode,
    }


def _written(call: Call, answer: Json, op: str) -> Written:
    return Written(
        path=_in_project(call, answer["file_path"]),
        op=op,
        applied=answer["applied"],
        dry_run=answer.get("dry_run", False),
        hash=answer["hash"],
        preview=answer["diff"],
        parse_status=answer["parse_status"]["after"],
        change_sequence=answer.get("seq", 0),
        warnings=answer.get("warnings", ()),
    )


_EDITS: Json = {"toolset": EDIT, "about_indexes": True, "writes": True, "destroys": True}
PATCH = adapter(
    "patch",
    "Change a file",
    "patch_file",
    arguments=PatchArguments,
    answer=Written,
    ask=_asked_patch,
    reply=lambda call, answer, asked: _written(call, answer, asked.op),
    **_EDITS,
)


class CreateArguments(Arguments):
    """Parameters of Lexa's create. Overwriting needs `if_hash` as well."""

    path: Annotated[str, About("File in the project")]
    content: Annotated[str, About("Whole text of the file"), FILE_TEXT] = ""
    overwrite: Annotated[bool, About("Replace an existing file")] = False
    dry_run: Annotated[bool, About("Write nothing")] = False
    if_hash: Annotated[str | None, About("With overwrite: hash from the read answer")] = None
    index_name: given.IndexName = None


CREATE = adapter(
    "create",
    "Write a file",
    "create_file",
    arguments=CreateArguments,
    answer=Written,
    ask=lambda asked: {name: value for name, value in structs.asdict(asked).items() if name != "index_name"},
    reply=lambda call, answer, asked: _written(call, answer, "overwrite" if asked.overwrite else "create"),
    **_EDITS,
)


class ChangesArguments(Arguments):
    """Parameters of Lexa's changes; an index may be named."""

    since: Annotated[int, Bounds(0), About("Sequence number")] = 0
    index_name: given.IndexName = None


class Change(Part):
    """A change of one file."""

    path: str
    seq: Count
    op: str


class Changes(Part):
    """Changes of files since the server was started; `count` is the number of changes shown."""

    since: Count
    count: Count
    change_history_persisted: bool
    note: str
    changes: tuple[Change, ...]


def _changes(call: Call, asked: ChangesArguments) -> Json:
    since = call.app().opened_at.isoformat()
    ours = {"since_seq": asked.since, "since_time": since, "limit": MAX_CHANGES}
    changes = answer_of(call, "list_changes", ours)["changes"]
    return {
        "since": asked.since,
        "count": len(changes),
        "change_history_persisted": True,
        "note": _CHANGES_NOTE,
        "changes": [{"path": change["path"], "seq": change["seq"], "op": change["op"]} for change in changes],
    }


CHANGES = Operation(
    name="changes",
    title="Changes of files",
    arguments=ChangesArguments,
    answer=Changes,
    run=_changes,
    shape=lambda answer, _: answer,
    about_indexes=True,
)


class ClearIndexArguments(Arguments):
    """Lexa's clear_index has no parameters."""


class ClearedGraph(Part):
    """The index that was cleared, and until when it can be restored."""

    index_name: str
    restorable_until: str | None


class ClearedIndex(Part):
    """Deletion of the project's index; `graph` is null if it has none."""

    cleared: bool
    graph_removed: bool
    graph: ClearedGraph | None


def _clear_index(call: Call, _: ClearIndexArguments) -> Json:
    """Delete the index of the project; for 24 hours restore_index brings it back."""
    place = call.selection.place
    if place is not None and len(place.folders) > 1:
        raise ValidationError(
            f"the client has {len(place.folders)} folders open, so the index is ambiguous", hint="pass index_name"
        )
    graph = None
    try:
        record = call.find().records[0]
    except NotIndexedError:
        pass
    else:
        cleared = answer_of(call, "clear_index", {"index_name": record.name})
        if cleared["deleted"]:
            graph = {"index_name": cleared["deleted"][0], "restorable_until": cleared["restorable_until"]}
    return {"cleared": graph is not None, "graph_removed": graph is not None, "graph": graph}


CLEAR_INDEX = Operation(
    name="clear_index",
    title="Delete the project's index",
    arguments=ClearIndexArguments,
    answer=ClearedIndex,
    run=_clear_index,
    shape=lambda answer, _: answer,
    about_indexes=True,
    writes=True,
    destroys=True,
)


class StatusArguments(Arguments):
    """Lexa's status has no parameters; an index may be named."""

    index_name: given.IndexName = None


class Status(Part):
    """Figures of an index; `seq` is the number of the last change of a file, which `changes` counts from."""

    files_indexed: Count
    symbols_indexed: Count
    unique_words_indexed: Count
    word_indexed_files: Count
    seq: Count
    change_history_persisted: bool
    graph: Any


def _status(call: Call, _: StatusArguments) -> Json:
    found = call.find()
    record = found.records[0]
    stats = found.app.catalog.stats(record, StatsRequest(words=True))
    return {
        "files_indexed": record.file_count,
        "symbols_indexed": sum(stats.symbols.values()),
        "unique_words_indexed": stats.words or 0,
        "word_indexed_files": record.file_count,
        "seq": found.app.change_log.last_seq(record.root_path),
        "change_history_persisted": True,
        "graph": {"index_name": record.name, "edges": stats.edges, "persisted": True},
    }


STATUS = Operation(
    name="status",
    title="Figures of an index",
    arguments=StatusArguments,
    answer=Status,
    run=_status,
    shape=lambda answer, _: answer,
    about_indexes=True,
)


def _pipeline(call: Call, asked: pipeline.RunPipelineArguments) -> Shrinkable[Item, pipeline.PipelineResult]:
    """Run a chain of queries, whose `search` looks for text."""
    return run_steps(call, parse(asked.pipeline, asked.steps, {**NAMES, "search": "text"}), asked)


PIPELINE = Operation(
    name="pipeline",
    title="Run a pipeline",
    arguments=pipeline.RunPipelineArguments,
    answer=pipeline.PipelineResult,
    run=_pipeline,
    shape=pipeline.TOOLS[0].shape,
    about_indexes=True,
)
