"""Files of an index by their paths; and why there is none."""

import os
from collections.abc import Sequence
from difflib import get_close_matches

from cocosearch_py.model.code import CodeTarget, NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.navigation.places import OutsideError, paths_meant
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import sources as store
from cocosearch_py.storage.queries.listing import has_files
from cocosearch_py.storage.queries.sources import SourceFile
from cocosearch_py.storage.queries.stats import find_in_ledger
from cocosearch_py.storage.queries.target import Target

NO_FILE = "is not a file in this index"
_MOST_NEAR = 5
_MOST_NAMES = 5_000  # compared with one that is not there
_LIKENESS = 0.6


def find_file(conn: Connection, record: IndexRecord, text: str, folder: str | None) -> SourceFile | NotFound:
    """The indexed file that a text means: a path, or the end of the path of just one file.

    Args:
        folder: of the caller; see `paths_meant`.
    """
    target = CodeTarget(text, text)
    try:
        paths = paths_meant(record.root_path, text, folder)
    except OutsideError:
        return outside(record, target)
    files = store.find_sources(conn, record.index_id, paths)
    for path in paths:
        if path in files:
            return files[path]
    missing = absent(conn, record, target, paths)
    return the_one_like(conn, record, text, paths, missing) or missing


def the_one_like(
    conn: Connection, record: IndexRecord, text: str, paths: Sequence[str], missing: NotFound
) -> SourceFile | None:
    """The file whose path ends with a text that is no path itself, if there is just one.

    Args:
        paths: that the text means; one that is on the disk, new since the last run, is the one meant.
    """
    ends = "/" + text.strip("/").removeprefix("./")
    ending = [path for path in missing.near if path.endswith(ends)]
    if len(ending) != 1 or missing.is_refused:
        return None
    if record.commit is None and any(os.path.lexists(os.path.join(record.root_path, path)) for path in paths):
        return None
    return store.find_sources(conn, record.index_id, ending)[ending[0]]


def outside(record: IndexRecord, target: CodeTarget) -> NotFound:
    """Return the refusal of a path that is not below the root of the index."""
    return outside_text(record, target.text)


def outside_text(record: IndexRecord, text: str) -> NotFound:
    """Return the refusal of a text that means no path below the root."""
    return NotFound(text, f"is outside the index's folder, {record.root_path}", is_refused=True)


def absent(conn: Connection, record: IndexRecord, target: CodeTarget, paths: Sequence[str]) -> NotFound:
    """Why a path is not among the indexed files."""
    for path in paths:
        for row in find_in_ledger(conn, record.index_id, path):
            if row.path != path and not row.path.endswith("/"):
                continue  # a file of the same name elsewhere
            if row.status == "failed":
                return NotFound(target.text, f"could not be indexed: {row.error}", is_refused=True)
            if row.status == "skipped":
                told = f"is excluded from the index: {(row.reason or '').replace('_', ' ')} ({row.rule})"
                return NotFound(target.text, told, is_refused=True)
    rows = Target(record.index_id, record.chunk_count, SearchFilters())
    if any(has_files(conn, rows, path) for path in paths):
        return NotFound(target.text, "is a folder, not a file")
    name = paths[0].rpartition("/")[2]
    near = store.paths_ending(conn, record.index_id, name, _MOST_NEAR)
    if not near:
        names = store.some_paths(conn, record.index_id, _MOST_NAMES)
        near = get_close_matches(paths[0], names, _MOST_NEAR, _LIKENESS)
    return NotFound(target.text, NO_FILE, tuple(near))
