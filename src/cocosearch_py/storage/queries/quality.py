"""Statements about the figures of functions."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

import psycopg
from psycopg import sql

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.quality import HIGH_COMPLEXITY, Health, HotFile, Hotspot, HotspotRequest, SortKey
from cocosearch_py.storage.queries.target import int_array
from cocosearch_py.storage.schema.partitions import rows_of

_FUNCTIONS = ["function", "method", "constructor", "macro", "test"]
_LEAST_FUNCTIONS = 2  # of a file whose average tells something
_BELOW: LiteralString = "(%(path)s = '' OR f.path = %(path)s OR starts_with(f.path, %(path)s || '/'))"
# Others wrote the rest, or no one.
_OWN: LiteralString = (
    "f.status = 'indexed' AND coalesce(f.content_class, 'code') NOT IN ('vendored', 'generated') AND " + _BELOW
)
_LINES: LiteralString = "s.end_line - s.start_line + 1"
_SCORE: LiteralString = "s.cyclomatic + 2 * s.max_nesting + 0.5 * s.parameter_count + (" + _LINES + ") / 20.0"
_ORDERS: Mapping[SortKey, LiteralString] = {
    "score": "score",
    "complexity": "s.cyclomatic",
    "nesting": "s.max_nesting",
    "params": "s.parameter_count",
    "body_lines": _LINES,
    "churn": "churn",
}


def has_indexed(conn: psycopg.Connection, index_id: int, path: str) -> bool:
    """Whether a file with content is at or below the path."""
    query = sql.SQL("SELECT EXISTS (SELECT FROM {} f WHERE status = 'indexed' AND {})").format(
        rows_of("files", index_id), sql.SQL(_BELOW)
    )
    row = conn.execute(query, {"index_id": index_id, "path": path}).fetchone()
    return bool(row and row[0])


def find_hotspots(
    conn: psycopg.Connection, index_id: int, path: str, request: HotspotRequest, churn: Mapping[int, int]
) -> tuple[list[Hotspot], int, dict[str, FileVersion]]:
    """The first functions, the number of all, and the versions of their files.

    Args:
        churn: by file.
    """
    query = sql.SQL(
        "SELECT f.path, s.qualified_name, s.kind, s.start_line, s.end_line, s.cyclomatic, s.max_nesting, "
        "s.parameter_count, ({score})::float8 AS score, coalesce(c.commits, 0) AS churn, "
        "f.size_bytes, f.mtime_ns, f.content_hash, count(*) OVER () "
        "FROM {symbols} s JOIN {files} f USING (file_id) "
        "LEFT JOIN unnest(%(changed)s::bigint[], %(commits)s::int[]) c (file_id, commits) USING (file_id) "
        "WHERE {own} AND s.cyclomatic >= %(least)s ORDER BY {order} DESC, score DESC, f.path, s.symbol_no "
        "LIMIT %(limit)s"
    ).format(
        symbols=rows_of("symbols", index_id),
        files=rows_of("files", index_id),
        own=sql.SQL(_OWN),
        score=sql.SQL(_SCORE),
        order=sql.SQL(_ORDERS[request.sort]),
    )
    values = {
        "index_id": index_id,
        "path": path,
        "least": request.min_complexity,
        "limit": request.limit,
        "changed": int_array(churn),
        "commits": int_array(churn.values()),
    }
    rows = conn.execute(query, values).fetchall()
    names = (
        *("path", "name", "kind", "start_line", "end_line", "cyclomatic", "max_nesting"),
        *("parameters", "score", "churn"),
    )
    found = [Hotspot(**dict(zip(names, row[: len(names)], strict=True))) for row in rows]
    versions = {row[0]: FileVersion(row[10], row[11], bytes(row[12])) for row in rows}
    return found, rows[0][-1] if rows else 0, versions


def measure_health(conn: psycopg.Connection, index_id: int, path: str, most_files: int) -> Health:
    """Figures of all functions at or below a path."""
    query = sql.SQL(
        "SELECT count(*), count(s.cyclomatic), coalesce(avg(s.cyclomatic), 0)::float8, "
        "coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.cyclomatic), 0)::float8, "
        "coalesce(max(s.cyclomatic), 0), coalesce(percentile_disc(0.9) WITHIN GROUP (ORDER BY s.cyclomatic), 0), "
        "coalesce(avg(s.max_nesting), 0)::float8, coalesce(avg(s.parameter_count), 0)::float8, "
        "coalesce(avg({lines}) FILTER (WHERE s.cyclomatic IS NOT NULL), 0)::float8, "
        "count(*) FILTER (WHERE s.cyclomatic >= %(high)s), count(s.cyclomatic) FILTER (WHERE s.doc <> ''), "
        "count(s.cyclomatic) FILTER (WHERE s.is_test), count(s.cyclomatic) FILTER (WHERE s.is_deprecated), "
        "count(s.cyclomatic) FILTER (WHERE s.visibility = 'public' AND s.function_depth = 0 AND NOT s.is_test) "
        "FROM {symbols} s JOIN {files} f USING (file_id) WHERE {own} AND s.kind = ANY(%(kinds)s)"
    ).format(
        symbols=rows_of("symbols", index_id),
        files=rows_of("files", index_id),
        own=sql.SQL(_OWN),
        lines=sql.SQL(_LINES),
    )
    values = {"index_id": index_id, "path": path, "high": HIGH_COMPLEXITY, "kinds": _FUNCTIONS}
    names = (
        *("functions", "analysed", "average", "median", "maximum", "p90", "nesting", "parameters", "lines"),
        *("complex", "documented", "tests", "deprecated", "public"),
    )
    row: Sequence[int | float] = conn.execute(query, values).fetchone() or ()
    figures = dict(zip(names, row, strict=True))
    return Health(
        **figures,  # type: ignore[arg-type]  # whole numbers are counts
        hottest=tuple(_hottest_files(conn, index_id, path, most_files)),
        parse_health_pct=_parse_health(conn, index_id, path),
    )


def own_paths(conn: psycopg.Connection, index_id: int, path: str) -> list[str]:
    """The files whose functions count, at or below a path."""
    query = sql.SQL("SELECT path FROM {} f WHERE {} ORDER BY path").format(rows_of("files", index_id), sql.SQL(_OWN))
    return [name for (name,) in conn.execute(query, {"index_id": index_id, "path": path})]


def _hottest_files(conn: psycopg.Connection, index_id: int, path: str, most: int) -> list[HotFile]:
    query = sql.SQL(
        "SELECT f.path, count(*), avg(s.cyclomatic)::float8, max(s.cyclomatic) "
        "FROM {symbols} s JOIN {files} f USING (file_id) WHERE {own} AND s.cyclomatic IS NOT NULL "
        "GROUP BY 1 HAVING count(*) >= %(least)s ORDER BY 3 DESC, 4 DESC, 1 LIMIT %(most)s"
    ).format(symbols=rows_of("symbols", index_id), files=rows_of("files", index_id), own=sql.SQL(_OWN))
    values = {"index_id": index_id, "path": path, "least": _LEAST_FUNCTIONS, "most": most}
    return [HotFile(*row) for row in conn.execute(query, values)]


def _parse_health(conn: psycopg.Connection, index_id: int, path: str) -> float:
    query = sql.SQL(
        "SELECT count(*) FILTER (WHERE parse_status = 'ok'), count(*) FROM {} f "
        "WHERE parse_status <> 'no_grammar' AND {}"
    ).format(rows_of("files", index_id), sql.SQL(_OWN))
    ok, all_files = conn.execute(query, {"index_id": index_id, "path": path}).fetchone() or (0, 0)
    return round(100 * ok / all_files, 1) if all_files else 100.0
