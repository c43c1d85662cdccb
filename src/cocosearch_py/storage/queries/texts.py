"""Statements that read the text of passages: of the hits, of the lines around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import psycopg

from cocosearch_py.storage.queries.search import ChunkKey, LegVectors, sparse_literal
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement


class WantedHit(NamedTuple):
    """A chunk to show, and the definition it is shown for, if a definition is why."""

    file_id: int
    chunk_no: int
    symbol_no: int | None = None


class HitText(NamedTuple):
    """A chunk with what is shown of it."""

    file_id: int
    chunk_no: int
    start_line: int
    end_line: int
    content: str
    block_type: str
    hierarchy: str
    symbol_type: str | None
    symbol_name: str | None
    symbol_signature: str | None
    vector_score: float | None
    keyword_score: float | None
    scope_start: int | None  # lines of the definition the chunk is about
    scope_end: int | None
    size_bytes: int  # of the file, when it was read
    mtime_ns: int
    content_hash: bytes | None
    around_start: int | None  # first line of the next text
    around: str | None  # of the chunks that have the lines around this one, with this one; None when none are wanted


@dataclass(frozen=True, slots=True)
class Reach:
    """How many lines around a chunk are wanted; `in_scope`: only those of the definition it is about."""

    before: int
    after: int
    in_scope: bool


def hit_texts(
    conn: psycopg.Connection, target: Target, wanted: Sequence[WantedHit], legs: LegVectors, reach: Reach
) -> dict[ChunkKey, HitText]:
    """Text and exact scores of the chunks to show, each with the definition it is shown for.

    That is the wanted one, else the first that passes the symbol filters, else the one the chunk is about.
    """
    query = statement(
        "SELECT c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, coalesce(s.kind, c.block_type), "
        "coalesce(s.qualified_name, c.hierarchy), s.kind, s.name, s.signature, "
        "-(v.embedding <#> %(vector)s::halfvec), -(k.weights <#> %(idf)s::sparsevec), s.start_line, s.end_line, "
        "f.size_bytes, f.mtime_ns, f.content_hash, n.start_line, n.content "
        "FROM (SELECT %(index_id)s::int AS index_id, * FROM unnest(%(files)s::bigint[], %(numbers)s::int[], "
        "%(symbols)s::int[]) AS u(file_id, chunk_no, symbol_no)) w "
        "JOIN {chunks} c USING (index_id, file_id, chunk_no) JOIN {keywords} k USING (index_id, file_id, chunk_no) "
        "JOIN {files} f USING (index_id, file_id) LEFT JOIN {vectors} v USING (index_id, file_id, chunk_no) "
        "LEFT JOIN LATERAL (SELECT * FROM {symbols} s WHERE s.index_id = w.index_id AND s.file_id = c.file_id "
        "AND {shown_for} ORDER BY s.symbol_no LIMIT 1) s ON true LEFT JOIN LATERAL ("
        "SELECT min(n.start_line) AS start_line, string_agg(n.content, '' ORDER BY n.chunk_no) AS content "
        "FROM {chunks} n WHERE n.index_id = w.index_id AND n.file_id = c.file_id "
        "AND n.end_line >= c.start_line - %(before)s AND n.start_line <= c.end_line + %(after)s AND CASE "
        "WHEN %(in_scope)s THEN n.end_line >= s.start_line AND n.start_line <= s.end_line "
        "AND (s.start_line < c.start_line OR s.end_line > c.end_line) ELSE %(before)s + %(after)s > 0 END) n ON true",
        target,
    )
    values = {
        "vector": legs.vector.text if legs.vector else None,
        "idf": sparse_literal(legs.idf),
        "files": int_array([item.file_id for item in wanted]),
        "numbers": int_array([item.chunk_no for item in wanted]),
        "symbols": int_array([item.symbol_no for item in wanted]),
        "before": reach.before,
        "after": reach.after,
        "in_scope": reach.in_scope,
        **parameters(target),
    }
    return {row[:2]: HitText._make(row) for row in conn.execute(query, values).fetchall()}


def lines_of(
    conn: psycopg.Connection, target: Target, ranges: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int, int], list[tuple[int, str]]]:
    """(file_id, first line, last line) -> chunks that touch these lines as (start line, text), in order."""
    query = statement(
        "SELECT w.file_id, w.first, w.last, c.start_line, c.content "
        "FROM unnest(%(files)s::bigint[], %(firsts)s::int[], %(lasts)s::int[]) AS w(file_id, first, last) "
        "JOIN {chunks} c ON c.file_id = w.file_id AND c.start_line <= w.last AND c.end_line >= w.first "
        "ORDER BY c.chunk_no",
        target,
    )
    found: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    columns = dict(zip(("files", "firsts", "lasts"), map(int_array, zip(*ranges, strict=True)), strict=True))
    for file_id, first, last, start_line, content in conn.execute(query, {**columns, **parameters(target)}).fetchall():
        found.setdefault((file_id, first, last), []).append((start_line, content))
    return found
