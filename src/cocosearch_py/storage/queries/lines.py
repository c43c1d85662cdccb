"""Statements that find lines by what stands in them. The server matches: moving the text out of it costs as much."""

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, LiteralString, NamedTuple, TypeVar

import psycopg

from cocosearch_py.model.files import ContentClass, FileVersion
from cocosearch_py.model.texts import TextCursor, TextRequest
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement

T = TypeVar("T")

# Code, then tests, documents, ..., what others wrote: the order of ContentClass.
_CLASS_NO: LiteralString = "coalesce(array_position(%(classes)s::text[], f.content_class), 0)"
_TEXT: LiteralString = "CASE WHEN right(content, 1) = E'\\n' THEN left(content, -1) ELSE content END"
_LINES: LiteralString = f"string_to_table({_TEXT}, E'\\n') WITH ORDINALITY AS l(line, n)"
# What matches nothing at all also matches behind the last line end, where no line is.
_ON_A_LINE: LiteralString = f"('' !~ %(regex)s OR {_TEXT} ~ ('(?n)' || %(regex)s))"
# Conditions on a passage, by whether case is ignored. The second one says the same to an index of trigrams.
HOLDING: Mapping[bool, LiteralString] = {
    False: "strpos(content, %(literal)s) > 0 AND content LIKE %(like)s",
    True: "strpos(lower(content), lower(%(literal)s)) > 0 AND content ILIKE %(like)s",
}
_AFTER: LiteralString = (
    "WHERE ({class_no}, f.path) > (coalesce((SELECT {class_no} FROM {files} f WHERE path = %(path)s), 0), %(path)s)"
)
_AFTER_LINE: LiteralString = _AFTER + " OR (f.path = %(path)s AND m.end_line > %(line)s)"
_UNSEEN: LiteralString = "AND NOT (p.path = %(path)s AND c.start_line + l.n - 1 <= %(line)s)"

# Passages that match, in no order, at most `most`.
_MATCHING: LiteralString = (
    "SELECT file_id, chunk_no, end_line FROM {chunks} k WHERE {passage} {restriction} {among} LIMIT %(most)s"
)
_AMONG: LiteralString = "AND k.index_id = %(index_id)s AND k.file_id = ANY(%(files)s::bigint[])"
_PAGE_OF_LINES: LiteralString = """
WITH matching AS MATERIALIZED (<matching>), page AS (
    SELECT m.file_id, m.chunk_no, f.path, f.size_bytes, f.mtime_ns, f.content_hash, {class_no} AS class_no
    FROM matching m JOIN {files} f USING (file_id) {after}
    ORDER BY class_no, path, chunk_no LIMIT %(limit)s
), found AS (
    SELECT p.path, p.size_bytes, p.mtime_ns, p.content_hash,
        p.file_id, (c.start_line + l.n - 1)::int AS number, {column} AS at, l.line
    FROM page p JOIN {chunks} c USING (file_id, chunk_no) CROSS JOIN LATERAL {lines} WHERE {line} {unseen}
    ORDER BY p.class_no, p.path, p.chunk_no, l.n LIMIT %(limit)s
)
SELECT n.files, n.passages, found.*
FROM (SELECT count(DISTINCT file_id) AS files, count(*) AS passages FROM matching) n LEFT JOIN found ON true
""".replace("<matching>", _MATCHING)
_PAGE_OF_FILES: LiteralString = """
WITH matching AS MATERIALIZED (SELECT file_id, count(*) AS passages FROM (<matching>) m GROUP BY 1), page AS (
    SELECT path, size_bytes, mtime_ns, content_hash FROM matching JOIN {files} f USING (file_id) {after}
    ORDER BY {class_no}, path LIMIT %(limit)s
)
SELECT n.files, n.passages, page.*
FROM (SELECT count(*) AS files, coalesce(sum(passages), 0)::bigint AS passages FROM matching) n
LEFT JOIN page ON true""".replace("<matching>", _MATCHING)
_FILES_UP_TO: LiteralString = (
    "SELECT file_id FROM {files} f WHERE {of_file} AND ({class_no}, f.path) <= "
    "((SELECT {class_no} FROM {files} f WHERE path = %(last)s), %(last)s)"
)
_COUNT: LiteralString = """
SELECT count(DISTINCT file_id), coalesce(sum(lines), 0)::bigint FROM (
    SELECT k.file_id, (SELECT count(*) FROM {lines} WHERE {line}) AS lines FROM {chunks} k
    WHERE {passage} {restriction}
) counted"""


class _Tests(NamedTuple):
    """A pattern as conditions on a passage and on one of its lines, and where it begins there, from 1."""

    passage: LiteralString
    line: LiteralString
    column: LiteralString


