"""Statements that list the files of an index, one by one or by folder."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

import psycopg

from cocosearch_py.model.listing import Folder, ListCursor, ListedFile, ListRequest
from cocosearch_py.storage.queries.target import Target, parameters, statement, text_array

_SYMBOLS: LiteralString = "(SELECT count(*) FROM {symbols} s WHERE s.file_id = k.file_id)"
# What files are sorted by, the largest first; then by path.
_VALUES: Mapping[str, LiteralString] = {
    "path": "0::bigint",
    "modified": "k.mtime_ns",
    "lines": "k.line_count::bigint",
    "size": "k.size_bytes",
    "symbols": _SYMBOLS,
}
_FROM: LiteralString = (
    "FROM {files} k WHERE (%(path)s = '' OR k.path = %(path)s OR starts_with(k.path, %(path)s || '/')) "
    "AND (%(status)s::text IS NULL OR k.status = %(status)s) "
    "AND (%(min_lines)s::int IS NULL OR k.line_count >= %(min_lines)s) "
    "AND (%(max_lines)s::int IS NULL OR k.line_count <= %(max_lines)s) {restriction}"
)
_COUNT: LiteralString = "SELECT coalesce(sum(k.file_count), 0)::bigint, count(*) " + _FROM
_AFTER: LiteralString = 'p.value < %(value)s OR (p.value = %(value)s AND p.path > %(after)s COLLATE "C")'
_PAGE: LiteralString = (
    "SELECT k.path, k.status, k.reason, k.rule, k.error, k.file_count, k.language_id, k.content_class, k.line_count, "
    "k.size_bytes, k.mtime_ns, k.content_hash, {symbol_count}, k.value "
    "FROM (SELECT p.* FROM (SELECT k.*, {value} AS value {rows}) p "
    'WHERE {after} ORDER BY p.value DESC, p.path COLLATE "C" LIMIT %(limit)s) k '
    'ORDER BY k.value DESC, k.path COLLATE "C"'
)
# A path ends with '/' where a folder was skipped as a whole: it has one part more than it has names.
_FOLDERS: LiteralString = (
    "SELECT i.parts, bool_or(i.more), sum(i.file_count)::bigint, sum(i.line_count)::bigint, sum(i.size_bytes)::bigint "
    "FROM (SELECT (string_to_array(w.inner, '/'))[1:%(depth)s] AS parts, "
    "cardinality(string_to_array(w.inner, '/')) > %(depth)s OR right(w.inner, 1) = '/' AS more, "
    "w.file_count, w.line_count, w.size_bytes "
    "FROM (SELECT CASE WHEN %(path)s = '' THEN k.path ELSE substr(k.path, length(%(path)s) + 2) END AS inner, "
    "k.file_count, k.line_count, CASE WHEN k.status = 'indexed' THEN k.size_bytes ELSE 0 END AS size_bytes "
    + _FROM
    + ") w) i GROUP BY i.parts"
)
# Letters of a name in their order, with anything between them.
_PATHS: LiteralString = "SELECT k.path " + _FROM + " AND lower(k.path) LIKE ALL(%(like)s)"


def list_files(conn: psycopg.Connection, target: Target, request: ListRequest) -> list[ListedFile]:
    """Files in their order, one more than asked for if there are more."""
    after: LiteralString = "true" if request.after is None else _AFTER
    text = (
        _PAGE.replace("{symbol_count}", _SYMBOLS)
        .replace("{value}", _VALUES[request.sort])
        .replace("{after}", after)
        .replace("{rows}", _FROM)
    )
    cursor = request.after or ListCursor(0, "")
    values = {**_values(target, request), "value": cursor.value, "after": cursor.path, "limit": request.limit + 1}
    rows = conn.execute(statement(text, target), values).fetchall()
    names = (
        *("path", "status", "reason", "rule", "error", "file_count", "language_id", "content_class", "line_count"),
        *("size_bytes", "mtime_ns", "content_hash", "symbol_count", "value"),
    )
    return [ListedFile(**dict(zip(names, row, strict=True))) for row in rows]


def count_files(conn: psycopg.Connection, target: Target, request: ListRequest) -> tuple[int, int]:
    """(files, rows of the ledger, of which one may stand for a folder)."""
    row = conn.execute(statement(_COUNT, target), _values(target, request)).fetchone()
    return (row[0], row[1]) if row else (0, 0)


def has_files(conn: psycopg.Connection, target: Target, path: str) -> bool:
    """Whether the ledger has the path, or anything below it."""
    values = _values(target, ListRequest(path=path, status=None))
    row = conn.execute(statement("SELECT EXISTS (SELECT " + _FROM + ")", target), values).fetchone()
    return bool(row and row[0])


def paths_passing(conn: psycopg.Connection, target: Target, paths: Sequence[str]) -> set[str]:
    """Those of some paths that filters of paths let pass."""
    query = statement("SELECT f.path FROM unnest(%(asked)s::text[]) AS f(path) WHERE {of_file}", target)
    return {path for (path,) in conn.execute(query, {**parameters(target), "asked": text_array(paths)})}


def folders(conn: psycopg.Connection, target: Target, request: ListRequest, depth: int) -> list[Folder]:
    """Return the files at most `depth` levels below the path of a request, and the folders at that level."""
    rows = conn.execute(statement(_FOLDERS, target), {**_values(target, request), "depth": depth}).fetchall()
    return [Folder(tuple(part for part in parts if part), *rest) for parts, *rest in rows]


def paths_like(conn: psycopg.Connection, target: Target, request: ListRequest, words: list[str]) -> list[str]:
    """Paths that hold the letters and digits of each of the words in their order."""
    like = ["%" + "%".join(word) + "%" for word in words]
    query = statement(_PATHS, target)
    return [path for (path,) in conn.execute(query, {**_values(target, request), "like": like}).fetchall()]


def _values(target: Target, request: ListRequest) -> dict[str, Any]:
    return {
        "path": request.path,
        "status": request.status,
        "min_lines": request.min_lines,
        "max_lines": request.max_lines,
        **parameters(target),
    }
