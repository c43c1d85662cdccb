"""Lexa's `files`, `list`, `glob`, `path_search` and `recent`: which files an index has."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from cocosearch_py.features.files.tools import MAX_FILES, FolderEntry, ListedFile
from cocosearch_py.model.answers import Bounds, Count, Share
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.registry import answer_of
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
    max_results: MaxResults = MAX_FILES
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
    max_results: MaxResults = MAX_FILES
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
    files: list[ListedFile]
    warnings: NotRequired[list[str]]


class Children(TypedDict):
    """What is directly in a folder; `truncated` stands there if that is not all."""

    path: str
    count: Count
    entries: list[FolderEntry]
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
    files: list[ListedFile]
    warnings: NotRequired[list[str]]


def files(call: Call, asked: FilesArguments) -> Json:
    """List indexed files."""
    names = ("path", "path_glob", "language", "min_lines", "max_lines")
    filters = {name: getattr(asked, name) for name in names}
    answer = _picked(call, "count total limit truncated files", limit=asked.max_results, **filters)
    return {**answer, "filters": filters}


def list_(call: Call, asked: ListArguments) -> Json:
    """List what is directly in a folder."""
    answer = _picked(call, "path count truncated entries", path=asked.path, view="children", limit=MAX_FILES)
    if not answer["truncated"]:
        del answer["truncated"]
    return answer


def glob(call: Call, asked: GlobArguments) -> Json:
    """List the paths that match a glob."""
    keys = "pattern count total limit truncated paths"
    return _picked(call, keys, path_glob=asked.pattern, view="paths", limit=asked.max_results)


def path_search(call: Call, asked: LikeArguments) -> Json:
    """Find files whose path is like a text."""
    return _picked(call, "query count limit results", query=asked.query, limit=asked.max_results)


def recent(call: Call, asked: RecentArguments) -> Json:
    """List the files that were modified last."""
    return _picked(call, "count limit files", sort="modified", limit=asked.limit)


def _picked(call: Call, keys: str, **arguments: Any) -> Json:
    """Return these parts of an answer of list_files, and its warnings."""
    given_ = {name: value for name, value in arguments.items() if value is not None}
    answer = answer_of(call, "list_files", given_)
    return {key: answer[key] for key in (*keys.split(), "warnings") if key in answer}


def _unchanged(answer: Json, _: Any) -> Json:
    return answer


FILES: "Operation[FilesArguments, Json]" = Operation(
    name="files",
    title="List files",
    arguments=FilesArguments,
    run=files,
    shape=_unchanged,
    answer=Files,
    about_indexes=True,
)
LIST: "Operation[ListArguments, Json]" = Operation(
    name="list",
    title="List a folder",
    arguments=ListArguments,
    run=list_,
    shape=_unchanged,
    answer=Children,
    about_indexes=True,
)
GLOB: "Operation[GlobArguments, Json]" = Operation(
    name="glob",
    title="List paths by a glob",
    arguments=GlobArguments,
    run=glob,
    shape=_unchanged,
    answer=Paths,
    about_indexes=True,
)
PATH_SEARCH: "Operation[LikeArguments, Json]" = Operation(
    name="path_search",
    title="Find paths",
    arguments=LikeArguments,
    run=path_search,
    shape=_unchanged,
    answer=Like,
    about_indexes=True,
)
RECENT: "Operation[RecentArguments, Json]" = Operation(
    name="recent",
    title="Recently modified files",
    arguments=RecentArguments,
    run=recent,
    shape=_unchanged,
    answer=Recent,
    about_indexes=True,
)
