"""Statements about files that depend on each other: nodes, edges, what leads nowhere."""

from collections.abc import Collection, Mapping
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.graph import Direction, EdgeKind, GraphFile
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.queries.target import Target, int_array, statement, text_array
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.storage.statements import Rows, run

# Kinds of references in the importing file that make an edge one of a kind.
_REFERENCES: dict[EdgeKind, tuple[str, ...]] = {
    "call": ("call",),
    "inherit": ("inherit",),
    "reference": ("call", "type", "inherit", "read"),
}
# The name that an import has in its file.
_LOCAL: LiteralString = "coalesce(i.alias, i.name, regexp_replace(i.module, '^.*[./:]', ''))"
_USED: LiteralString = (
    "AND EXISTS (SELECT 1 FROM {refs} r WHERE r.file_id = i.file_id AND r.kind = ANY(%(kinds)s::text[]) "
    "AND (i.name = '*' OR r.name = {local} OR split_part(r.qualifier, '.', 1) = {local}))".replace("{local}", _LOCAL)
)
_FILES: LiteralString = (
    "SELECT file_id, path, coalesce(language_id, ''), coalesce(content_class, '') FROM {files} f "
    "WHERE f.index_id = %(index_id)s AND file_id = ANY(%(files)s::bigint[]) AND status = 'indexed'"
)
_EDGES_FROM: LiteralString = (
    "SELECT d.file_id, d.target_file_id, i.module, i.name, i.line FROM {dependencies} d "
    "JOIN {imports} i ON i.index_id = %(index_id)s AND i.file_id = d.file_id AND i.import_no = d.import_no "
    "WHERE d.index_id = %(index_id)s AND d.file_id = ANY(%(files)s::bigint[]) AND d.target_file_id <> 0 "
)
_EDGES_TO: LiteralString = _EDGES_FROM.replace("d.file_id = ANY", "d.target_file_id = ANY")
_IMPORTERS: LiteralString = (
    "SELECT target_file_id, count(DISTINCT file_id) FROM {dependencies} d "
    "WHERE target_file_id = ANY(%(files)s::bigint[]) GROUP BY 1"
)
_NO_FILTERS = SearchFilters()


class ImportEdge(NamedTuple):
    """An imported name and the file that it leads to."""

    file_id: int
    target_file_id: int
    module: str
    name: str | None
    line: int


def graph_files(conn: psycopg.Connection, index_id: int) -> dict[int, GraphFile]:
    """All files with content, by id."""
    query = sql.SQL(
        "SELECT file_id, path, coalesce(language_id, ''), coalesce(content_class, '') FROM {} f "
        "WHERE status = 'indexed'"
    ).format(rows_of("files", index_id))
    rows = conn.cursor(binary=True).execute(query, {"index_id": index_id})
    return {row[0]: GraphFile(*row) for row in rows}


def files_by_id(conn: psycopg.Connection, index_id: int, file_ids: Collection[int]) -> dict[int, GraphFile]:
    """Those of the files that have content, by id."""
    return {row[0]: GraphFile(*row) for row in _rows(conn, _FILES, index_id, {"files": int_array(file_ids)})}


def _rows(conn: psycopg.Connection, text: LiteralString, index_id: int, values: Mapping[str, object]) -> Rows:
    return run(conn, statement(text, Target(index_id, 0, _NO_FILTERS)), {"index_id": index_id, **values})


def count_edges(conn: psycopg.Connection, index_id: int) -> list[tuple[int, int, int]]:
    """Importing file, imported file, number of imports; all of the index."""
    query = sql.SQL(
        "SELECT file_id, target_file_id, count(*) FROM {} d WHERE target_file_id <> 0 GROUP BY 1, 2"
    ).format(rows_of("dependencies", index_id))
    return conn.cursor(binary=True).execute(query, {"index_id": index_id}).fetchall()


def edges_at(
    conn: psycopg.Connection, index_id: int, file_ids: Collection[int], direction: Direction, kind: EdgeKind
) -> list[ImportEdge]:
    """Edges that begin, or for dependents end, at one of the files, by path of the other end's id and line."""
    text = _EDGES_FROM if direction == "dependencies" else _EDGES_TO
    text += _USED + " ORDER BY 1, 5, 2" if kind in _REFERENCES else "ORDER BY 1, 5, 2"
    values = {"files": int_array(file_ids), "kinds": text_array(_REFERENCES.get(kind, ()))}
    return list(map(ImportEdge._make, _rows(conn, text, index_id, values)))


