"""Statements about what definitions inherit from, and what a file imports."""

from collections.abc import Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement, text_array

_INHERITED: LiteralString = """
SELECT k.file_id, k.symbol_no, CASE WHEN k.qualifier = '' THEN k.name ELSE k.qualifier || '.' || k.name END
FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS o(file_id, symbol_no)
CROSS JOIN LATERAL (SELECT * FROM {refs} k WHERE k.index_id = %(index_id)s AND k.file_id = o.file_id) k
WHERE k.symbol_no = o.symbol_no AND k.kind = 'inherit' ORDER BY k.file_id, k.ref_no"""
_HEIRS: LiteralString = """
SELECT o.name, s.qualified_name FROM unnest(%(names)s::text[]) AS o(name) CROSS JOIN LATERAL (
    SELECT s.qualified_name FROM {refs} k CROSS JOIN LATERAL (
        SELECT * FROM {symbols} s
        WHERE s.index_id = %(index_id)s AND s.file_id = k.file_id AND s.symbol_no = k.symbol_no LIMIT 1
    ) s CROSS JOIN LATERAL (
        SELECT * FROM {files} f WHERE f.index_id = %(index_id)s AND f.file_id = k.file_id LIMIT 1
    ) f
    WHERE k.name = o.name COLLATE "C" AND k.kind = 'inherit'
    ORDER BY f.content_class IS DISTINCT FROM 'code', f.path, s.symbol_no LIMIT %(most)s
) s"""
_IMPORTS: LiteralString = """
SELECT k.line, k.module, k.name, k.alias, f.path, coalesce(d.target_file_id = 0, false) FROM {imports} k
LEFT JOIN LATERAL (
    SELECT * FROM {dependencies} d
    WHERE d.index_id = %(index_id)s AND d.file_id = k.file_id AND d.import_no = k.import_no
) d ON true
LEFT JOIN LATERAL (
    SELECT * FROM {files} f WHERE f.index_id = %(index_id)s AND f.file_id = d.target_file_id LIMIT 1
) f ON true
WHERE k.index_id = %(index_id)s AND k.file_id = %(file_id)s ORDER BY k.import_no, f.path"""

Place = tuple[int, int]  # file_id and symbol_no


class ImportRow(NamedTuple):
    """An imported name, with one of the files that it leads to; `is_missing` if it should lead to one and does not."""

    line: int
    module: str
    name: str | None
    alias: str | None
    path: str | None
    is_missing: bool


def inherited_by_place(conn: psycopg.Connection, target: Target, places: Sequence[Place]) -> dict[Place, list[str]]:
    """Return the types that each of these definitions inherits from, as written, in order."""
    values = {
        "files": int_array(file_id for file_id, _ in places),
        "numbers": int_array(number for _, number in places),
    }
    found: dict[Place, list[str]] = {place: [] for place in places}
    rows = conn.execute(statement(_INHERITED, target), {**parameters(target), **values})
    for file_id, number, name in rows.fetchall():
        found[file_id, number].append(name)
    return found


def heirs_by_name(conn: psycopg.Connection, target: Target, names: Sequence[str], most: int) -> dict[str, list[str]]:
    """Qualified names of what inherits from something of each of these names, code first, so many of each."""
    values = {"names": text_array(dict.fromkeys(names)), "most": most}
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, heir in conn.execute(statement(_HEIRS, target), {**parameters(target), **values}).fetchall():
        found[name].append(heir)
    return found


def imports_of_file(conn: psycopg.Connection, target: Target, file_id: int) -> list[ImportRow]:
    """Return the imports of a file, in order; a name that leads to several files has a row for each."""
    rows = conn.execute(statement(_IMPORTS, target), {**parameters(target), "file_id": file_id})
    return [ImportRow(*row) for row in rows.fetchall()]
