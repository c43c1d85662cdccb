"""Statements that read files of an index: what the ledger says of them, their text, their definitions."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.queries.target import int_array, text_array
from cocosearch_py.storage.schema.partitions import rows_of

_MOST_COMPARED = 5_000  # files of an answer that are compared with the disk, which takes 20 ms then


class SourceFile(NamedTuple):
    """An indexed file."""

    file_id: int
    path: str
    language_id: str
    line_count: int
    version: FileVersion


class SourceSymbol(NamedTuple):
    """A definition; lines from 1, inclusive."""

    kind: str
    name: str
    qualified_name: str
    signature: str
    start_line: int
    end_line: int


def find_sources(conn: psycopg.Connection, index_id: int, paths: Sequence[str]) -> dict[str, SourceFile]:
    """Those of the paths that are indexed files."""
    query = sql.SQL(
        "SELECT file_id, path, language_id, line_count, size_bytes, mtime_ns, content_hash FROM {} f "
        "WHERE file_id = ANY(%(files)s::bigint[]) AND path = ANY(%(paths)s::text[]) AND status = 'indexed'"
    ).format(rows_of("files", index_id))
    values = {"index_id": index_id, "files": int_array(map(file_id_of, paths)), "paths": text_array(paths)}
    rows = conn.execute(query, values).fetchall()
    return {
        path: SourceFile(file_id, path, language_id, line_count, FileVersion(*version))
        for file_id, path, language_id, line_count, *version in rows
    }


def versions_of(conn: psycopg.Connection, index_id: int, paths: Iterable[str]) -> dict[str, FileVersion]:
    """The files that an answer names as the index holds them, to be compared with the disk; the first 5,000 of them."""
    found = find_sources(conn, index_id, list(islice(dict.fromkeys(paths), _MOST_COMPARED)))
    return {path: file.version for path, file in found.items()}


def text_of(conn: psycopg.Connection, index_id: int, files: Sequence[SourceFile]) -> dict[str, str]:
    """Path -> text of each file: its chunks, joined."""
    query = sql.SQL(
        "SELECT file_id, string_agg(content, '' ORDER BY chunk_no) FROM {} c "
        "WHERE file_id = ANY(%(files)s::bigint[]) GROUP BY file_id"
    ).format(rows_of("chunks", index_id))
    values = {"index_id": index_id, "files": int_array(file.file_id for file in files)}
    texts: dict[int, str] = dict(conn.execute(query, values).fetchall())
    return {file.path: texts.get(file.file_id, "") for file in files}


def symbols_of(conn: psycopg.Connection, index_id: int, files: Sequence[SourceFile]) -> dict[str, list[SourceSymbol]]:
    """Path -> definitions of each file, in its order."""
    query = sql.SQL(
        "SELECT file_id, kind, name, qualified_name, signature, start_line, end_line FROM {} s "
        "WHERE file_id = ANY(%(files)s::bigint[]) ORDER BY file_id, symbol_no"
    ).format(rows_of("symbols", index_id))
    paths = {file.file_id: file.path for file in files}
    found: dict[str, list[SourceSymbol]] = {file.path: [] for file in files}
    for file_id, *symbol in conn.execute(query, {"index_id": index_id, "files": int_array(paths)}).fetchall():
        found[paths[file_id]].append(SourceSymbol(*symbol))
    return found


def paths_ending(conn: psycopg.Connection, index_id: int, name: str, limit: int) -> list[str]:
    """Indexed files with this name, in whatever folder and case."""
    query = sql.SQL(
        "SELECT path FROM {} f WHERE status = 'indexed' AND (lower(path) = %(name)s "
        "OR right(lower(path), %(length)s) = %(tail)s) ORDER BY path LIMIT %(limit)s"
    ).format(rows_of("files", index_id))
    lowered = name.lower()
    values = {"index_id": index_id, "name": lowered, "tail": f"/{lowered}", "length": len(lowered) + 1, "limit": limit}
    return [path for (path,) in conn.execute(query, values).fetchall()]


def some_paths(conn: psycopg.Connection, index_id: int, limit: int) -> list[str]:
    """Paths of indexed files, code first."""
    query = sql.SQL(
        "SELECT path FROM {} f WHERE status = 'indexed' "
        "ORDER BY content_class IS DISTINCT FROM 'code', path LIMIT %(limit)s"
    ).format(rows_of("files", index_id))
    return [path for (path,) in conn.execute(query, {"index_id": index_id, "limit": limit}).fetchall()]


class StoredChunk(NamedTuple):
    """A chunk with the path of its file."""

    file_id: int
    chunk_no: int
    path: str
    content: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int


def chunks_to_embed(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> list[StoredChunk]:
    """All chunks of these files, file by file and in order."""
    query = sql.SQL(
        "SELECT file_id, chunk_no, path, content, start_byte, end_byte, start_line, end_line "
        "FROM {chunks} c JOIN {files} f USING (file_id) WHERE file_id = ANY(%(files)s::bigint[]) ORDER BY 1, 2"
    ).format(chunks=rows_of("chunks", index_id), files=rows_of("files", index_id))
    rows = conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)})
    return [StoredChunk._make(row) for row in rows]


def embedded_files(conn: psycopg.Connection, index_id: int, file_ids: Collection[int] | None = None) -> set[int]:
    """Those of the files that have vectors; None: of all."""
    query = sql.SQL("SELECT DISTINCT file_id FROM {} v{}").format(
        rows_of("vectors", index_id),
        sql.SQL("" if file_ids is None else " WHERE file_id = ANY(%(files)s::bigint[])"),
    )
    values = {"index_id": index_id, "files": None if file_ids is None else int_array(file_ids)}
    return {row[0] for row in conn.execute(query, values)}
