"""Statements about tables grams and posted_files: what a run posts, and what a search asks of it."""

from collections.abc import Iterator, Sequence
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement
from cocosearch_py.storage.schema.partitions import rows_of

_MOST_LISTS = 4  # of a text in a segment, the shortest; more take longer to read than they leave out

# Files in the order of answers, see `lines`.
_FILES: LiteralString = (
    "SELECT file_id, chunk_count FROM {} f WHERE chunk_count > 0 "
    "ORDER BY coalesce(array_position(%(classes)s::text[], content_class), 0), path"
)
_TEXTS: LiteralString = (
    "SELECT c.content FROM unnest(%(files)s::bigint[]) WITH ORDINALITY AS w(file_id, number) "
    "JOIN {} c ON c.index_id = %(index_id)s AND c.file_id = w.file_id ORDER BY w.number, c.chunk_no"
)
_LISTS: LiteralString = """
WITH wanted AS (
    SELECT * FROM unnest(%(texts)s::int[], %(grams)s::int[]) AS w(text, gram)
), found AS (
    SELECT w.text, g.segment, g.chunk_count, g.chunks,
        row_number() OVER (PARTITION BY w.text, g.segment ORDER BY g.chunk_count) AS place,
        count(*) OVER (PARTITION BY w.text, g.segment) AS grams
    FROM wanted w JOIN {grams} g ON g.index_id = %(index_id)s AND g.gram = w.gram
)
SELECT text, segment, grams, chunks FROM found WHERE place <= %(most)s ORDER BY text, segment, place"""
_NUMBERS: LiteralString = (
    "SELECT p.first_chunk, p.first_chunk + f.chunk_count FROM {posted_files} p JOIN {files} f "
    "ON f.index_id = %(index_id)s AND f.file_id = p.file_id "
    "WHERE p.index_id = %(index_id)s AND p.file_id = %(file)s AND p.first_chunk IS NOT NULL"
)
_END: LiteralString = (
    "SELECT p.first_chunk + f.chunk_count FROM {posted_files} p JOIN {files} f "
    "ON f.index_id = %(index_id)s AND f.file_id = p.file_id "
    "WHERE p.first_chunk IS NOT NULL ORDER BY p.first_chunk DESC LIMIT 1"
)


def files_to_post(conn: psycopg.Connection, index_id: int) -> list[tuple[int, int]]:
    """Id and number of chunks of every file that has some, in the order of answers."""
    query = sql.SQL(_FILES).format(rows_of("files", index_id))
    return conn.cursor(binary=True).execute(query, {"classes": list(ContentClass), "index_id": index_id}).fetchall()


def texts_of_files(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> Iterator[str]:
    """Texts of all chunks of these files, in their order."""
    query = sql.SQL(_TEXTS).format(rows_of("chunks", index_id))
    values = {"files": int_array(file_ids), "index_id": index_id}
    for (text,) in conn.cursor(binary=True).execute(query, values):
        yield text


class Posted(NamedTuple):
    """How much of an index tables grams and posted_files tell; chunks of files."""

    posted: int
    newer: int


def how_much(conn: psycopg.Connection, index_id: int) -> Posted | None:
    """None when they tell nothing."""
    query = sql.SQL(
        "SELECT count(*), coalesce(sum(chunk_count) FILTER (WHERE first_chunk IS NOT NULL), 0)::bigint, "
        "coalesce(sum(chunk_count) FILTER (WHERE first_chunk IS NULL), 0)::bigint "
        "FROM {} p JOIN {} f USING (file_id)"
    ).format(rows_of("posted_files", index_id), rows_of("files", index_id))
    row = conn.execute(query, {"index_id": index_id}).fetchone()
    return Posted(row[1], row[2]) if row and row[0] else None


class PostedList(NamedTuple):
    """Chunks of a segment that hold a gram of a text; `grams` is the number of its grams that any chunk there holds."""

    text: int
    segment: int
    grams: int
    chunks: bytes


def lists_of(conn: psycopg.Connection, target: Target, texts: Sequence[set[int]]) -> list[PostedList]:
    """For each text, given by its grams, and each segment the shortest lists, by length."""
    pairs = [(number, gram) for number, grams in enumerate(texts) for gram in grams]
    values = {
        "texts": int_array([number for number, _ in pairs]),
        "grams": int_array([gram for _, gram in pairs]),
        "most": _MOST_LISTS,
        **parameters(target),
    }
    rows = conn.cursor(binary=True).execute(statement(_LISTS, target), values).fetchall()
    return [PostedList(*row) for row in rows]


def numbers_of_file(conn: psycopg.Connection, target: Target, path: str) -> range | None:
    """Numbers of the chunks of a file; None if it has none."""
    query = statement(_NUMBERS, target)
    row = conn.execute(query, {"file": file_id_of(path), **parameters(target)}).fetchone()
    return range(*row) if row else None


def end_of_numbers(conn: psycopg.Connection, target: Target) -> int:
    """The number after that of the last posted chunk; 0 when none is."""
    row = conn.execute(statement(_END, target), parameters(target)).fetchone()
    return row[0] if row else 0
