"""`list_files`, `cocosearch-py files`: which files an index has, which it has not and why, as lists and trees."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.model.answers import Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.emptiness import filtered_out
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.listing import ListCursor, ListedFile, ListReport, ListRequest

VIEWS = ("files", "paths", "children", "tree")
STATUSES = ("indexed", "skipped", "failed", "all")
SORTS = ("path", "modified", "lines", "size", "symbols")
MAX_LIMIT = 200
MAX_DEPTH = 10
MAX_QUERY_CHARS = 1_000
_MAX_PATH_CHARS = 4_000
_MOST_LINES = 2**31 - 1  # that a column holds
_CURSOR = re.compile(r"(\d{1,19}):(.*)", re.DOTALL)  # what the last file is sorted by, its path
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of list_files."""

    path: Annotated[
        str, About("Folder"), Flag(metavar="PATH", type=str | None, default=None, help="Folder (default: all).")
    ] = ""
    path_glob: given.PathGlob = None
    query: Annotated[
        str | None,
        About("Letters of a path, in order: usrctl"),
        Flag(names=("--query",), metavar="TEXT", help="Letters of a path, in order, such as usrctl; best match first."),
    ] = None
    view: Annotated[
        Literal["files", "paths", "children", "tree"],
        About("Form of the list"),
        Flag(names=("--view",), metavar="VIEW", type=str, help="files, paths, children or tree (default: files)."),
    ] = "files"
    tree: Annotated[
        bool,
        Flag(
            names=("--tree",),
            stands_for="view",
            read=lambda on: "tree" if on else None,
            help="Show a tree, like --view tree.",
        ),
    ] = False
    depth: Annotated[
        int,
        About("Levels of a tree, 1-10"),
        Flag(names=("--depth",), metavar="N", minimum=1, maximum=MAX_DEPTH, help="Number of levels of a tree (1–10)."),
    ] = 3
    language: given.Languages = None
    min_lines: Annotated[
        int | None,
        About("Minimum number of lines"),
        UNLISTED,
        Flag(names=("--min-lines",), metavar="N", help="Minimum number of lines."),
    ] = None
    max_lines: Annotated[
        int | None,
        About("Maximum number of lines"),
        UNLISTED,
        Flag(names=("--max-lines",), metavar="N", help="Maximum number of lines."),
    ] = None
    status: Annotated[
        Literal["indexed", "skipped", "failed", "all"],
        About("skipped, failed: with the reason"),
        Flag(names=("--status",), metavar="STATUS", type=str, help="indexed, skipped, failed or all."),
    ] = "indexed"
    sort: Annotated[
        Literal["path", "modified", "lines", "size", "symbols"],
        About("All but path: largest first"),
        Flag(
            names=("--sort",), metavar="BY", type=str, help="path, or modified, lines, size or symbols (largest first)."
        ),
    ] = "path"
    limit: Annotated[
        int,
        About("1-200"),
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of files (1–200)."
        ),
    ] = 50
    cursor: given.Cursor = None
    index_name: given.IndexName = None
    member: given.Member = None
    rev: given.Rev = None


class FileItem(TypedDict):
    """A file; the path is relative to `root`. Of a skipped one the reason and rule, of a failed one the error."""

    path: str
    language: NotRequired[str]
    line_count: NotRequired[Count]
    byte_size: NotRequired[Count]
    symbol_count: NotRequired[Count]
    modified: NotRequired[str]
    status: NotRequired[str]
    skip_reason: NotRequired[str]
    rule: NotRequired[str]
    error: NotRequired[str]
    file_count: NotRequired[Count]


class Entry(TypedDict):
    """A file or a folder directly below the path; the name of a folder ends with '/'."""

    name: str
    files: NotRequired[Count]
    line_count: Count
    byte_size: Count


class Scored(TypedDict):
    """A path, and how well it fits the query."""

    path: str
    score: Share


