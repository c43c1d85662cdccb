"""Statements that read the text of passages: of the hits, of the lines around them."""

from collections.abc import Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.search import Member
from cocosearch_py.storage.queries.passages import EnclosingDefinition
from cocosearch_py.storage.queries.search import ChunkKey, LegVectors, sparse_literal
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement


class HitText(NamedTuple):
    """A chunk with what is shown of it."""

    file_id: int
    chunk_no: int
    start_line: int
    end_line: int
    content: str
    block_type: str
    hierarchy: str
    symbol_no: int | None  # the definition it is about
    vector_score: float | None
    keyword_score: float | None
    size_bytes: int  # of the file, when it was read
    mtime_ns: int
    content_hash: bytes | None
    around_start: int | None  # first line of the next text
    around: str | None  # of the chunks that have the lines around this one, with this one; None when none are wanted


class Reach(NamedTuple):
    """How many lines around a chunk are wanted."""

    before: int
    after: int


_TEXTS: LiteralString = (
    "SELECT c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, c.block_type, c.hierarchy, c.symbol_no, "
    "-(v.embedding <#> %(vector)s::halfvec), -(k.weights <#> %(idf)s::sparsevec), "
    "f.size_bytes, f.mtime_ns, f.content_hash, n.start_line, n.content FROM "
    "(SELECT %(index_id)s::int AS index_id, * "
    "FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS u(file_id, chunk_no)) w "
    "JOIN {chunks} c USING (index_id, file_id, chunk_no) "
    "JOIN {keywords} k USING (index_id, file_id, chunk_no) "
    "JOIN {files} f USING (index_id, file_id) LEFT JOIN {vectors} v USING (index_id, file_id, chunk_no) "
    "LEFT JOIN LATERAL (SELECT min(n.start_line) AS start_line, string_agg(n.content, '' ORDER BY n.chunk_no) "
    "AS content FROM {chunks} n WHERE n.index_id = w.index_id AND n.file_id = c.file_id "
    "AND n.end_line >= c.start_line - %(before)s AND n.start_line <= c.end_line + %(after)s "
    "AND %(before)s + %(after)s > 0) n ON true"
)
_DEFINITIONS: LiteralString = (
    "SELECT c.file_id, c.chunk_no, s.symbol_no, s.kind, s.name, s.qualified_name, s.signature, s.start_line, "
    "s.end_line, s.chunk_no = c.chunk_no FROM "
    "(SELECT %(index_id)s::int AS index_id, * "
    "FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS u(file_id, chunk_no)) w "
    "JOIN {chunks} c USING (index_id, file_id, chunk_no) "
    "JOIN {symbols} s ON s.index_id = w.index_id AND s.file_id = c.file_id "
    "AND s.start_line <= c.end_line AND s.end_line >= c.start_line WHERE {of_symbol} "
    "ORDER BY c.file_id, c.chunk_no, s.symbol_no"
)


def hit_texts(
    conn: psycopg.Connection, target: Target, wanted: Sequence[ChunkKey], legs: LegVectors, reach: Reach
) -> tuple[dict[ChunkKey, HitText], dict[ChunkKey, list[EnclosingDefinition]]]:
    """Text and exact scores of the chunks to show, and the definitions that share lines with them, in order.

    Only definitions that pass the filters count.
    """
    values = {
        "vector": legs.vector.text if legs.vector else None,
        "idf": sparse_literal(legs.idf),
        "files": int_array([file_id for file_id, _ in wanted]),
        "numbers": int_array([chunk_no for _, chunk_no in wanted]),
        "before": reach.before,
        "after": reach.after,
        **parameters(target),
    }
    around: dict[ChunkKey, list[EnclosingDefinition]] = {}
    for row in conn.execute(statement(_DEFINITIONS, target), values).fetchall():
        around.setdefault(row[:2], []).append(EnclosingDefinition._make(row))
    return {row[:2]: HitText._make(row) for row in conn.execute(statement(_TEXTS, target), values).fetchall()}, around


def members_of(
    conn: psycopg.Connection, target: Target, owners: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], list[Member]]:
    """(file_id, qualified name) -> the members of that name in the file, by line, wherever in the file they stand."""
    query = statement(
        "SELECT w.file_id, w.owner, s.kind, s.name, s.start_line FROM (SELECT %(index_id)s::int AS index_id, * "
        "FROM unnest(%(files)s::bigint[], %(owners)s::text[]) AS u(file_id, owner)) w JOIN {symbols} s "
        "ON s.index_id = w.index_id AND s.file_id = w.file_id AND s.qualified_name = w.owner || '.' || s.name "
        "ORDER BY s.start_line, s.symbol_no",
        target,
    )
    files, names = zip(*owners, strict=True)
    values = {"files": int_array(files), "owners": list(names), **parameters(target)}
    found: dict[tuple[int, str], list[Member]] = {}
    for file_id, owner, *member in conn.execute(query, values).fetchall():
        found.setdefault((file_id, owner), []).append(Member(*member))
    return found


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