# By whether case is ignored, and whether there is a regular expression.
_TESTS: Mapping[tuple[bool, bool], _Tests] = {
    (False, False): _Tests(
        HOLDING[False],
        "strpos(line, %(literal)s) > 0",
        "strpos(line, %(literal)s)",
    ),
    (True, False): _Tests(
        HOLDING[True],
        "strpos(lower(line), lower(%(literal)s)) > 0",
        "strpos(lower(line), lower(%(literal)s))",
    ),
    (False, True): _Tests(
        f"{HOLDING[False]} AND content ~ ('(?n)' || %(regex)s) AND {_ON_A_LINE}",
        "line ~ %(regex)s",
        "regexp_instr(line, %(regex)s)",
    ),
    (True, True): _Tests(
        f"{HOLDING[True]} AND content ~* ('(?n)' || %(regex)s) AND {_ON_A_LINE.replace('~', '~*')}",
        "line ~* %(regex)s",
        "regexp_instr(line, %(regex)s, 1, 1, 0, 'i')",
    ),
}


class FoundFile(NamedTuple):
    """A file with a match."""

    path: str
    version: FileVersion


class FoundLine(NamedTuple):
    """A matching line and its place."""

    path: str
    version: FileVersion
    file_id: int
    line: int
    column: int
    text: str


F = TypeVar("F", FoundFile, FoundLine)


class Page(NamedTuple, Generic[F]):
    """Items of a page, one more if there are more; and the number of files and passages that were found to match."""

    items: list[F]
    files: int
    passages: int


def find_lines(
    conn: psycopg.Connection,
    target: Target,
    request: TextRequest,
    most: int | None = None,
    files: Collection[int] | None = None,
) -> Page[FoundLine]:
    """Find lines that match, code first (see _CLASS_NO), then by path.

    Args:
        most: maximum number of matching passages to look for; if there are more, any of them.
        files: search only these.
    """
    after, unseen = (_AFTER_LINE, _UNSEEN) if request.after else ("", "")
    rows = _execute(conn, target, request, _PAGE_OF_LINES, most, files, after=after, unseen=unseen)
    lines = [FoundLine(row[2], FileVersion(*row[3:6]), *row[6:]) for row in rows if row[2] is not None]
    return Page(lines, rows[0][0], rows[0][1])


def find_files(
    conn: psycopg.Connection,
    target: Target,
    request: TextRequest,
    most: int | None = None,
    files: Collection[int] | None = None,
) -> Page[FoundFile]:
    """Find files with a match, in the same order; see `find_lines`."""
    rows = _execute(conn, target, request, _PAGE_OF_FILES, most, files, after=_AFTER if request.after else "")
    return Page([FoundFile(row[2], FileVersion(*row[3:])) for row in rows if row[2] is not None], *rows[0][:2])


def files_up_to(conn: psycopg.Connection, target: Target, path: str) -> list[int]:
    """Ids of the files up to this one, in the order of answers."""
    query = statement(_FILES_UP_TO.replace("{class_no}", _CLASS_NO), target)
    values = {"last": path, "classes": list(ContentClass), **parameters(target)}
    return [file_id for (file_id,) in conn.execute(query, values).fetchall()]


def count_lines(conn: psycopg.Connection, target: Target, request: TextRequest) -> tuple[int, int]:
    """(files with a match, matching lines)."""
    row = _execute(conn, target, request, _COUNT)[0]
    return row[0], row[1]


def holding(literal: str) -> dict[str, str]:
    """Parameters of `HOLDING`."""
    return {"literal": literal, "like": "%" + re.sub(r"([\\%_])", r"\\\1", literal) + "%"}


def _execute(
    conn: psycopg.Connection,
    target: Target,
    request: TextRequest,
    text: LiteralString,
    most: int | None = None,
    files: Collection[int] | None = None,
    **parts: LiteralString,
) -> list[tuple[Any, ...]]:
    tests = _TESTS[request.pattern.ignore_case, request.pattern.regex is not None]
    among = "" if files is None else _AMONG
    filling = {**parts, "among": among, "lines": _LINES, "class_no": _CLASS_NO, **tests._asdict()}
    for name, part in filling.items():
        text = text.replace("{" + name + "}", part)
    after = request.after or TextCursor("", 0)
    values = {
        **holding(request.pattern.literal),
        "regex": request.pattern.regex,
        "files": int_array(files or ()),
        "classes": list(ContentClass),
        "path": after.path,
        "line": after.line,
        "limit": request.limit + 1,
        "most": most,
        **parameters(target),
    }
    # Planned for each pattern, which decides whether trigrams help.
    return conn.execute(statement(text, target), values, prepare=False).fetchall()


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
    """Return the result of `work`; None when one of its statements took longer."""
    started = time.perf_counter()
    try:
        with conn.transaction():
            conn.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
            return work()
    except psycopg.errors.QueryCanceled:
        if (time.perf_counter() - started) * 1000 < milliseconds:
            raise  # nobody waits for it any more
        return None
