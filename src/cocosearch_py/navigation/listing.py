"""Which files an index has: lists, folders as trees, and paths that are like a text."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import Folder, FolderReport, ListCursor, ListReport, ListRequest, PathReport
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import listing as store
from cocosearch_py.storage.queries.sources import versions_of
from cocosearch_py.storage.queries.target import Target

_MOST_COMPARED = 5_000  # names, when no path holds the letters
_LIKENESS = 0.7
_WORD = re.compile(r"[^\W_]+")
# A name, its beginning, at the beginning of a word, within a word; the same of the whole path; letters in order.
_WHOLE, _START, _BOUNDARY, _WITHIN = 1.0, 0.95, 0.9, 0.8
_PATH_BOUNDARY, _PATH_WITHIN, _NAME_LETTERS, _PATH_LETTERS, _ALIKE = 0.7, 0.6, 0.6, 0.45, 0.3


def list_files(request: ListRequest, record: IndexRecord, conn: Connection) -> ListReport:
    """A page of files."""
    target = _target(request, record)
    found = store.list_files(conn, target, request)
    kept = tuple(found[: request.limit])
    more = ListCursor(kept[-1].value, kept[-1].path) if len(found) > len(kept) else None
    return ListReport(files=kept, total=store.count_files(conn, target, request)[1], next=more)


def paths_passing(
    paths: Collection[str], filters: SearchFilters, record: IndexRecord, conn: Connection
) -> Collection[str]:
    """Those of some paths that the folder and the globs of filters let pass. Other filters are ignored."""
    of_paths = SearchFilters(folder=filters.folder, path_globs=filters.path_globs, exclude_globs=filters.exclude_globs)
    if of_paths == SearchFilters():
        return paths
    return store.paths_passing(conn, Target(record.index_id, record.chunk_count, of_paths), list(paths))


def has_files(path: str, record: IndexRecord, conn: Connection) -> bool:
    """Whether an index knows of anything at a path or below it."""
    return store.has_files(conn, _target(ListRequest(), record), path)


def list_folders(request: ListRequest, record: IndexRecord, conn: Connection, depth: int) -> FolderReport:
    """Files and folders below a path, to a depth; see `tree`."""
    found = store.folders(conn, _target(request, record), request, depth)
    files = (one.below(request.path) for one in found if not one.is_folder)
    versions = versions_of(conn, record.index_id, files)
    return FolderReport(path=request.path, folders=tuple(found), versions=versions)


def find_paths(query: str, request: ListRequest, record: IndexRecord, conn: Connection) -> PathReport:
    """Files whose path is like a query, the likest first: all, with the versions of as many as the request has."""
    words = query.lower().split()
    letters = ["".join(_WORD.findall(word)) for word in words]
    target = _target(request, record)
    paths = store.paths_like(conn, target, request, [one for one in letters if one]) if any(letters) else []
    scored = [(path, likeness(words, path)) for path in paths]
    if not scored and any(letters):
        names: dict[str, list[str]] = {}
        for path in store.paths_like(conn, target, request, [])[:_MOST_COMPARED]:
            names.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        near = get_close_matches(" ".join(words), names, request.limit, _LIKENESS)
        scored = [(path, round(_ALIKE / (place + 1), 4)) for place, name in enumerate(near) for path in names[name]]
    scored.sort(key=lambda one: (-one[1], len(one[0]), one[0]))
    versions = versions_of(conn, record.index_id, (path for path, _ in scored[: request.limit]))
    return PathReport(paths=tuple(scored), versions=versions)


def likeness(words: Sequence[str], path: str) -> float:
    """How well words in lower case fit a path, from 0 to 1; pure."""
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    return round(sum(_fit(word, name, lowered) for word in words) / len(words), 4)


def _fit(word: str, name: str, path: str) -> float:
    stem = name.partition(".")[0]
    if word in (name, stem):
        return _WHOLE
    if name.startswith(word):
        return _START
    if (at := name.find(word)) >= 0:
        return _BOUNDARY if not name[at - 1].isalnum() else _WITHIN
    if (at := path.find(word)) >= 0:
        return _PATH_BOUNDARY if at == 0 or not path[at - 1].isalnum() else _PATH_WITHIN
    letters = "".join(_WORD.findall(word))
    return max(_NAME_LETTERS * _compactness(letters, name), _PATH_LETTERS * _compactness(letters, path))


def _compactness(letters: str, text: str) -> float:
    """Share that letters have of the shortest end of a text which holds them in order; 0 if it does not."""
    at = len(text)
    last = None
    for letter in reversed(letters):
        at = text.rfind(letter, 0, at)
        if at < 0:
            return 0.0
        last = at if last is None else last
    return len(letters) / ((last or 0) - at + 1) if letters else 0.0


@dataclass(slots=True)
class _Node:
    is_folder: bool = False
    files: int = 0
    children: dict[str, "_Node"] = field(default_factory=dict)


def tree(found: Sequence[Folder], most: int) -> tuple[list[str], int]:
    """Lines of a tree, indented by two blanks a level, and how many names did not fit into `most` of them.

    Folders are opened level by level as long as all that is in them fits; one that stays closed has the number of its
    files behind its name.
    """
    root = _Node(is_folder=True)
    for folder in found:
        node = root
        for depth, part in enumerate(folder.inner, start=1):
            node = node.children.setdefault(part, _Node())
            node.files += folder.files
            node.is_folder |= depth < len(folder.inner) or folder.is_folder
    opened = {id(root)}
    level, left = [root], most - len(root.children)
    while level:
        level = [child for node in level for child in node.children.values() if id(node) in opened and child.children]
        for node in sorted(level, key=lambda one: len(one.children)):
            if len(node.children) <= left:
                opened.add(id(node))
                left -= len(node.children)
    lines = list(_lines(root, opened, 0))
    return lines[:most], max(0, len(lines) - most)


def _lines(node: _Node, opened: set[int], depth: int) -> Iterator[str]:
    ordered: Mapping[str, _Node] = dict(sorted(node.children.items(), key=lambda one: (not one[1].is_folder, one[0])))
    for name, child in ordered.items():
        indent = "  " * depth
        if not child.is_folder:
            yield f"{indent}{name}"
        elif id(child) in opened:
            yield f"{indent}{name}/"
            yield from _lines(child, opened, depth + 1)
        else:
            yield f"{indent}{name}/ ({child.files:,} {'file' if child.files == 1 else 'files'})"


def _target(request: ListRequest, record: IndexRecord) -> Target:
    return Target(record.index_id, record.chunk_count, request.filters)
