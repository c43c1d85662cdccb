"""Statements that count: what an index holds, how healthy its parses are, what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from cocosearch_py.storage.schema.partitions import is_shared, leaf, rows_of
from cocosearch_py.storage.schema.tables import TABLES


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """Figures of one language of one index; parse counts are files, bytes are of the files on disk."""

    language_id: str
    files: int
    chunks: int
    lines: int
    size_bytes: int
    ok: int
    partial: int
    error: int
    no_grammar: int
    error_bytes: int


def count_languages(conn: psycopg.Connection, index_id: int) -> list[LanguageCount]:
    """Languages by falling number of files."""
    query = sql.SQL(
        "SELECT language_id, count(*), sum(chunk_count)::bigint, sum(line_count)::bigint, sum(size_bytes)::bigint, "
        "count(*) FILTER (WHERE parse_status = 'ok'), count(*) FILTER (WHERE parse_status = 'partial'), "
        "count(*) FILTER (WHERE parse_status = 'error'), count(*) FILTER (WHERE parse_status = 'no_grammar'), "
        "sum(parse_error_bytes)::bigint FROM {} f WHERE status = 'indexed' GROUP BY 1 ORDER BY 2 DESC, 1"
    ).format(rows_of("files", index_id))
    return [LanguageCount(*row) for row in conn.execute(query, {"index_id": index_id})]


def count_classes(conn: psycopg.Connection, index_id: int) -> list[tuple[str | None, int, int, int, int]]:
    """(class of content, indexed files, other files, chunks, lines), most files first; no class: not known yet."""
    query = sql.SQL(
        "SELECT content_class, count(*) FILTER (WHERE status = 'indexed') AS indexed, "
        "coalesce(sum(file_count) FILTER (WHERE status <> 'indexed'), 0)::bigint, "
        "sum(chunk_count)::bigint, sum(line_count)::bigint FROM {} f "
        "WHERE status = 'indexed' OR content_class IS NOT NULL GROUP BY 1 ORDER BY indexed DESC, 1"
    ).format(rows_of("files", index_id))
    return conn.execute(query, {"index_id": index_id}).fetchall()


def count_symbols(conn: psycopg.Connection, index_id: int) -> dict[str, int]:
    """Kind -> number of definitions, most frequent first."""
    query = sql.SQL("SELECT kind, count(*) FROM {} s GROUP BY 1 ORDER BY 2 DESC, 1").format(
        rows_of("symbols", index_id)
    )
    return dict(conn.execute(query, {"index_id": index_id}).fetchall())


def count_links(conn: psycopg.Connection, index_id: int) -> tuple[int, int]:
    """Number of references, and of dependencies between files."""
    query = sql.SQL("SELECT (SELECT count(*) FROM {} r), (SELECT count(*) FROM {} d)").format(
        rows_of("refs", index_id), rows_of("dependencies", index_id)
    )
    row = conn.execute(query, {"index_id": index_id}).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def count_rows(conn: psycopg.Connection, index_id: int, tables: Sequence[str]) -> list[int]:
    """How many rows an index has in each of these fact tables."""
    counts = [sql.SQL("(SELECT count(*) FROM {} r)").format(rows_of(table, index_id)) for table in tables]
    row = conn.execute(sql.SQL("SELECT {}").format(sql.SQL(", ").join(counts)), {"index_id": index_id}).fetchone()
    return list(row or ())


def count_ledger(conn: psycopg.Connection, index_id: int) -> list[tuple[str, str | None, int]]:
    """(status, reason, files) over everything that was seen on disk."""
    query = sql.SQL(
        "SELECT status, reason, sum(file_count)::bigint FROM {} f GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
    ).format(rows_of("files", index_id))
    return conn.execute(query, {"index_id": index_id}).fetchall()


def storage_bytes(conn: psycopg.Connection, index_id: int) -> int:
    """Disk space of an index: its own leaves with their indexes, or its rows in the shared ones."""
    if is_shared(index_id):
        sizes = [
            sql.SQL("(SELECT coalesce(sum(pg_column_size(r)), 0) FROM {} r)").format(rows_of(table, index_id))
            for table in TABLES
        ]
    else:
        names = [sql.Literal(leaf(table, index_id).as_string(conn)) for table in TABLES]
        sizes = [sql.SQL("pg_total_relation_size({}::regclass)").format(name) for name in names]
    query = sql.SQL("SELECT ({})::bigint").format(sql.SQL(" + ").join(sizes))
    row = conn.execute(query, {"index_id": index_id}).fetchone()
    return int(row[0]) if row else 0


def parse_failures(conn: psycopg.Connection, index_id: int) -> list[tuple[str, str, str, str | None]]:
    """(path, language, parse status, place of the error) of files that did not parse cleanly."""
    query = sql.SQL(
        "SELECT path, language_id, parse_status, parse_error FROM {} f WHERE status = 'indexed' "
        "AND parse_status IN ('partial', 'error') ORDER BY parse_status, path"
    ).format(rows_of("files", index_id))
    return conn.execute(query, {"index_id": index_id}).fetchall()


def failed_files(conn: psycopg.Connection, index_id: int, most: int) -> list[tuple[str, str, str]]:
    """(path, status, error) of files that failed, or that are indexed but could not be embedded, by path."""
    query = sql.SQL("SELECT path, status, error FROM {} f WHERE error IS NOT NULL ORDER BY path LIMIT %(most)s").format(
        rows_of("files", index_id)
    )
    return conn.execute(query, {"index_id": index_id, "most": most}).fetchall()


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """Row of the ledger for one path."""

    file_id: int
    path: str
    status: str
    reason: str | None
    rule: str | None
    error: str | None
    content_class: str | None = None


def find_in_ledger(conn: psycopg.Connection, index_id: int, path: str) -> list[LedgerRow]:
    """Rows of a path: the exact one first, then those that end with it, then skipped folders above it."""
    query = sql.SQL(
        "SELECT file_id, path, status, reason, rule, error, content_class FROM {} f "
        "WHERE path = %(path)s OR right(path, %(length)s) = %(tail)s "
        "OR (right(path, 1) = '/' AND starts_with(%(path)s, path)) ORDER BY path <> %(path)s, path LIMIT 20"
    ).format(rows_of("files", index_id))
    values = {"index_id": index_id, "path": path, "tail": f"/{path}", "length": len(path) + 1}
    return [LedgerRow(*row) for row in conn.execute(query, values)]


def parse_details(
    conn: psycopg.Connection, index_id: int, file_ids: list[int]
) -> dict[int, tuple[str, str | None, int]]:
    """file_id -> (parse status, place of the first error, number of definitions) of indexed files."""
    query = sql.SQL(
        "SELECT f.file_id, f.parse_status, f.parse_error, (SELECT count(*) FROM {} s WHERE s.file_id = f.file_id) "
        "FROM {} f WHERE f.status = 'indexed' AND f.file_id = ANY(%(files)s)"
    ).format(rows_of("symbols", index_id), rows_of("files", index_id))
    rows = conn.execute(query, {"index_id": index_id, "files": file_ids})
    return {file_id: (status, error, symbols) for file_id, status, error, symbols in rows}


def left_out(conn: psycopg.Connection, index_id: int) -> list[tuple[str, str, str | None, str | None, int]]:
    """(path, status, reason or error, rule, files) of everything that is not indexed."""
    query = sql.SQL(
        "SELECT path, status, coalesce(reason, error), rule, file_count FROM {} f WHERE status <> 'indexed' "
        "ORDER BY status, 3, path"
    ).format(rows_of("files", index_id))
    return conn.execute(query, {"index_id": index_id}).fetchall()