def count_importers(conn: psycopg.Connection, index_id: int, file_ids: Collection[int]) -> dict[int, int]:
    """How many files import each of these; none is left out of the answer."""
    rows = _rows(conn, _IMPORTERS, index_id, {"files": int_array(file_ids)})
    return {file_id: 0 for file_id in file_ids} | {row[0]: row[1] for row in rows}


def imports_written(
    conn: psycopg.Connection, index_id: int, module: str, most: int
) -> tuple[list[tuple[str, int, str, str | None]], int]:
    """Path, line, module and name of imports of a module or of one below it, by path and line; and how many there are.

    The module is as the imports have it: `numpy`, `java.util`, `@scope/lib`.
    """
    query = sql.SQL(
        "WITH found AS MATERIALIZED (SELECT file_id, line, module, name FROM {imports} i WHERE i.module = %(module)s "
        "OR starts_with(i.module, %(module)s || '.') OR starts_with(i.module, %(module)s || '/') "
        "OR starts_with(i.module, %(module)s || '::')), "
        "n AS (SELECT count(*) AS total FROM found) "
        "SELECT f.path, line, module, name, n.total FROM n, found JOIN {files} f "
        "ON f.index_id = %(index_id)s AND f.file_id = found.file_id ORDER BY 1, 2, 4 LIMIT %(most)s"
    ).format(**{name: rows_of(name, index_id) for name in ("imports", "files")})
    rows = conn.execute(query, {"index_id": index_id, "module": module, "most": most}).fetchall()
    return [row[:4] for row in rows], rows[0][4] if rows else 0


def loose_imports(
    conn: psycopg.Connection, index_id: int, file_ids: Collection[int]
) -> list[tuple[int, str, int, bool]]:
    """Imports that lead to no indexed file: file, module, first line, and whether they should lead to one."""
    query = sql.SQL(
        "SELECT i.file_id, i.module, min(i.line), bool_or(d.target_file_id IS NOT NULL) FROM {imports} i "
        "LEFT JOIN {dependencies} d "
        "ON d.index_id = %(index_id)s AND d.file_id = i.file_id AND d.import_no = i.import_no "
        "WHERE i.index_id = %(index_id)s AND i.file_id = ANY(%(files)s::bigint[]) "
        "AND coalesce(d.target_file_id, 0) = 0 GROUP BY 1, 2 ORDER BY 1, 3"
    ).format(**{name: rows_of(name, index_id) for name in ("imports", "dependencies")})
    return conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)}).fetchall()


class MapSymbol(NamedTuple):
    """A definition that other files can reach."""

    file_id: int
    start_line: int
    signature: str
    name: str
    kind: str
    visibility: str
    nested: bool


def reachable_symbols(conn: psycopg.Connection, index_id: int, file_ids: Collection[int]) -> list[MapSymbol]:
    """Definitions outside functions, in order of their files' ids and lines."""
    query = sql.SQL(
        "SELECT file_id, start_line, signature, name, kind, visibility, nested FROM {} s "
        "WHERE s.index_id = %(index_id)s AND file_id = ANY(%(files)s::bigint[]) "
        "AND function_depth = 0 AND NOT is_test ORDER BY file_id, symbol_no"
    ).format(rows_of("symbols", index_id))
    return [MapSymbol(*row) for row in conn.execute(query, {"index_id": index_id, "files": int_array(file_ids)})]


def count_uses(conn: psycopg.Connection, index_id: int, names: Collection[str]) -> dict[str, int]:
    """Files that refer to each name; names that none refers to are left out."""
    query = sql.SQL(
        "SELECT name, count(DISTINCT file_id) FROM {} r WHERE name = ANY(%(names)s::text[]) GROUP BY name"
    ).format(rows_of("refs", index_id))
    return dict(conn.execute(query, {"index_id": index_id, "names": text_array(names)}).fetchall())


def files_defining(conn: psycopg.Connection, index_id: int, keys: Collection[str]) -> list[tuple[str, int]]:
    """Key of a name, file that defines it; see symbols.name_key."""
    query = sql.SQL("SELECT DISTINCT name_key, file_id FROM {} s WHERE name_key = ANY(%(keys)s::text[])").format(
        rows_of("symbols", index_id)
    )
    return conn.execute(query, {"index_id": index_id, "keys": text_array(keys)}).fetchall()
