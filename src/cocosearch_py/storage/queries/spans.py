"""Statements that find matches over several lines: files are put together from their passages and searched whole."""

from collections.abc import Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.files import ContentClass, FileVersion
from cocosearch_py.model.texts import TextCursor, TextPattern
from cocosearch_py.storage.queries.lines import HOLDING, holding
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement

# In the order of answers, see `lines`; files of passages that match, or all.
_CLASS_NO: LiteralString = "coalesce(array_position(%(classes)s::text[], k.content_class), 0)"
_CANDIDATES: LiteralString = """
SELECT k.file_id, k.path, k.size_bytes, k.mtime_ns, k.content_hash FROM {files} k
WHERE k.file_id IN (SELECT c.file_id FROM {chunks} c WHERE <holding>) {restriction}
    AND (<class_no>, k.path) >= (coalesce((SELECT <class_no> FROM {files} k WHERE path = %(path)s), 0), %(path)s)
ORDER BY <class_no>, path""".replace("<class_no>", _CLASS_NO)
# OFFSET 0 keeps the planner from reading all chunks to find those of few files.
_TEXTS: LiteralString = """
SELECT w.file_id, t.content FROM unnest(%(files)s::bigint[]) WITH ORDINALITY AS w(file_id, place)
CROSS JOIN LATERAL (
    SELECT string_agg(c.content, '' ORDER BY c.chunk_no) AS content FROM {chunks} c
    WHERE c.index_id = %(index_id)s AND c.file_id = w.file_id OFFSET 0
) t WHERE t.content ~ %(regex)s"""
_MATCHING: LiteralString = "SELECT file_id FROM (<texts> ORDER BY w.place) matching".replace("<texts>", _TEXTS)
# One match after the other, each from where the one before ends, or one further if that is empty. Where a match
# begins is the same however far it goes. Each takes as long as the file: no more of them are found than are needed.
_SPANS: LiteralString = """
WITH RECURSIVE texts AS MATERIALIZED (<texts>), spans(file_id, number, first, after) AS (
    SELECT t.file_id, 1, b.first, <after>
    FROM texts t CROSS JOIN LATERAL regexp_instr(t.content, %(regex)s) AS b(first)
    UNION ALL
    SELECT t.file_id, s.number + 1, b.first, <after>
    FROM spans s JOIN texts t USING (file_id)
    CROSS JOIN LATERAL regexp_instr(t.content, %(regex)s, greatest(s.after, s.first + 1)) AS b(first)
    WHERE b.first > 0 AND s.number < %(most)s
)
SELECT t.file_id, t.content, array_agg(s.first ORDER BY s.first), array_agg(s.after ORDER BY s.first)
FROM texts t JOIN spans s USING (file_id) GROUP BY 1, 2""".replace("<texts>", _TEXTS)
_PLAIN: LiteralString = "regexp_instr(t.content, %(regex)s, b.first, 1, 1)"
_TO_END: LiteralString = (
    "(SELECT max(regexp_instr(t.content, %(to_end)s, b.first, 1, 0, '', n)) FROM generate_series(1, %(branches)s) n)"
)


class KnownText(NamedTuple):
    """A file whose text may match."""

    file_id: int
    path: str
    version: FileVersion


class Spans(NamedTuple):
    """Where a text matches: places of first characters, and of those after the last ones, from 1."""

    content: str
    first: list[int]
    after: list[int]


def candidates(
    conn: psycopg.Connection, target: Target, pattern: TextPattern, after: TextCursor | None = None
) -> list[KnownText]:
    """Files that may match, from that of `after` on, in the order of answers."""
    condition = HOLDING[pattern.ignore_case] if pattern.literal else "true"
    query = statement(_CANDIDATES.replace("<holding>", condition), target)
    values = {
        **holding(pattern.literal),
        "classes": list(ContentClass),
        "path": after.path if after else "",
        **parameters(target),
    }
    rows = conn.execute(query, values, prepare=False).fetchall()
    return [KnownText(file_id, path, FileVersion(*version)) for file_id, path, *version in rows]


def matching(conn: psycopg.Connection, target: Target, pattern: TextPattern, files: Sequence[int]) -> list[int]:
    """Those of the files that match, in their order."""
    values = {"files": int_array(files), "regex": pattern.regex, **parameters(target)}
    return [file_id for (file_id,) in conn.execute(statement(_MATCHING, target), values).fetchall()]


def spans_of(
    conn: psycopg.Connection, target: Target, pattern: TextPattern, files: Sequence[int], most: int
) -> dict[int, Spans]:
    """The first matches in each file, at most `most`, by file_id."""
    values = {
        "files": int_array(files),
        "regex": pattern.regex,
        "to_end": pattern.to_end,
        "branches": pattern.branches,
        "most": most,
        **parameters(target),
    }
    query = _SPANS.replace("<after>", _TO_END if pattern.branches else _PLAIN)
    rows = conn.execute(statement(query, target), values).fetchall()
    return {file_id: Spans(*found) for file_id, *found in rows}
