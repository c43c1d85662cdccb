"""Statements that find lines by what stands in them. The server matches: moving the text out of it costs as much."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import LiteralString, NamedTuple, TypeVar

import psycopg

from cocosearch_py.model.files import ContentClass, FileVersion
from cocosearch_py.model.texts import TextCursor, TextPattern, TextRequest
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement

T = TypeVar("T")

# Code, then tests, documents, ..., what others wrote: the order of ContentClass.
_CLASS_NO: LiteralString = "coalesce(array_position(%(classes)s::text[], f.content_class), 0)"
_TEXT: LiteralString = "CASE WHEN right(content, 1) = E'\\n' THEN left(content, -1) ELSE content END"
_LINES: LiteralString = f"string_to_table({_TEXT}, E'\\n') WITH ORDINALITY AS l(line, n)"
# What matches nothing at all also matches behind the last line end, where no line is.
_ON_A_LINE: LiteralString = f"('' !~ %(regex)s OR {_TEXT} ~ ('(?n)' || %(regex)s))"
_AFTER: LiteralString = (
    "WHERE ({class_no}, f.path) > (coalesce((SELECT {class_no} FROM {files} f WHERE path = %(path)s), 0), %(path)s)"
)
_AFTER_LINE: LiteralString = _AFTER + " OR (f.path = %(path)s AND h.end_line > %(line)s)"
_UNSEEN: LiteralString = "AND NOT (p.path = %(path)s AND c.start_line + l.n - 1 <= %(line)s)"

# Passages that match: of all, or of those that are given.
_HELD: LiteralString = "SELECT file_id, chunk_no, end_line FROM {chunks} k WHERE {passage} {restriction}"
_GIVEN: LiteralString = (
    "SELECT * FROM unnest(%(files)s::bigint[], %(numbers)s::int[], %(ends)s::int[]) AS g(file_id, chunk_no, end_line)"
)
# OFFSET 0 keeps the planner from reading all chunks to find these few by their keys.
_OF_NUMBERS: LiteralString = """
SELECT n.number, k.file_id, k.chunk_no, k.end_line
FROM unnest(%(posted)s::int[]) AS n(number) CROSS JOIN LATERAL (
    SELECT file_id, first_chunk FROM {posted_files} p WHERE p.index_id = %(index_id)s AND p.first_chunk <= n.number
    ORDER BY p.first_chunk DESC LIMIT 1
) p CROSS JOIN LATERAL (
    SELECT * FROM {chunks} c
    WHERE c.index_id = %(index_id)s AND c.file_id = p.file_id AND c.chunk_no = n.number - p.first_chunk OFFSET 0
) k WHERE {passage} {restriction_by_row} ORDER BY n.number"""
_OF_NEWER: LiteralString = """
SELECT NULL::int, k.file_id, k.chunk_no, k.end_line
FROM {posted_files} p JOIN {chunks} k ON k.index_id = %(index_id)s AND k.file_id = p.file_id
WHERE p.index_id = %(index_id)s AND p.first_chunk IS NULL AND {passage} {restriction_by_row}"""

_PAGE_OF_LINES: LiteralString = """
WITH held AS MATERIALIZED ({held}), page AS (
    SELECT h.file_id, h.chunk_no, f.path, f.size_bytes, f.mtime_ns, f.content_hash, {class_no} AS class_no
    FROM held h JOIN {files} f USING (file_id) {after}
    ORDER BY class_no, path, chunk_no LIMIT %(limit)s
), found AS (
    SELECT p.path, p.file_id, (c.start_line + l.n - 1)::int AS number, {column} AS at, l.line,
        p.size_bytes, p.mtime_ns, p.content_hash
    FROM page p JOIN {chunks} c USING (file_id, chunk_no) CROSS JOIN LATERAL {lines} WHERE {line} {unseen}
    ORDER BY p.class_no, p.path, p.chunk_no, l.n LIMIT %(limit)s
)
SELECT n.files, n.passages, found.*
FROM (SELECT count(DISTINCT file_id) AS files, count(*) AS passages FROM held) n LEFT JOIN found ON true"""
_PAGE_OF_FILES: LiteralString = """
WITH held AS MATERIALIZED (SELECT DISTINCT file_id FROM ({held}) h), page AS (
    SELECT path, size_bytes, mtime_ns, content_hash FROM held JOIN {files} f USING (file_id) {after}
    ORDER BY {class_no}, path LIMIT %(limit)s
)
SELECT n.files, page.* FROM (SELECT count(*) AS files FROM held) n LEFT JOIN page ON true"""
_COUNT: LiteralString = """
SELECT count(DISTINCT file_id), coalesce(sum(lines), 0)::bigint FROM (
    SELECT k.file_id, (SELECT count(*) FROM {lines} WHERE {line}) AS lines FROM {matching}
) counted"""
_ALL: LiteralString = "{chunks} k WHERE {passage} {restriction}"
_ALL_GIVEN: LiteralString = (
    f"({_GIVEN}) k JOIN {{chunks}} c ON c.index_id = %(index_id)s AND c.file_id = k.file_id AND c.chunk_no = k.chunk_no"
)


class _Tests(NamedTuple):
    """A pattern as conditions on a passage and on one of its lines, and where it begins there, from 1."""

    passage: LiteralString
    line: LiteralString
    column: LiteralString


# By whether case is ignored, and whether there is a regular expression.
_TESTS: Mapping[tuple[bool, bool], _Tests] = {
    (False, False): _Tests(
        "strpos(content, %(literal)s) > 0", "strpos(line, %(literal)s) > 0", "strpos(line, %(literal)s)"
    ),
    (True, False): _Tests(
        "strpos(lower(content), lower(%(literal)s)) > 0",
        "strpos(lower(line), lower(%(literal)s)) > 0",
        "strpos(lower(line), lower(%(literal)s))",
    ),
    (False, True): _Tests(
        f"strpos(content, %(literal)s) > 0 AND content ~ ('(?n)' || %(regex)s) AND {_ON_A_LINE}",
        "line ~ %(regex)s",
        "regexp_instr(line, %(regex)s)",
    ),
    (True, True): _Tests(
        "strpos(lower(content), lower(%(literal)s)) > 0 AND content ~* ('(?n)' || %(regex)s) "
        f"AND {_ON_A_LINE.replace('~', '~*')}",
        "line ~* %(regex)s",
        "regexp_instr(line, %(regex)s, 1, 1, 0, 'i')",
    ),
}


class Passage(NamedTuple):
    """A passage that matches; `number` is its own in table grams, if it is there."""

    number: int | None
    file_id: int
    chunk_no: int
    end_line: int


def _filled(text: LiteralString, pattern: TextPattern, **parts: LiteralString) -> LiteralString:
    """A statement with its parts and the tests of a pattern in their places."""
    tests = _TESTS[pattern.ignore_case, pattern.regex is not None]
    filling: dict[str, LiteralString] = {**parts, "lines": _LINES, "class_no": _CLASS_NO, **tests._asdict()}
    for name, part in filling.items():
        text = text.replace("{" + name + "}", part)
    return text


class FoundLine(NamedTuple):
    """A line that matches, and where."""

    path: str
    file_id: int
    line: int
    column: int
    text: str
    version: FileVersion


class FoundLines(NamedTuple):
    """Lines of a page, and how many files and passages match in all."""

    lines: list[FoundLine]
    files: int
    passages: int


Given = Sequence[Passage] | None


def matching_of(
    conn: psycopg.Connection, target: Target, pattern: TextPattern, numbers: Sequence[int]
) -> list[Passage]:
    """Those of the passages with these numbers that match."""
    values = {"posted": int_array(numbers), **_pattern_values(pattern), **parameters(target)}
    rows = conn.execute(statement(_filled(_OF_NUMBERS, pattern), target), values).fetchall()
    return [Passage(*row) for row in rows]


def matching_newer(conn: psycopg.Connection, target: Target, pattern: TextPattern) -> list[Passage]:
    """Passages that match in files that table grams does not know, or not as they are now."""
    values = {**_pattern_values(pattern), **parameters(target)}
    rows = conn.execute(statement(_filled(_OF_NEWER, pattern), target), values).fetchall()
    return [Passage(*row) for row in rows]


def find_lines(conn: psycopg.Connection, target: Target, request: TextRequest, given: Given = None) -> FoundLines:
    """Lines that match, one more than asked for if there are more; code first (see _CLASS_NO), then by path.

    Args:
        given: all passages that match and may be on the page; None to look at every passage.
    """
    after, unseen = (_AFTER_LINE, _UNSEEN) if request.after else ("", "")
    held = _HELD if given is None else _GIVEN
    query = statement(_filled(_PAGE_OF_LINES, request.pattern, held=held, after=after, unseen=unseen), target)
    rows = conn.execute(query, _values(target, request, given)).fetchall()
    found = [
        FoundLine(path, file_id, line, column, text, FileVersion(*version))
        for _, _, path, file_id, line, column, text, *version in rows
        if path is not None
    ]
    return FoundLines(found, rows[0][0], rows[0][1])


def find_files(
    conn: psycopg.Connection, target: Target, request: TextRequest, given: Given = None
) -> tuple[dict[str, FileVersion], int]:
    """Files with a match, in the same order and one more if there are more; and how many there are in all."""
    held, after = _HELD if given is None else _GIVEN, _AFTER if request.after else ""
    query = statement(_filled(_PAGE_OF_FILES, request.pattern, held=held, after=after), target)
    rows = conn.execute(query, _values(target, request, given)).fetchall()
    return {path: FileVersion(*version) for _, path, *version in rows if path is not None}, rows[0][0]


def count_lines(conn: psycopg.Connection, target: Target, request: TextRequest, given: Given = None) -> tuple[int, int]:
    """(files with a match, matching lines)."""
    matching = _ALL if given is None else _ALL_GIVEN
    query = statement(_filled(_COUNT, request.pattern, matching=matching), target)
    row = conn.execute(query, _values(target, request, given)).fetchone()
    return (row[0], row[1]) if row else (0, 0)


def _pattern_values(pattern: TextPattern) -> dict[str, object]:
    return {"literal": pattern.literal, "regex": pattern.regex}


def _values(target: Target, request: TextRequest, given: Given) -> dict[str, object]:
    after = request.after or TextCursor("", 0)
    passages = given or ()
    return {
        **_pattern_values(request.pattern),
        "files": int_array(passage.file_id for passage in passages),
        "numbers": int_array(passage.chunk_no for passage in passages),
        "ends": int_array(passage.end_line for passage in passages),
        "classes": list(ContentClass),
        "path": after.path,
        "line": after.line,
        "limit": request.limit + 1,
        **parameters(target),
    }


class Around(NamedTuple):
    """The innermost definition around a line."""

    kind: str
    name: str
    start_line: int
    end_line: int


def definitions_around(
    conn: psycopg.Connection, target: Target, places: Sequence[tuple[int, int]]
) -> list[Around | None]:
    """For each (file_id, line) the innermost definition around it."""
    query = statement(
        "SELECT w.number, s.kind, s.qualified_name, s.start_line, s.end_line "
        "FROM unnest(%(files)s::bigint[], %(lines)s::int[]) WITH ORDINALITY AS w(file_id, line, number) "
        "CROSS JOIN LATERAL (SELECT * FROM {symbols} s WHERE s.file_id = w.file_id "
        "AND w.line BETWEEN s.start_line AND s.end_line ORDER BY s.start_line DESC, s.symbol_no DESC LIMIT 1) s",
        target,
    )
    files, lines = int_array([file_id for file_id, _ in places]), int_array([line for _, line in places])
    rows = conn.execute(query, {"files": files, "lines": lines, **parameters(target)}).fetchall()
    found = {number: Around(*row) for number, *row in rows}
    return [found.get(number) for number in range(1, len(places) + 1)]


def within(conn: psycopg.Connection, milliseconds: int, work: Callable[[], T]) -> T | None:
    """What `work` reads; None when one of its statements took longer."""
    started = time.perf_counter()
    try:
        with conn.transaction():
            conn.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
            return work()
    except psycopg.errors.QueryCanceled:
        if (time.perf_counter() - started) * 1000 < milliseconds:
            raise  # nobody waits for it any more
        return None
