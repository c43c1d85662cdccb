"""Statements that find tests: in files, by their names, by the names of their files."""

from collections.abc import Collection
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement

_MOST = 2_000  # tests by name
_IN_FILES: LiteralString = """
SELECT file_id, kind, name, qualified_name, start_line, end_line FROM {symbols} s
WHERE is_test AND file_id = ANY(%(files)s::bigint[]) ORDER BY file_id, symbol_no"""
_NAMED: LiteralString = """
SELECT file_id, kind, name, qualified_name, start_line, end_line FROM {symbols} s
WHERE is_test AND (name_key ~ %(own)s OR replace(lower(qualified_name), '_', '') ~ %(owner)s)
ORDER BY file_id, symbol_no LIMIT %(most)s"""
_FILES: LiteralString = """
SELECT file_id FROM {files} f
WHERE status = 'indexed' AND content_class = 'tests' AND lower(path) ~ %(pattern)s ORDER BY path LIMIT %(most)s"""


class StoredTest(NamedTuple):
    """A test; lines from 1, inclusive."""

    file_id: int
    kind: str
    name: str
    qualified_name: str
    start_line: int
    end_line: int


def tests_in(conn: psycopg.Connection, target: Target, files: Collection[int]) -> list[StoredTest]:
    """The tests of files, by file and place."""
    rows = conn.execute(statement(_IN_FILES, target), {**parameters(target), "files": int_array(files)})
    return [StoredTest(*row) for row in rows]


def tests_named(conn: psycopg.Connection, target: Target, own: str, owner: str) -> list[StoredTest]:
    """Tests whose key, or whose qualified name without underscores in lower case, fits an expression."""
    values = {**parameters(target), "own": own, "owner": owner, "most": _MOST}
    return [StoredTest(*row) for row in conn.execute(statement(_NAMED, target), values)]


def files_of_tests(conn: psycopg.Connection, target: Target, pattern: str) -> list[int]:
    """Files of tests whose path in lower case fits an expression, by path."""
    values = {**parameters(target), "pattern": pattern, "most": _MOST}
    return [file_id for (file_id,) in conn.execute(statement(_FILES, target), values)]
