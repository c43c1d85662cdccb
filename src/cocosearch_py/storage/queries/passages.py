"""Statements that find passages by what stands in them, and by file and line."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.storage.queries.candidates import all_of
from cocosearch_py.storage.queries.search import ChunkKey, ScoredChunk, sparse_literal
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement, text_array
from cocosearch_py.storage.statements import run

_QUOTE = re.compile(r"\\?[\"'`]")
_SPACE = re.compile(r"(?:\\ |\s)+")
_BETWEEN_WORDS = r"\s+(?:[/#*;%-]+\s+)?"  # a comment goes on behind its marks
_LIKE_SPECIAL = re.compile(r"[\\%_]")


class Pattern(NamedTuple):
    """A regular expression of PostgreSQL, and whether it ignores case."""

    text: str
    ignore_case: bool


# OFFSET 0 keeps the order: terms, which an index finds; then the text of these passages; then the score of the rest.
_HOLDING_OF_TERMS: LiteralString = """
SELECT file_id, chunk_no, -(weights <#> %(idf)s::sparsevec) AS score FROM (
    SELECT file_id, chunk_no FROM (
        SELECT file_id, chunk_no FROM {keywords} k WHERE terms @@ %(terms)s::tsquery {restriction} OFFSET 0
    ) k JOIN {chunks} c USING (file_id, chunk_no)
    WHERE content ~ ALL(%(exact)s) AND content ~* ALL(%(folded)s) OFFSET 0
) held JOIN {keywords} w USING (file_id, chunk_no) ORDER BY score DESC, file_id, chunk_no LIMIT %(limit)s"""
_HOLDING_OF_ALL: LiteralString = """
SELECT file_id, chunk_no, -(weights <#> %(idf)s::sparsevec) AS score FROM (
    SELECT file_id, chunk_no FROM {chunks} k
    WHERE content ~ ALL(%(exact)s) AND content ~* ALL(%(folded)s) {restriction} OFFSET 0
) held JOIN {keywords} w USING (file_id, chunk_no) ORDER BY score DESC, file_id, chunk_no LIMIT %(limit)s"""


def phrase_pattern(text: str, *, ignore_case: bool) -> Pattern:
    """Text as it is, but for the width of its spaces and for backslashes before quotes."""
    escaped = _SPACE.sub(lambda _: _BETWEEN_WORDS, re.sub(r"([^\w\s])", r"\\\1", text))
    return Pattern(re.sub(r"\\([\"'`])", r"\\\\?\\\1", escaped), ignore_case)


def words_pattern(words: Sequence[str]) -> Pattern:
    """Whole words in this order with nothing but punctuation and space between them."""
    return Pattern(r"\m" + r"\W+".join(words) + r"\M", ignore_case=True)


def find_holding(
    conn: psycopg.Connection,
    target: Target,
    patterns: Sequence[Pattern],
    terms: Sequence[str],
    idf: dict[int, float],
    *,
    limit: int,
) -> list[ScoredChunk]:
    """Passages that match every pattern, best first by BM25F; only those with all of the terms are looked at."""
    query = statement(_HOLDING_OF_TERMS if terms else _HOLDING_OF_ALL, target)
    values = {
        "idf": sparse_literal(idf),
        "terms": all_of(terms),
        "exact": text_array([pattern.text for pattern in patterns if not pattern.ignore_case]),
        "folded": text_array([pattern.text for pattern in patterns if pattern.ignore_case]),
        "limit": limit,
        **parameters(target),
    }
    return [ScoredChunk(*row) for row in run(conn, query, values)]


def contents_of(conn: psycopg.Connection, target: Target, keys: Sequence[ChunkKey]) -> list[tuple[int, int, str]]:
    """(file_id, chunk_no, text) of the passages."""
    query = statement(
        "SELECT file_id, chunk_no, content "
        "FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS w(file_id, chunk_no) "
        "JOIN {chunks} c USING (file_id, chunk_no)",
        target,
    )
    files, numbers = zip(*keys, strict=True)
    values = {"files": int_array(files), "numbers": int_array(numbers), **parameters(target)}
    rows = run(conn, query, values)
    return [(file_id, chunk_no, text) for file_id, chunk_no, text in rows]


def files_named(conn: psycopg.Connection, target: Target, names: Sequence[str]) -> dict[str, int]:
    """Path -> file_id of the indexed files with one of the names, in any case."""
    query = statement("SELECT path, file_id FROM {files} f WHERE chunk_count > 0 AND path ILIKE ANY(%(ends)s)", target)
    escaped = [_LIKE_SPECIAL.sub(r"\\\g<0>", name) for name in names]
    values = {"ends": [*escaped, *("%/" + name for name in escaped)], **parameters(target)}
    return dict(conn.execute(query, values).fetchall())


class Passage(NamedTuple):
    """A passage at a line, and the innermost definition around the line."""

    file_id: int
    chunk_no: int
    symbol_no: int | None
    line: int | None = None  # None: no line was asked for


def passages_at(
    conn: psycopg.Connection, target: Target, places: Sequence[tuple[int, int | None]]
) -> list[Passage | None]:
    """For each (file_id, line) the passage with that line, that of the file's beginning without a line.

    None where the filters leave it out, or the file is shorter.
    """
    query = statement(
        "SELECT w.number, k.file_id, min(k.chunk_no), (SELECT symbol_no FROM {symbols} s WHERE s.file_id = k.file_id "
        "AND w.line BETWEEN s.start_line AND s.end_line ORDER BY s.start_line DESC, s.symbol_no DESC LIMIT 1) "
        "FROM unnest(%(files)s::bigint[], %(lines)s::int[]) WITH ORDINALITY AS w(file_id, line, number) "
        "JOIN {chunks} k ON k.file_id = w.file_id "
        "AND (w.line IS NULL OR w.line BETWEEN k.start_line AND k.end_line) WHERE true {restriction} "
        "GROUP BY w.number, w.line, k.file_id",
        target,
    )
    values = {
        "files": int_array([file_id for file_id, _ in places]),
        "lines": int_array([line for _, line in places]),
        **parameters(target),
    }
    found = {
        number: Passage(file_id, chunk_no, symbol_no, places[number - 1][1])
        for number, file_id, chunk_no, symbol_no in conn.execute(query, values).fetchall()
    }
    return [found.get(number) for number in range(1, len(places) + 1)]


def line_counts(conn: psycopg.Connection, target: Target, file_ids: Sequence[int]) -> dict[int, int]:
    """Number of lines of each of the files."""
    query = statement("SELECT file_id, line_count FROM {files} f WHERE file_id = ANY(%(ids)s)", target)
    return dict(conn.execute(query, {**parameters(target), "ids": int_array(file_ids)}).fetchall())


class PassageText(NamedTuple):
    """A passage with its text."""

    file_id: int
    chunk_no: int
    start_line: int
    content: str


def passages_matching(conn: psycopg.Connection, target: Target, patterns: Mapping[int, str]) -> list[PassageText]:
    """The passages of some files in which a line matches, in the order of the files.

    Args:
        patterns: file_id -> regular expression of PostgreSQL, in any case; in it, ^ is the beginning of a line.
    """
    query = statement(
        "SELECT file_id, chunk_no, start_line, content "
        "FROM unnest(%(files)s::bigint[], %(patterns)s::text[]) AS w(file_id, pattern) JOIN {chunks} k USING (file_id) "
        "WHERE content ~ pattern {restriction} ORDER BY file_id, chunk_no",
        target,
    )
    values = {
        "files": int_array(patterns),
        "patterns": text_array([f"(?in){pattern}" for pattern in patterns.values()]),
        **parameters(target),
    }
    return [PassageText(*row) for row in run(conn, query, values)]


class EnclosingDefinition(NamedTuple):
    """A definition that shares lines with a passage."""

    file_id: int
    chunk_no: int
    symbol_no: int
    kind: str
    name: str
    qualified_name: str
    signature: str
    start_line: int
    end_line: int
    starts_here: bool  # in this passage


class NamedDefinition(NamedTuple):
    """A definition that starts in a passage, or that the passage is about, as far as its name tells."""

    file_id: int
    chunk_no: int
    symbol_no: int
    kind: str
    name: str
    starts_here: bool  # in this passage


# One look at each file's definitions: those that start in one of the passages, or that a passage is about. OFFSET 0
# keeps the cheap tests first.
_NAMED_IN: LiteralString = (
    "WITH c AS MATERIALIZED (SELECT file_id, chunk_no, symbol_no FROM (SELECT %(index_id)s::int AS index_id, * "
    "FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS u(file_id, chunk_no)) w "
    "JOIN {chunks} c USING (index_id, file_id, chunk_no)), "
    "s AS MATERIALIZED (SELECT found.* FROM (SELECT file_id, array_agg(chunk_no) AS chunks, "
    "array_agg(symbol_no) AS symbols FROM c GROUP BY file_id) w CROSS JOIN LATERAL (SELECT * FROM "
    "(SELECT * FROM {symbols} s WHERE s.index_id = %(index_id)s AND s.file_id = w.file_id "
    "AND (s.chunk_no = ANY(w.chunks) OR s.symbol_no = ANY(w.symbols)) AND kind = ANY(%(of_kinds)s) OFFSET 0) s "
    "WHERE name_key LIKE ANY(%(alike)s) AND {of_symbol}) found) "
    "SELECT c.file_id, c.chunk_no, s.symbol_no, s.kind, s.name, s.chunk_no = c.chunk_no FROM s JOIN c "
    "ON c.file_id = s.file_id AND (c.chunk_no = s.chunk_no OR c.symbol_no = s.symbol_no) "
    "ORDER BY c.file_id, c.chunk_no, s.symbol_no"
)


def find_named(
    conn: psycopg.Connection, target: Target, keys: Sequence[ChunkKey], kinds: Collection[str], starts: Sequence[str]
) -> dict[ChunkKey, list[NamedDefinition]]:
    """Definitions that start in passages or that these are about, and that pass the filters.

    They come by passage and in the file's order.

    Args:
        kinds: of the definitions.
        starts: of words, in letters and digits; one of them stands in the lookup key of each name.
    """
    if not keys:
        return {}
    files, numbers = zip(*keys, strict=True)
    values = {
        "files": int_array(files),
        "numbers": int_array(numbers),
        "of_kinds": text_array(kinds),
        "alike": text_array([f"%{start}%" for start in starts]),
        **parameters(target),
    }
    by_passage: dict[ChunkKey, list[NamedDefinition]] = {}
    for row in run(conn, statement(_NAMED_IN, target), values):
        by_passage.setdefault(row[:2], []).append(NamedDefinition._make(row))
    return by_passage