class Answer(TypedDict):
    """Files in one of the views; without a `next_cursor` there are no more."""

    root: str
    path: NotRequired[str]
    query: NotRequired[str]
    pattern: NotRequired[str]
    count: Count
    total: Count
    limit: Count
    truncated: bool
    filters: NotRequired[dict[str, str | int | list[str]]]
    files: NotRequired[list[FileItem]]
    paths: NotRequired[list[str]]
    entries: NotRequired[list[Entry]]
    tree: NotRequired[str]
    results: NotRequired[list[Scored]]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class FilesFound:
    """What an index has; `entries` are of the view `children`, `scored` the paths that fit a query."""

    record: IndexRecord
    request: "ListRequest"
    report: "ListReport | None"
    entries: tuple[Json, ...] = ()
    tree: tuple[str, ...] = ()
    scored: tuple[tuple[str, float], ...] = ()
    total: int = 0
    left: int = 0  # names that the tree has no room for
    warnings: tuple[str, ...] = ()


def list_files(call: Call, asked: Arguments) -> FilesFound:
    """List files as a list or tree, by glob, parts of names, size or time; also files that the index leaves out, and
    why.
    """
    found, files = _listed(call, asked)
    if files.total or asked.cursor is not None:
        return files
    return replace(files, warnings=(*files.warnings, *_nothing(found, files.request, asked)))


def _listed(call: Call, asked: Arguments) -> "tuple[Found, FilesFound]":
    request, remarks = request_of(asked)
    found = found_at(call, asked.rev)
    record, navigation = found.records[0], found.app.navigation
    place = call.selection.place
    told = [*remarks, *remarks_on(call, found, ())]
    member = inside(found, asked.member)
    paths = [member.folder]
    if asked.path or not member.folder:
        paths = _paths(record, member.path(asked.path or ""), str(place.folders[0]) if place else None)

    def held() -> str | None:
        return next((path for path in paths if not path or navigation.has_files(path, record)), None)

    known = held()
    if known is None:  # it may be new
        first = replace(request, path=paths[0], limit=1)
        call.look(found.app, record, lambda: navigation.list_files(first, record))
        known = held()
    if known is None:
        told.append(f"{paths[0][:200]} is not in the index: list_files without a path shows the top level")
    request = replace(request, path=paths[0] if known is None else known)
    if asked.query and asked.query.strip():
        query = asked.query
        like = call.look(found.app, record, lambda: navigation.find_paths(query, request, record))
        told += [like.stale] if like.stale else []
        kept = like.paths[: request.limit]
        left = len(like.paths) - len(kept)
        total = len(like.paths)
        return found, FilesFound(record, request, None, scored=kept, total=total, left=left, warnings=tuple(told))
    if asked.view in ("children", "tree"):
        depth = 1 if asked.view == "children" else max(1, min(asked.depth, MAX_DEPTH))
        below = call.look(found.app, record, lambda: navigation.list_folders(request, record, depth))
        told += [below.stale] if below.stale else []
    if asked.view == "children":
        entries = [_entry(one) for one in sorted(below.folders, key=_folders_first)]
        skipped = _number(asked.cursor)
        kept_entries = tuple(entries[skipped : skipped + request.limit])
        return found, FilesFound(record, request, None, entries=kept_entries, total=len(entries), warnings=tuple(told))
    if asked.view == "tree":
        from cocosearch_py.navigation.listing import tree

        lines, left = tree(below.folders, request.limit)
        files = sum(one.files for one in below.folders)
        return found, FilesFound(record, request, None, tree=tuple(lines), total=files, left=left, warnings=tuple(told))
    report = call.look(found.app, record, lambda: navigation.list_files(request, record))
    told += [report.stale] if report.stale else []
    return found, FilesFound(record, request, report, total=report.total, warnings=tuple(told))


def _nothing(found: Found, request: "ListRequest", asked: Arguments) -> list[str]:
    """Why no file is listed; that nothing is at the path, or below it, is said already."""
    if request.path and not found.app.navigation.has_files(request.path, found.records[0]):
        return []
    if request.status in ("skipped", "failed") and not _narrows(asked):
        what = "excludes no file" if request.status == "skipped" else "could read every file"
        return [f"the index {what}"]
    if told := filtered_out(found, request.filters) if request.status == "indexed" else []:
        return told
    if asked.query and asked.query.strip():
        return [
            "no path matches the query: try fewer letters or path_glob; index_status with check_files "
            "shows why a file is missing"
        ]
    return ["no file passes all filters: leave one out; status=all adds files that are not indexed"]


