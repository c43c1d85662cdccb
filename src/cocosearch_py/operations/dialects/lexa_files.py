"""Lexa's `files`, `list`, `glob`, `path_search` and `recent`: which files an index has."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from cocosearch_py.model.answers import Bounds, Count, Share
from cocosearch_py.operations.list_files import MAX_LIMIT, Entry, FileItem, FilesFound, list_files
from cocosearch_py.operations.list_files import OPERATION as OURS
from cocosearch_py.operations.list_files import Arguments as Ours
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.sizes import GLOBS

_LIKE, _RECENT = 20, 10  # its defaults; what it retrieves is 200 at most, as here
MaxResults = Annotated[int, About("1-200"), Bounds(1)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilesArguments:
    """Parameters of Lexa's files; an index may be named in each of these."""

    path: Annotated[str | None, About("Below this folder")] = None
    path_glob: Annotated[str | None, About("Only these paths: **/*.{ts,tsx}"), GLOBS] = None
    language: given.Languages = None
    min_lines: Annotated[int | None, About("Minimum number of lines")] = None
    max_lines: Annotated[int | None, About("Maximum number of lines")] = None
    max_results: MaxResults = MAX_LIMIT
    index_name: given.IndexName = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListArguments:
    """Parameters of Lexa's list."""

    path: Annotated[str | None, About("Folder; default: the project")] = None
    index_name: given.IndexName = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GlobArguments:
    """Parameters of Lexa's glob."""

    pattern: Annotated[str, About("Glob of paths"), GLOBS]
    max_results: MaxResults = MAX_LIMIT
    index_name: given.IndexName = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LikeArguments:
    """Parameters of Lexa's path_search."""

    query: Annotated[str, About("Text that resembles the path")]
    max_results: MaxResults = _LIKE
    index_name: given.IndexName = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecentArguments:
    """Parameters of Lexa's recent."""

    limit: MaxResults = _RECENT
    index_name: given.IndexName = None


class Files(TypedDict):
    """Files; `filters` are those of the call."""

    count: Count
    total: Count
    limit: Count
    truncated: bool
    filters: Any
    files: list[FileItem]
    warnings: NotRequired[list[str]]


class Children(TypedDict):
    """What is directly in a folder; `truncated` stands there if that is not all."""

    path: str
    count: Count
    entries: list[Entry]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class Paths(TypedDict):
    """Paths that match a glob."""

    pattern: str
    count: Count
    total: Count
    limit: Count
    truncated: bool
    paths: list[str]
    warnings: NotRequired[list[str]]


class Liked(TypedDict):
    """A path, and how like the query it is."""

    path: str
    score: Share


class Like(TypedDict):
    """Paths like a query, the likest first."""

    query: str
    count: Count
    limit: Count
    results: list[Liked]
    warnings: NotRequired[list[str]]


class Recent(TypedDict):
    """Files, the last modified first."""

    count: Count
    limit: Count
    files: list[FileItem]
    warnings: NotRequired[list[str]]


def files(call: Call, asked: FilesArguments) -> FilesFound:
    """List indexed files."""
    return list_files(call, _ours_of_files(asked))


def _ours_of_files(asked: FilesArguments) -> Ours:
    return Ours(
        path=asked.path or "",
        path_glob=asked.path_glob,
        language=asked.language,
        min_lines=asked.min_lines,
        max_lines=asked.max_lines,
        limit=asked.max_results,
    )


def list_(call: Call, asked: ListArguments) -> FilesFound:
    """List what is directly in a folder."""
    return list_files(call, _ours_of_list(asked))


def _ours_of_list(asked: ListArguments) -> Ours:
    return Ours(path=asked.path or "", view="children", limit=MAX_LIMIT)


def glob(call: Call, asked: GlobArguments) -> FilesFound:
    """List the paths that match a glob."""
    return list_files(call, _ours_of_glob(asked))


def _ours_of_glob(asked: GlobArguments) -> Ours:
    return Ours(path_glob=asked.pattern, view="paths", limit=asked.max_results)


def path_search(call: Call, asked: LikeArguments) -> FilesFound:
    """Find files whose path is like a text."""
    return list_files(call, _ours_of_like(asked))


def _ours_of_like(asked: LikeArguments) -> Ours:
    return Ours(query=asked.query, limit=asked.max_results)


def recent(call: Call, asked: RecentArguments) -> FilesFound:
    """List the files that were modified last."""
    return list_files(call, _ours_of_recent(asked))


def _ours_of_recent(asked: RecentArguments) -> Ours:
    return Ours(sort="modified", limit=asked.limit)


def _answer_files(found: FilesFound, asked: FilesArguments) -> Json:
    names = ("path", "path_glob", "language", "min_lines", "max_lines")
    told = _picked(found, _ours_of_files(asked), "count total limit truncated files")
    return {**told, "filters": {name: getattr(asked, name) for name in names}}


def _answer_list(found: FilesFound, asked: ListArguments) -> Json:
    told = _picked(found, _ours_of_list(asked), "path count truncated entries")
    if not told["truncated"]:
        del told["truncated"]
    return told


def _picked(found: FilesFound, ours: Ours, keys: str) -> Json:
    """These parts of our answer, and its warnings."""
    told = OURS.shape(found, ours)
    return {key: told[key] for key in (*keys.split(), "warnings") if key in told}


FILES: "Operation[FilesArguments, FilesFound]" = Operation(
    name="files",
    title="List files",
    arguments=FilesArguments,
    run=files,
    shape=_answer_files,
    answer=Files,
    about_indexes=True,
)
LIST: "Operation[ListArguments, FilesFound]" = Operation(
    name="list",
    title="List a folder",
    arguments=ListArguments,
    run=list_,
    shape=_answer_list,
    answer=Children,
    about_indexes=True,
)
GLOB: "Operation[GlobArguments, FilesFound]" = Operation(
    name="glob",
    title="List paths by a glob",
    arguments=GlobArguments,
    run=glob,
    shape=lambda found, asked: _picked(found, _ours_of_glob(asked), "pattern count total limit truncated paths"),
    answer=Paths,
    about_indexes=True,
)
PATH_SEARCH: "Operation[LikeArguments, FilesFound]" = Operation(
    name="path_search",
    title="Find paths",
    arguments=LikeArguments,
    run=path_search,
    shape=lambda found, asked: _picked(found, _ours_of_like(asked), "query count limit results"),
    answer=Like,
    about_indexes=True,
)
RECENT: "Operation[RecentArguments, FilesFound]" = Operation(
    name="recent",
    title="Recently modified files",
    arguments=RecentArguments,
    run=recent,
    shape=lambda found, asked: _picked(found, _ours_of_recent(asked), "count limit files"),
    answer=Recent,
    about_indexes=True,
)
