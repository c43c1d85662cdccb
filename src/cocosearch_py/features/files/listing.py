"""Files of an index by folder, pattern and figures; also those that it leaves out."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from msgspec import UNSET

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.files.tools import (
    MAX_DEPTH,
    MAX_FILES,
    FileList,
    FolderEntry,
    ListedFile,
    ListFilesArguments,
    ScoredPath,
    Sort,
    Status,
    View,
)
from cocosearch_py.model import listing as model
from cocosearch_py.model.listing import Folder, ListCursor, ListReport, ListRequest
from cocosearch_py.model.paths import is_text
from cocosearch_py.navigation.listing import tree
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import timestamp
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.emptiness import filtered_out
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at

_MAX_QUERY_CHARS = 1_000
_MAX_LINES = 2**31 - 1  # that a column holds
_CURSOR = re.compile(r"(\d{1,19}):(.*)", re.DOTALL)  # the value that the last file is sorted by, its path
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_NS = 1_000_000_000


class _Listing(NamedTuple):
    """A page of a view.

    Attributes:
        total: number of all items, those beyond the page included.
        next_cursor: makes the cursor of the page after so many items, "" if there is none.
        left: number of items that no page shows.
    """

    field: Literal["files", "paths", "entries", "tree", "results"]
    items: Sequence[Any]
    total: int
    next_cursor: Callable[[int], str] = lambda _: ""
    left: int = 0


def list_files(call: Call, asked: ListFilesArguments) -> Shrinkable[Any, FileList]:
    """List files of an index in one of the views.

    Raises:
        ValidationError: a choice is unknown, a text cannot be a path, or the cursor is not ours.
        SafetyError: the path is outside the index's folder.
    """
    bounded = Bounded()
    request = _request(asked, bounded)
    found = found_at(call, asked.rev)
    index = Index(call, found, inside(found, asked.member))
    path, is_known = _place(index, request, asked)
    request = replace(request, path=path)
    listing = _listing(index, request, asked)
    warnings = [*bounded.notes, *index.warnings()]
    if not is_known:
        warnings.append(f"{path[:200]} is not in the index: list_files without a path shows the top level")
    if is_known and not listing.total and asked.cursor is None:
        warnings += _why_empty(index, request, asked)

    def build(shown: Sequence[Any]) -> FileList:
        listed: Any = "\n".join(shown) if listing.field == "tree" else tuple(shown)
        following = listing.next_cursor(len(shown))
        left = listing.left + len(listing.items) - len(shown)
        is_partial = listing.left > 0 or (listing.field == "tree" and left > 0)
        more = [f"{left:,} more names: pass a path, or a higher limit"] if is_partial else []
        shows_path = request.path or asked.view in ("children", "tree")
        return FileList(
            root=index.root,
            count=len(shown),
            total=listing.total,
            limit=request.limit,
            truncated=bool(following) or left > 0,
            path=request.path if shows_path else UNSET,
            query=asked.query or UNSET if _has_query(asked) else UNSET,
            pattern=asked.path_glob if asked.view == "paths" and isinstance(asked.path_glob, str) else UNSET,
            filters=_filters(asked) or UNSET,
            next_cursor=following,
            warnings=(*warnings, *more),
            **{listing.field: listed},
        )

    return Shrinkable(listing.items, build)


def _request(asked: ListFilesArguments, bounded: Bounded) -> ListRequest:
    choice("view", asked.view, View)
    choice("status", asked.status, Status)
    choice("sort", asked.sort, Sort)
    if not is_text(asked.query or "") or len(asked.query or "") > _MAX_QUERY_CHARS:
        raise ValidationError("the query is too long, or contains an invalid character", hint="pass a shorter text")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    bounded.value("depth", asked.depth, 1, MAX_DEPTH)
    least, most = (
        None if lines is None else bounded.value(name, lines, 0, _MAX_LINES)
        for name, lines in (("min_lines", asked.min_lines), ("max_lines", asked.max_lines))
    )
    return ListRequest(
        filters=build_filters(language=asked.language, path_globs=globs),
        min_lines=least,
        max_lines=most,
        status=None if asked.status == "all" else asked.status,
        sort=asked.sort,
        limit=bounded.value("limit", asked.limit, 1, MAX_FILES),
        after=_last_file(asked.cursor) if asked.view in ("files", "paths") else None,
    )


def _place(index: Index, request: ListRequest, asked: ListFilesArguments) -> tuple[str, bool]:
    """Return the folder that is meant, relative to the root, and whether the index has files in it."""
    paths, navigation = index.paths(asked.path), index.app.navigation

    def known() -> str | None:
        return next((path for path in paths if not path or navigation.has_files(path, index.record)), None)

    path = known()
    if path is None:  # It may be new.
        first = replace(request, path=paths[0], limit=1)
        index.ask(lambda record: navigation.list_files(first, record))
        path = known()
    return (paths[0], False) if path is None else (path, True)


def _listing(index: Index, request: ListRequest, asked: ListFilesArguments) -> _Listing:
    navigation = index.app.navigation
    if _has_query(asked):
        query = asked.query or ""
        like = index.ask(lambda record: navigation.find_paths(query, request, record))
        items = [ScoredPath(path=path, score=score) for path, score in like.paths[: request.limit]]
        return _Listing("results", items, len(like.paths), left=len(like.paths) - len(items))
    if asked.view in ("children", "tree"):
        depth = 1 if asked.view == "children" else max(1, min(asked.depth, MAX_DEPTH))
        below = index.ask(lambda record: navigation.list_folders(request, record, depth))
        if asked.view == "tree":
            lines, left = tree(below.folders, request.limit)
            return _Listing("tree", lines, sum(one.files for one in below.folders), left=left)
        return _children(below.folders, request.limit, asked.cursor)
    report = index.ask(lambda record: navigation.list_files(request, record))
    next_cursor = _cursors(report)
    if asked.view == "paths":
        return _Listing("paths", [file.path for file in report.files], report.total, next_cursor)
    files = [_file(file, asked) for file in report.files]
    return _Listing("files", files, report.total, next_cursor)


def _has_query(asked: ListFilesArguments) -> bool:
    return bool(asked.query and asked.query.strip())


def _children(folders: Sequence[Folder], limit: int, cursor: str | None) -> _Listing:
    """Return a page of the files and folders directly below a folder, folders first."""
    if cursor is not None and not _NUMBER.fullmatch(cursor):
        raise _wrong_cursor()
    begin = int(cursor or 0)
    entries = sorted(folders, key=lambda one: (not one.is_folder, one.inner))
    items = [_entry(one) for one in entries[begin : begin + limit]]
    return _Listing(
        "entries",
        items,
        len(entries),
        lambda shown: str(begin + shown) if begin + shown < len(entries) else "",
    )


def _entry(entry: Folder) -> FolderEntry:
    return FolderEntry(
        name=(entry.inner[-1] if entry.inner else "") + "/" * entry.is_folder,
        line_count=entry.lines,
        byte_size=entry.size_bytes,
        files=entry.files if entry.is_folder else UNSET,
    )


def _cursors(report: ListReport) -> Callable[[int], str]:
    """Return a function that makes the cursor of the page after so many files."""

    def following(shown: int) -> str:
        if shown == len(report.files):
            return f"{report.next.value}:{report.next.path}" if report.next else ""
        return f"{report.files[shown - 1].value}:{report.files[shown - 1].path}" if shown else ""

    return following


def _last_file(cursor: str | None) -> ListCursor | None:
    if cursor is None:
        return None
    read = _CURSOR.fullmatch(cursor)
    if read is None or int(read[1]) >= 2**63 or "\0" in cursor:
        raise _wrong_cursor()
    return ListCursor(int(read[1]), read[2])


def _wrong_cursor() -> ValidationError:
    return ValidationError("invalid cursor", hint="pass next_cursor of the previous answer unchanged")


def _file(file: model.ListedFile, asked: ListFilesArguments) -> ListedFile:
    status = file.status if asked.status != "indexed" else ""
    if file.status == "indexed":
        return ListedFile(
            path=file.path,
            language=file.language_id,
            line_count=file.line_count,
            byte_size=file.size_bytes,
            symbol_count=file.symbol_count,
            modified=timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC)),
            status=status,
        )
    return ListedFile(
        path=file.path,
        status=status,
        skip_reason=file.reason or "",
        rule=file.rule or "",
        error=file.error or "",
        file_count=file.file_count,
    )


def _why_empty(index: Index, request: ListRequest, asked: ListFilesArguments) -> list[str]:
    """Return why no file of a folder is listed."""
    narrows = (asked.path, asked.path_glob, asked.query, asked.language, asked.min_lines, asked.max_lines)
    if request.status in ("skipped", "failed") and not any(narrows):
        return [f"the index {'excludes no file' if request.status == 'skipped' else 'could read every file'}"]
    if reasons := filtered_out(index.found, request.filters) if request.status == "indexed" else []:
        return reasons
    if _has_query(asked):
        return [
            "no path matches the query: try fewer letters or path_glob; index_status with check_files "
            "shows why a file is missing"
        ]
    return ["no file passes all filters: leave one out; status=all adds files that are not indexed"]


def _filters(asked: ListFilesArguments) -> dict[str, str | int | list[str]]:
    filters = {
        "path_glob": asked.path_glob,
        "language": asked.language,
        "min_lines": asked.min_lines,
        "max_lines": asked.max_lines,
        "status": asked.status if asked.status != "indexed" else None,
    }
    return {name: value for name, value in filters.items() if value is not None}
