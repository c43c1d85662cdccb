"""Statements for audits, which look at all of an index: its files, definitions and imports."""

from collections.abc import Collection, Iterator
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.files import FileVersion
from cocosearch_py.storage.queries.target import text_array
from cocosearch_py.storage.schema.partitions import rows_of

_AT_ONCE = 20_000  # rows

_FILES: LiteralString = """
SELECT file_id, path, status, coalesce(reason, ''), coalesce(language_id, ''), coalesce(content_class, 'code'),
    coalesce(parse_status, ''), line_count, size_bytes, mtime_ns, content_hash
FROM {files} f WHERE coalesce(reason, '') NOT IN ('ignored', 'excluded', 'empty') ORDER BY path COLLATE "C" """
_DEFINITIONS: LiteralString = """
SELECT s.file_id, s.symbol_no, s.parent_no, s.kind, s.name, s.qualified_name, s.signature, s.function_depth,
    s.nested AND coalesce(p.kind, '') NOT IN ('namespace', 'module'), s.is_test, s.start_line, s.end_line,
    coalesce(p.kind, '')
FROM {symbols} s LEFT JOIN {symbols} p ON p.file_id = s.file_id AND p.symbol_no = s.parent_no
WHERE s.kind = ANY(%(kinds)s::text[])"""
_IMPORTS: LiteralString = """
SELECT i.file_id, i.line, i.name, i.alias, d.target_file_id, i.import_no
FROM {imports} i LEFT JOIN {dependencies} d ON d.file_id = i.file_id AND d.import_no = i.import_no
ORDER BY i.file_id, i.import_no"""
_NAMED: LiteralString = """
SELECT file_id, name, start_line, end_line FROM {symbols} s WHERE name = ANY(%(names)s::text[])"""
_LARGE: LiteralString = """
SELECT file_id, kind, qualified_name, start_line, end_line, is_test FROM {symbols} s
WHERE kind = ANY(%(kinds)s::text[]) AND end_line - start_line + 1 >= %(least)s"""
_EDGES: LiteralString = """
SELECT d.file_id, d.target_file_id, min(d.line) FROM {dependencies} d
WHERE d.target_file_id <> 0 AND d.target_file_id <> d.file_id GROUP BY 1, 2"""


class AuditedFile(NamedTuple):
    """A row of the ledger."""

    file_id: int
    path: str
    status: str
    reason: str
    language_id: str
    content_class: str
    parse_status: str
    lines: int
    version: FileVersion


class Definition(NamedTuple):
    """A definition; `nested` if another one than a namespace is around it, `around` its kind."""

    file_id: int
    symbol_no: int
    parent_no: int | None
    kind: str
    name: str
    qualified_name: str
    signature: str
    depth: int
    nested: bool
    is_test: bool
    start_line: int
    end_line: int
    around: str


class ImportRow(NamedTuple):
    """An import and one file that it leads to: 0 one that is missing, None a library's."""

    file_id: int
    line: int
    name: str | None
    alias: str | None
    target: int | None
    import_no: int


class LargeDefinition(NamedTuple):
    """A definition of very many lines."""

    file_id: int
    kind: str
    qualified_name: str
    start_line: int
    end_line: int
    is_test: bool


def audited_files(conn: psycopg.Connection, index_id: int) -> list[AuditedFile]:
    """All files by path, but those that were left out because somebody said so, or that are empty."""
    rows = conn.execute(_made(_FILES, index_id), {"index_id": index_id}).fetchall()
    return [AuditedFile._make((*row[:8], FileVersion(*row[8:]))) for row in rows]


def definitions(conn: psycopg.Connection, index_id: int, kinds: Collection[str]) -> Iterator[Definition]:
    """All definitions of these kinds."""
    rows = _rows(conn, _made(_DEFINITIONS, index_id), {"index_id": index_id, "kinds": text_array(kinds)})
    return (Definition._make(row) for row in rows)


def imports(conn: psycopg.Connection, index_id: int) -> Iterator[ImportRow]:
    """All imports, once for each file that they lead to, file by file."""
    return (ImportRow._make(row) for row in _rows(conn, _made(_IMPORTS, index_id), {"index_id": index_id}))


def places_named(
    conn: psycopg.Connection, index_id: int, names: Collection[str]
) -> Iterator[tuple[int, str, int, int]]:
    """(file, name, first line, last line) of all definitions of these names."""
    rows = _rows(conn, _made(_NAMED, index_id), {"index_id": index_id, "names": text_array(names)})
    return ((file_id, name, first, last) for file_id, name, first, last in rows)


def large_definitions(
    conn: psycopg.Connection, index_id: int, kinds: Collection[str], least: int
) -> list[LargeDefinition]:
    """Definitions of these kinds with so many lines at least."""
    values = {"index_id": index_id, "kinds": text_array(kinds), "least": least}
    return [LargeDefinition._make(row) for row in conn.execute(_made(_LARGE, index_id), values).fetchall()]


def file_edges(conn: psycopg.Connection, index_id: int) -> list[tuple[int, int, int]]:
    """(file, the one that it imports, line of the first such import)."""
    return conn.execute(_made(_EDGES, index_id), {"index_id": index_id}).fetchall()


def _made(text: LiteralString, index_id: int) -> sql.Composed:
    tables = ("files", "symbols", "imports", "dependencies")
    return sql.SQL(text).format(**{name: rows_of(name, index_id) for name in tables})


def _rows(
    conn: psycopg.Connection, query: sql.Composed, values: dict[str, object]
) -> Iterator[tuple[Any, ...]]:  # too many to have them all at once
    with conn.cursor(name="audited") as cursor:
        cursor.itersize = _AT_ONCE
        yield from cursor.execute(query, values)