def _narrows(asked: Arguments) -> bool:
    """Whether anything but the status narrows the list."""
    return any((asked.path, asked.path_glob, asked.query, asked.language, asked.min_lines, asked.max_lines))


def request_of(asked: Arguments) -> "tuple[ListRequest, list[str]]":
    from cocosearch_py.model.listing import ListRequest
    from cocosearch_py.search.request import build_filters

    for name, value, known in (
        ("view", asked.view, VIEWS),
        ("status", asked.status, STATUSES),
        ("sort", asked.sort, SORTS),
    ):
        if value not in known:
            raise ValidationError(f"unknown {name} '{value[:60]}'", hint=f"known: {', '.join(known)}")
    texts = ((asked.path or "", _MAX_PATH_CHARS), (asked.query or "", MAX_QUERY_CHARS))
    if not all(is_text(text) and len(text) <= most for text, most in texts):
        raise ValidationError("path or query is too long, or contains an invalid character", hint="pass a shorter text")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    bounded = Bounded()
    bounded.value("depth", asked.depth, 1, MAX_DEPTH)
    least, most = (
        None if lines is None else bounded.value(name, lines, 0, _MOST_LINES)
        for name, lines in (("min_lines", asked.min_lines), ("max_lines", asked.max_lines))
    )
    request = ListRequest(
        filters=build_filters(language=asked.language, path_globs=globs),
        min_lines=least,
        max_lines=most,
        status=None if asked.status == "all" else asked.status,
        sort=asked.sort,
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
        after=_after(asked) if asked.view in ("files", "paths") else None,
    )
    return request, bounded.notes


def _paths(record: IndexRecord, text: str, folder: str | None) -> list[str]:
    """The folders that can be meant, relative to the root, without a slash at their ends, the likeliest first."""
    from cocosearch_py.navigation.places import OutsideError, paths_meant

    try:
        return paths_meant(record.root_path, text, folder if text else None)
    except OutsideError:
        raise SafetyError(
            f"{text[:200]} is outside the index's folder, {record.root_path}",
            hint="pass a path in that folder, or the name of another index",
        ) from None


def _after(asked: Arguments) -> "ListCursor | None":
    from cocosearch_py.model.listing import ListCursor

    if asked.cursor is None:
        return None
    read = _CURSOR.fullmatch(asked.cursor)
    if read is None or int(read[1]) >= 2**63 or "\0" in asked.cursor:
        raise _wrong_cursor()
    return ListCursor(int(read[1]), read[2])


