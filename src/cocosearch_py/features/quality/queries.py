"""SQL over the figures of functions. Vendored and generated files do not count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.errors import NotFoundError
from cocosearch_py.features.quality.tools import Average, HotFile, Hotspot, SortKey, Spread
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.sources import versions_of
from cocosearch_py.storage.queries.target import int_array
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.tools.index import Items

_HIGH_COMPLEXITY = 10
_MAX_HOT_FILES = 5
_MIN_FUNCTIONS = 2  # Minimum functions of a file whose average is worth showing.
_FUNCTIONS = ["function", "method", "constructor", "macro", "test"]
_BELOW: LiteralString = "(%(path)s = '' OR f.path = %(path)s OR starts_with(f.path, %(path)s || '/'))"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """Functions to list.

    Attributes:
        paths: possible paths of the file or folder, likeliest first; "" is the root.
        sort: largest first; equal values by score.
        churn: number of commits, by file id.
    """

    paths: Sequence[str] = ("",)
    sort: SortKey = "score"
    min_complexity: int = 1
    limit: int = 20
    churn: Mapping[int, int]


class _Row(NamedTuple):
    path: str
    name: str
    kind: str
    line: int
    cyclomatic: int
    max_nesting: int
    param_count: int
    body_lines: int
    score: float
    churn: int
    size_bytes: int
    mtime_ns: int
    content_hash: bytes
    total: int


def find_hotspots(conn: psycopg.Connection, record: IndexRecord, selected: Selected) -> Items[Hotspot]:
    """Return the first functions in the order that is asked for.

    Raises:
        NotFoundError: no indexed file is at or below the path.
    """
    query = sql.SQL(
        "SELECT f.path, s.qualified_name, s.kind, s.start_line, s.cyclomatic, s.max_nesting, s.parameter_count, "
        "{lines}, ({score})::float8 AS score, coalesce(c.commits, 0) AS churn, "
        "f.size_bytes, f.mtime_ns, f.content_hash, count(*) OVER () "
        "FROM {symbols} s JOIN {files} f USING (file_id) "
        "LEFT JOIN unnest(%(changed)s::bigint[], %(commits)s::int[]) c (file_id, commits) USING (file_id) "
        "WHERE {own} AND s.cyclomatic >= %(least)s ORDER BY {order} DESC, score DESC, f.path, s.symbol_no "
        "LIMIT %(limit)s"
    ).format(
        symbols=rows_of("symbols", record.index_id),
        files=rows_of("files", record.index_id),
        lines=sql.SQL(_LINES),
        own=sql.SQL(_OWN),
        score=sql.SQL(_SCORE),
        order=sql.SQL(_ORDERS[selected.sort]),
    )
    values = {
        "index_id": record.index_id,
        "path": _indexed_path(conn, record, selected.paths),
        "least": selected.min_complexity,
        "limit": selected.limit,
        "changed": int_array(selected.churn),
        "commits": int_array(selected.churn.values()),
    }
    rows = [_Row(*row) for row in conn.execute(query, values)]
    return Items(
        items=tuple(_hotspot(row) for row in rows),
        total=rows[0].total if rows else 0,
        versions={row.path: FileVersion(row.size_bytes, row.mtime_ns, bytes(row.content_hash)) for row in rows},
    )


def _hotspot(row: _Row) -> Hotspot:
    return Hotspot(
        file=row.path,
        name=row.name,
        kind=row.kind,
        line=row.line,
        cyclomatic=row.cyclomatic,
        max_nesting=row.max_nesting,
        param_count=row.param_count,
        body_lines=row.body_lines,
        score=round(row.score, 2),
        churn=row.churn,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured(Items[HotFile]):
    """Files whose functions are most complex, highest average first.

    Attributes:
        totals: the other fields of `Health`, over all functions.
    """

    totals: Mapping[str, Any]


def measure_health(conn: psycopg.Connection, record: IndexRecord, paths: Sequence[str]) -> Measured:
    """Return the figures of all functions at or below a path.

    Raises:
        NotFoundError: no indexed file is at or below the path.
    """
    path = _indexed_path(conn, record, paths)
    files = _hot_files(conn, record, path)
    counted = [*(file.file for file in files), *_own_paths(conn, record, path)]
    return Measured(
        items=tuple(files),
        total=len(files),
        versions=versions_of(conn, record.index_id, counted),
        totals={**_figures(conn, record, path), "parse_health_pct": _parse_health(conn, record, path)},
    )


def _figures(conn: psycopg.Connection, record: IndexRecord, path: str) -> dict[str, Any]:
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
        symbols=rows_of("symbols", record.index_id),
        files=rows_of("files", record.index_id),
        own=sql.SQL(_OWN),
        lines=sql.SQL(_LINES),
    )
    values = {"index_id": record.index_id, "path": path, "high": _HIGH_COMPLEXITY, "kinds": _FUNCTIONS}
    row: Sequence[Any] = conn.execute(query, values).fetchone() or ()
    total, analyzed, mean, median, highest, p90, nesting, params, lines, high, documented, *others = row
    tests, deprecated, public = others
    return {
        "total_functions": total,
        "analyzed": analyzed,
        "complexity": Spread(avg=round(mean, 2), median=median, max=highest, p90=p90),
        "nesting": Average(avg=round(nesting, 2)),
        "params": Average(avg=round(params, 2)),
        "body_lines": Average(avg=round(lines, 2)),
        "high_complexity_count": high,
        "high_complexity_pct": _percent(high, analyzed),
        "documented_pct": _percent(documented, analyzed),
        "test_count": tests,
        "deprecated_count": deprecated,
        "public_api_count": public,
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _hot_files(conn: psycopg.Connection, record: IndexRecord, path: str) -> list[HotFile]:
    query = sql.SQL(
        "SELECT f.path, count(*), avg(s.cyclomatic)::float8, max(s.cyclomatic) "
        "FROM {symbols} s JOIN {files} f USING (file_id) WHERE {own} AND s.cyclomatic IS NOT NULL "
        "GROUP BY 1 HAVING count(*) >= %(least)s ORDER BY 3 DESC, 4 DESC, 1 LIMIT %(most)s"
    ).format(symbols=rows_of("symbols", record.index_id), files=rows_of("files", record.index_id), own=sql.SQL(_OWN))
    values = {"index_id": record.index_id, "path": path, "least": _MIN_FUNCTIONS, "most": _MAX_HOT_FILES}
    return [
        HotFile(file=file, functions=functions, avg_complexity=round(average, 2), max_complexity=highest)
        for file, functions, average, highest in conn.execute(query, values)
    ]


def _own_paths(conn: psycopg.Connection, record: IndexRecord, path: str) -> list[str]:
    """Return the files whose functions count, at or below a path."""
    query = sql.SQL("SELECT path FROM {} f WHERE {} ORDER BY path").format(
        rows_of("files", record.index_id), sql.SQL(_OWN)
    )
    return [name for (name,) in conn.execute(query, {"index_id": record.index_id, "path": path})]


def _parse_health(conn: psycopg.Connection, record: IndexRecord, path: str) -> float:
    """Return the percentage of files that were parsed without an error, of those that have a grammar."""
    query = sql.SQL(
        "SELECT count(*) FILTER (WHERE parse_status = 'ok'), count(*) FROM {} f "
        "WHERE parse_status <> 'no_grammar' AND {}"
    ).format(rows_of("files", record.index_id), sql.SQL(_OWN))
    parsed, files = conn.execute(query, {"index_id": record.index_id, "path": path}).fetchone() or (0, 0)
    return _percent(parsed, files) if files else 100.0


def _indexed_path(conn: psycopg.Connection, record: IndexRecord, paths: Sequence[str]) -> str:
    """Return the first path that has indexed files, or is the root."""
    query = sql.SQL("SELECT EXISTS (SELECT FROM {} f WHERE status = 'indexed' AND {})").format(
        rows_of("files", record.index_id), sql.SQL(_BELOW)
    )
    for path in paths:
        row = conn.execute(query, {"index_id": record.index_id, "path": path}).fetchone() if path else (True,)
        if row and row[0]:
            return path
    raise NotFoundError(
        f"no indexed file is at or below {paths[0][:200]}",
        hint="index_status with check_files shows why; list_files shows the files",
    )
