"""Statements give their rows in binary form, and the reason for a row that Python cannot hold."""

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.storage.statements import run, run_each


@pytest.fixture
def conn(app: App) -> Iterator[psycopg.Connection]:
    app.database.start()
    with psycopg.connect(app.database.dsn, autocommit=True) as conn:
        yield conn


def test_rows_have_the_types_of_their_columns(conn: psycopg.Connection) -> None:
    query = (
        b"SELECT %(text)s::text, %(number)s::int, %(none)s::text, %(number)s::bigint * 2.5::float8, true, "
        b"now() - now(), '\\x00ff'::bytea, '{\"a\": [1]}'::jsonb, 7 %% 4, 'caf\xc3\xa9'"
    )
    values = {"text": "\u00fcn\u00ef \\ \" ' %s", "number": -3, "none": None}
    row = (values["text"], -3, None, -7.5, True, timedelta(0), b"\x00\xff", {"a": [1]}, 3, "caf\u00e9")
    for _ in range(8):  # before it is prepared and afterwards
        assert run(conn, query, values) == [row]


def test_a_statement_may_have_no_values_and_no_rows(conn: psycopg.Connection) -> None:
    assert run(conn, b"SELECT 1 WHERE false") == []
    assert run_each(conn, b"SELECT 1 WHERE false") == []


def test_statements_are_prepared_unless_that_is_refused(conn: psycopg.Connection) -> None:
    for _ in range(10):
        run(conn, b"SELECT 'often'")
        run(conn, b"SELECT 'planned anew'", prepare=False)
    prepared = conn.execute("SELECT statement FROM pg_prepared_statements").fetchall()
    assert prepared == [("SELECT 'often'",)]


def test_a_row_that_python_cannot_hold_is_its_reason(conn: psycopg.Connection) -> None:
    query = b"SELECT * FROM (VALUES (1, now()), (2, '294000-01-01'), (3, now())) v (number, at) ORDER BY number"
    first, reason, last = run_each(conn, query)
    assert (first[0], last[0]) == (1, 3)
    assert isinstance(reason, str) and "timestamp" in reason


def test_text_that_postgresql_cannot_hold_is_refused(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.DataError, match="NUL"):
        run(conn, b"SELECT %(text)s::text", {"text": "a\0b"})
    assert run(conn, b"SELECT 1") == [(1,)]
