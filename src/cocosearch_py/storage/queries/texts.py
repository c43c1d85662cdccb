"""Statements that read the text of passages: of the hits, of the lines around them."""

from collections.abc import Callable, Collection, Sequence
from operator import attrgetter
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.search import Member
from cocosearch_py.storage.queries.passages import EnclosingDefinition
from cocosearch_py.storage.queries.search import ChunkKey, QueryWeights, sparse_literal
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement, text_array
from cocosearch_py.storage.statements import Rows, run


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
    start_byte: int
    around_start: int | None  # first line of the next text
    around: str | None  # of the chunks that have the lines around this one, with this one; None when none are wanted


class Reach(NamedTuple):
    """How many lines around a chunk are wanted."""

    before: int
    after: int


class Read(NamedTuple):
    """Rows of the passages to show."""

    texts: dict[ChunkKey, HitText]
    definitions: dict[ChunkKey, list[EnclosingDefinition]]  # that share lines with the passage, in the file's order
    members: Callable[[int, str], Sequence[Member]]  # of a file and the qualified name of a type, by line


# Three kinds of rows by one statement: each takes the program a tenth of a millisecond, whatever it brings. A chunk
# has lines of its own, so that those around it are in as many chunks at most; only a very long line is cut inside.
# Of what is contained in an array the planner expects little, and so keeps one plan for all passages: to plan this
# anew takes as long as to run it.
_DEFINITIONS, _MEMBERS = 1, 2  # and 0: texts
_PASSAGES: LiteralString = (
    "WITH c AS MATERIALIZED (SELECT c.index_id, c.file_id, c.chunk_no, c.start_line, c.end_line, c.start_byte, "
    "c.content, c.block_type, c.hierarchy, c.symbol_no FROM (SELECT %(index_id)s::int AS index_id, * "
    "FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS u(file_id, chunk_no)) w "
    "JOIN {chunks} c USING (index_id, file_id, chunk_no)), "
    "d AS MATERIALIZED (SELECT c.file_id, c.chunk_no, s.start_line, s.end_line, s.kind, s.name, s.qualified_name, "
    "s.symbol_no, s.chunk_no = c.chunk_no AS starts_here, s.signature, s.start_line >= c.start_line AS is_head "
    "FROM c JOIN {symbols} s ON s.index_id = %(index_id)s AND s.file_id = c.file_id "
    "AND s.start_line <= c.end_line AND s.end_line >= c.start_line WHERE {of_symbol}) "
    "SELECT 0, c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, c.block_type, c.hierarchy, c.symbol_no, "
    "-(v.embedding <#> %(vector)s::halfvec), -(k.weights <#> %(idf)s::sparsevec), "
    "f.size_bytes, f.mtime_ns, f.content_hash, c.start_byte, n.start_line, n.content FROM c "
    "JOIN {keywords} k USING (index_id, file_id, chunk_no) LEFT JOIN {vectors} v USING (index_id, file_id, chunk_no) "
    "JOIN {files} f USING (index_id, file_id) "
    "LEFT JOIN LATERAL (SELECT min(n.start_line) AS start_line, string_agg(n.content, '' ORDER BY n.chunk_no) "
    "AS content FROM {chunks} n WHERE n.index_id = c.index_id AND n.file_id = c.file_id "
    "AND n.chunk_no BETWEEN c.chunk_no - %(before)s AND c.chunk_no + %(after)s "
    "AND n.end_line >= c.start_line - %(before)s AND n.start_line <= c.end_line + %(after)s "
    "AND %(before)s::int + %(after)s::int > 0) n ON true "
    "UNION ALL SELECT 1, file_id, chunk_no, start_line, end_line, kind, name, qualified_name, symbol_no, "
    "NULL, NULL, NULL, NULL, NULL, NULL, starts_here::int, signature FROM d "
    "UNION ALL SELECT 2, s.file_id, NULL, s.start_line, NULL, s.kind, s.name, owner, s.symbol_no, "
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT DISTINCT file_id, qualified_name AS owner FROM d "
    "WHERE is_head AND ARRAY[kind] <@ %(types)s::text[]) o JOIN {symbols} s ON s.index_id = %(index_id)s "
    "AND s.file_id = o.file_id AND s.qualified_name = owner || '.' || s.name"
)


def read_passages(
    conn: psycopg.Connection,
    target: Target,
    wanted: Sequence[ChunkKey],
    weights: QueryWeights,
    reach: Reach,
    types: Collection[str],
) -> Read:
    """The chunks to show with their exact scores, and the definitions around.

    Only definitions that pass the filters count; members do always.

    Args:
        types: kinds of definitions whose members are wanted, if they start in one of the chunks.
    """
    values = {
        "files": int_array([file_id for file_id, _ in wanted]),
        "numbers": int_array([chunk_no for _, chunk_no in wanted]),
        "before": reach.before,
        "after": reach.after,
        "types": text_array(types),
        "vector": weights.vector.text if weights.vector else None,
        "idf": sparse_literal(weights.idf),
        **parameters(target),
    }
    return _sorted_out(run(conn, statement(_PASSAGES, target), values))


def _sorted_out(rows: Rows) -> Read:
    """Sort the rows of the statement by kind."""
    members: list[tuple[int, int, tuple[int, str], Member]] = []
    by_owner: dict[tuple[int, str], list[Member]] = {}
    found = Read({}, {}, lambda *owner: by_owner.get(owner, ()))
    for row in rows:
        what, file_id, chunk_no, start_line, end_line, first, second, third, symbol_no = row[:9]
        if what == _MEMBERS:
            members.append((start_line, symbol_no, (file_id, third), Member(first, second, start_line)))
        elif what == _DEFINITIONS:
            starts_here, signature = row[15:]
            named = (file_id, chunk_no, symbol_no, first, second, third, signature)
            found.definitions.setdefault((file_id, chunk_no), []).append(
                EnclosingDefinition._make((*named, start_line, end_line, bool(starts_here)))
            )
        else:
            key = (file_id, chunk_no)
            found.texts[key] = HitText._make(row[1:])
    for definitions in found.definitions.values():
        definitions.sort(key=attrgetter("symbol_no"))
    for _, _, owner, member in sorted(members):
        by_owner.setdefault(owner, []).append(member)
    return found


def lines_of(
    conn: psycopg.Connection, target: Target, ranges: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int, int], list[tuple[int, str]]]:
    """(file_id, first line, last line) -> chunks that touch these lines as (start line, text), in order."""
    query = statement(
        "SELECT w.file_id, w.first, w.last, c.start_line, c.content "
        "FROM unnest(%(files)s::bigint[], %(firsts)s::int[], %(lasts)s::int[]) AS w(file_id, first, last) "
        "JOIN {chunks} c ON c.index_id = %(index_id)s AND c.file_id = w.file_id "
        "AND c.start_line <= w.last AND c.end_line >= w.first "
        "ORDER BY c.chunk_no",
        target,
    )
    found: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    columns = dict(zip(("files", "firsts", "lasts"), map(int_array, zip(*ranges, strict=True)), strict=True))
    for file_id, first, last, start_line, content in run(conn, query, {**columns, **parameters(target)}):
        found.setdefault((file_id, first, last), []).append((start_line, content))
    return found
