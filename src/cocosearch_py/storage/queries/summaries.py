"""Statements that sum up files and folders: their definitions, imports, tests."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.summaries import Declared
from cocosearch_py.storage.queries.globs import paths_pattern
from cocosearch_py.storage.queries.target import int_array, text_array
from cocosearch_py.storage.schema.partitions import rows_of

MOST_NAMED = 10  # importers, tests, neighbours that are named of a file, and files of a folder
_FIRST_CHUNKS = 3
_TABLES = ("files", "chunks", "symbols", "imports", "dependencies")
_BELOW: LiteralString = "(%(path)s = '' OR starts_with(f.path, %(path)s || '/'))"


class FileRow(NamedTuple):
    """An indexed file."""

    file_id: int
    path: str
    language_id: str
    content_class: str | None
    line_count: int
    parse_status: str | None
    version: FileVersion


class FolderFigures(NamedTuple):
    """Files below a folder with the same language and class of content; status None for what was left out."""

    language_id: str | None
    content_class: str | None
    status: str
    files: int
    lines: int
    size_bytes: int


def find_rows(conn: psycopg.Connection, index_id: int, paths: Sequence[str], limit: int) -> list[FileRow]:
    """Indexed files with one of these paths, in their order."""
    query = _filled(
        "SELECT f.file_id, f.path, f.language_id, f.content_class, f.line_count, f.parse_status, f.size_bytes, "
        "f.mtime_ns, f.content_hash FROM {files} f JOIN unnest(%(paths)s::text[]) WITH ORDINALITY AS w(path, place) "
        "USING (path) WHERE f.status = 'indexed' ORDER BY w.place LIMIT %(limit)s",
        index_id,
    )
    rows = conn.execute(query, {"index_id": index_id, "paths": text_array(paths), "limit": limit}).fetchall()
    return [
        FileRow(file_id, path, language_id, content_class, line_count, parse_status, FileVersion(*version))
        for file_id, path, language_id, content_class, line_count, parse_status, *version in rows
    ]


def matching_paths(
    conn: psycopg.Connection, index_id: int, glob: str | None, folder: str, *, public: bool
) -> list[str]:
    """Indexed files that match a glob, or are below a folder; code first.

    Args:
        public: only those with definitions that other code may use.
    """
    query = _filled(
        "SELECT f.path FROM {files} f WHERE f.status = 'indexed' AND (%(glob)s::text IS NULL OR f.path ~* %(glob)s) "
        "AND {below} AND (NOT %(public)s OR EXISTS (SELECT FROM {symbols} s WHERE s.file_id = f.file_id "
        "AND s.visibility = 'public' AND s.function_depth = 0)) "
        "ORDER BY f.content_class IS DISTINCT FROM 'code', f.path",
        index_id,
    )
    pattern = None if glob is None else paths_pattern([glob])
    values = {"index_id": index_id, "glob": pattern, "path": folder, "public": public}
    return [path for (path,) in conn.execute(query, values).fetchall()]


def kinds_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[int, list[tuple[str, int, int]]]:
    """file_id -> (kind, definitions, those that other code may use), most first."""
    query = _filled(
        "SELECT s.file_id, s.kind, count(*), count(*) FILTER (WHERE s.visibility = 'public' AND s.function_depth = 0) "
        "FROM {symbols} s WHERE s.file_id = ANY(%(files)s::bigint[]) "
        "GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2",
        index_id,
    )
    found: dict[int, list[tuple[str, int, int]]] = {}
    for file_id, *row in conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)}).fetchall():
        found.setdefault(file_id, []).append((row[0], row[1], row[2]))
    return found


def declarations_of(
    conn: psycopg.Connection, index_id: int, file_ids: Sequence[int], *, public: bool
) -> dict[int, list[Declared]]:
    """file_id -> its outermost definitions, in order, with the names directly in them."""
    query = _filled(
        "SELECT s.file_id, s.kind, s.name, s.signature, s.start_line, s.end_line, s.visibility, "
        "ARRAY(SELECT m.name FROM {symbols} m WHERE m.file_id = s.file_id AND m.parent_no = s.symbol_no "
        "AND m.function_depth = 0 AND (NOT %(public)s OR m.visibility = 'public') ORDER BY m.symbol_no) "
        "FROM {symbols} s WHERE s.file_id = ANY(%(files)s::bigint[]) AND s.parent_no IS NULL "
        "AND (NOT %(public)s OR s.visibility = 'public') ORDER BY s.file_id, s.symbol_no",
        index_id,
    )
    found: dict[int, list[Declared]] = {}
    values = {"index_id": index_id, "files": int_array(file_ids), "public": public}
    for file_id, kind, name, signature, start, end, visibility, members in conn.execute(query, values).fetchall():
        one = Declared(kind, name, signature, start, end, visibility, tuple(members))
        found.setdefault(file_id, []).append(one)
    return found


def modules_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[int, list[str]]:
    """file_id -> modules that it imports, as written, each once, in their order."""
    query = _filled(
        "SELECT i.file_id, i.module FROM {imports} i WHERE i.file_id = ANY(%(files)s::bigint[]) "
        "GROUP BY 1, 2 ORDER BY 1, min(i.import_no)",
        index_id,
    )
    found: dict[int, list[str]] = {}
    for file_id, module in conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)}).fetchall():
        found.setdefault(file_id, []).append(module)
    return found


def importers_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
    """file_id -> (path, whether it holds tests) of the files that import it."""
    query = _filled(
        "SELECT DISTINCT d.target_file_id, f.path, coalesce(f.content_class = 'tests', false) FROM {dependencies} d "
        "JOIN {files} f USING (file_id) WHERE d.target_file_id = ANY(%(files)s::bigint[]) "
        "AND d.file_id <> d.target_file_id ORDER BY 1, 3, 2",
        index_id,
    )
    found: dict[int, list[tuple[str, bool]]] = {}
    for file_id, path, tests in conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)}).fetchall():
        found.setdefault(file_id, []).append((path, tests))
    return found


def beginnings_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[int, str]:
    """file_id -> the first chunks of its text, which hold a docstring or a comment behind a licence."""
    query = _filled(
        "SELECT c.file_id, string_agg(c.content, '' ORDER BY c.chunk_no) FROM {chunks} c "
        "WHERE c.file_id = ANY(%(files)s::bigint[]) AND c.chunk_no < %(most)s GROUP BY c.file_id",
        index_id,
    )
    values = {"index_id": index_id, "files": int_array(file_ids), "most": _FIRST_CHUNKS}
    return dict(conn.execute(query, values).fetchall())


def sole_docs(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[int, str]:
    """file_id -> the comment of the outermost definition of a file that has one alone."""
    query = _filled(
        "SELECT s.file_id, min(s.doc) FROM {symbols} s WHERE s.file_id = ANY(%(files)s::bigint[]) "
        "AND s.parent_no IS NULL GROUP BY s.file_id HAVING count(*) = 1 AND min(s.doc) IS NOT NULL",
        index_id,
    )
    return dict(conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)}).fetchall())


def neighbours(conn: psycopg.Connection, index_id: int, path: str) -> list[str]:
    """A few indexed files in the folder of a file."""
    folder = path.rpartition("/")[0]
    query = _filled(
        "SELECT f.path FROM {files} f WHERE f.status = 'indexed' AND f.path <> %(own)s AND {below} "
        "AND strpos(substr(f.path, CASE WHEN %(path)s = '' THEN 1 ELSE length(%(path)s) + 2 END), '/') = 0 "
        "ORDER BY f.path LIMIT %(limit)s",
        index_id,
    )
    values = {"index_id": index_id, "own": path, "path": folder, "limit": MOST_NAMED}
    return [one for (one,) in conn.execute(query, values).fetchall()]


def figures_below(conn: psycopg.Connection, index_id: int, path: str) -> list[FolderFigures]:
    """Figures of all that the ledger has below a folder, most files first."""
    query = _filled(
        "SELECT f.language_id, f.content_class, f.status, sum(f.file_count)::bigint, sum(f.line_count)::bigint, "
        "sum(f.size_bytes)::bigint FROM {files} f WHERE {below} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2",
        index_id,
    )
    return [FolderFigures(*row) for row in conn.execute(query, {"index_id": index_id, "path": path}).fetchall()]


def kinds_below(conn: psycopg.Connection, index_id: int, path: str) -> tuple[Mapping[str, int], int]:
    """(kind -> definitions below a folder, most first; how many of them other code may use)."""
    query = _filled(
        "SELECT s.kind, count(*), count(*) FILTER (WHERE s.visibility = 'public' AND s.function_depth = 0) "
        "FROM {symbols} s WHERE %(path)s = '' OR s.file_id IN (SELECT f.file_id FROM {files} f WHERE {below}) "
        "GROUP BY 1 ORDER BY 2 DESC, 1",
        index_id,
    )
    rows = conn.execute(query, {"index_id": index_id, "path": path}).fetchall()
    return Counter({kind: count for kind, count, _ in rows}), sum(public for *_, public in rows)


def most_imported(conn: psycopg.Connection, index_id: int, path: str) -> dict[str, int]:
    """Path -> files that import it, of a few below a folder, most first."""
    query = _filled(
        "SELECT f.path, count(DISTINCT d.file_id) FROM {dependencies} d JOIN {files} f ON f.file_id = d.target_file_id "
        "WHERE d.file_id <> d.target_file_id AND {below} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s",
        index_id,
    )
    return dict(conn.execute(query, {"index_id": index_id, "path": path, "limit": MOST_NAMED}).fetchall())


def _filled(text: LiteralString, index_id: int) -> sql.Composed:
    """A statement over the rows of an index."""
    return sql.SQL(text).format(below=sql.SQL(_BELOW), **{name: rows_of(name, index_id) for name in _TABLES})