def _number(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not re.fullmatch(r"\d{1,9}", cursor, re.ASCII):
        raise _wrong_cursor()
    return int(cursor)


def _wrong_cursor() -> ValidationError:
    return ValidationError("invalid cursor", hint="pass next_cursor of the previous answer unchanged")


def _folders_first(one: Any) -> tuple[bool, tuple[str, ...]]:
    return (not one.is_folder, one.inner)


def _entry(one: Any) -> Json:
    name = one.inner[-1] if one.inner else ""
    figures = {"line_count": one.lines, "byte_size": one.size_bytes}
    return {"name": f"{name}/", "files": one.files, **figures} if one.is_folder else {"name": name, **figures}


def _answer(found: FilesFound, asked: Arguments) -> Json:
    key, items = _items(found, asked)

    def build(kept: Sequence[Any]) -> Json:
        answer: Json = {"root": found.record.root_path}
        if found.request.path or asked.view in ("children", "tree"):
            answer["path"] = found.request.path
        if found.scored or (asked.query and asked.query.strip()):
            answer["query"] = asked.query
        if asked.view == "paths" and isinstance(asked.path_glob, str):
            answer["pattern"] = asked.path_glob
        following = _following(found, asked, len(kept))
        answer |= {
            "count": len(kept),
            "total": found.total,
            "limit": found.request.limit,
            "truncated": following is not None or found.left > 0 or len(kept) < len(items),
        }
        if filters := _filters(asked):
            answer["filters"] = filters
        answer[key] = "\n".join(kept) if key == "tree" else list(kept)
        if following is not None:
            answer["next_cursor"] = following
        told = list(found.warnings)
        if found.left or (key == "tree" and len(kept) < len(items)):
            told.append(f"{found.left + len(items) - len(kept):,} more names: pass a path, or a higher limit")
        if told:
            answer["warnings"] = told
        return answer

    return cast("Json", fit(items, build))


def _items(found: FilesFound, asked: Arguments) -> tuple[str, list[Any]]:
    """What the answer lists, and under which name."""
    if found.report is None:
        if asked.query and asked.query.strip():
            return "results", [{"path": path, "score": score} for path, score in found.scored]
        return ("tree", list(found.tree)) if asked.view == "tree" else ("entries", list(found.entries))
    if asked.view == "paths":
        return "paths", [file.path for file in found.report.files]
    return "files", [_file(file, asked) for file in found.report.files]


def _file(file: "ListedFile", asked: Arguments) -> Json:
    item: Json = {"path": file.path}
    if file.status == "indexed":
        item |= {
            "language": file.language_id,
            "line_count": file.line_count,
            "byte_size": file.size_bytes,
            "symbol_count": file.symbol_count,
            "modified": timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC)),
        }
    if asked.status != "indexed":
        item["status"] = file.status
    extras = {"skip_reason": file.reason, "rule": file.rule, "error": file.error}
    if file.status != "indexed":
        item |= {name: value for name, value in extras.items() if value is not None}
        if file.file_count != 1:
            item["file_count"] = file.file_count
    return item


def _following(found: FilesFound, asked: Arguments, shown: int) -> str | None:
    """Where the next page begins."""
    if found.report is None:
        if asked.view != "children" or asked.query:
            return None
        first = _number(asked.cursor)
        return str(first + shown) if first + shown < found.total else None
    files = found.report.files
    if shown == len(files) and found.report.next is None:
        return None
    last = found.report.next if shown == len(files) else None
    if last is not None:
        return f"{last.value}:{last.path}"
    return f"{files[shown - 1].value}:{files[shown - 1].path}" if shown else None


def _filters(asked: Arguments) -> Json:
    given_ = {
        "path_glob": asked.path_glob,
        "language": asked.language,
        "min_lines": asked.min_lines,
        "max_lines": asked.max_lines,
        "status": asked.status if asked.status != "indexed" else None,
    }
    return {name: value for name, value in given_.items() if value is not None}


OPERATION = Operation(
    name="list_files",
    title="List files",
    arguments=Arguments,
    run=list_files,
    shape=_answer,
    answer=Answer,
    toolset="navigate",
    order=6,
    listed=False,
    about_indexes=True,
    command=Command(
        name="files",
        help="""List the files of an index as a table, as paths or as a tree.

        --status skipped or failed lists the files that are left out, with the reason and the rule.
        """,
    ),
    aliases=(
        Alias(name="get_tree", program="indxr", means={"view": "tree", "depth": MAX_DEPTH, "limit": MAX_LIMIT}),
        Alias(name="files", program="Lexa", parameters={"max": "max_results"}, dialect="lexa_files.FILES"),
        Alias(name="list", program="Lexa", dialect="lexa_files.LIST"),
        Alias(name="glob", program="Lexa", parameters={"max": "max_results"}, dialect="lexa_files.GLOB"),
        Alias(
            name="path_search",
            program="Lexa",
            parameters={"path": "query", "pattern": "query", "name": "query", "max": "max_results"},
            dialect="lexa_files.PATH_SEARCH",
        ),
        Alias(name="recent", program="Lexa", parameters={"max": "limit"}, dialect="lexa_files.RECENT"),
    ),
)
