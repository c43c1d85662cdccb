"""Statements run without a cursor: rows, values, errors and the state of the connection as with one."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from cocosearch_py.app import App
from cocosearch_py.storage import statements
from cocosearch_py.storage.statements import is_ending, run, running, savepoint, set_setting, settle, transaction


@pytest.fixture
def conn(app: App) -> Iterator[psycopg.Connection]:
    app.database.start()
    with psycopg.connect(app.database.dsn, autocommit=True) as conn:
        yield conn


def prepared(conn: psycopg.Connection) -> list[str]:
    rows = conn.execute("SELECT statement FROM pg_prepared_statements WHERE name LIKE '\\_cocosearch%'").fetchall()
    return [row[0] for row in rows]


def test_rows_are_those_of_a_cursor(conn: psycopg.Connection) -> None:
    query = (
        b"SELECT %(text)s::text, %(number)s::int, %(none)s::text, %(number)s::bigint * 2.5::float8, true, "
        b"now() - now(), '\\x00ff'::bytea, '{\"a\": [1]}'::jsonb, 7 %% 4, 'caf\xc3\xa9'"
    )
    values = {"text": "ünï \\ \" ' %s", "number": -3, "none": None}
    rows = conn.execute(query, values, binary=True).fetchall()
    for _ in range(8):  # before it is prepared and afterwards
        assert run(conn, query, values) == rows
    assert len(prepared(conn)) == 1


def test_a_statement_may_have_no_values_and_no_rows(conn: psycopg.Connection) -> None:
    assert run(conn, b"SELECT 1 WHERE false") == []
    assert run(conn, b"SELECT 5 %% 3") == [(2,)]


def test_little_used_statements_are_forgotten(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "_MOST_PREPARED", 3)
    queries = [f"SELECT {number}".encode() for number in range(5)]
    for query in queries:
        for _ in range(10):
            run(conn, query)
        run(conn, queries[0])
    assert sorted(prepared(conn)) == ["SELECT 0", "SELECT 3", "SELECT 4"]
    assert [run(conn, query) for query in queries] == [[(0,)], [(1,)], [(2,)], [(3,)], [(4,)]]


def test_a_connection_counts_the_latest_statements_only(
    conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "_MOST_COUNTED", 10)
    for _ in range(10):
        run(conn, b"SELECT 'often'")
    for number in range(40):
        run(conn, f"SELECT {number}".encode())
    counted = statements._session_of(conn).uses
    assert (len(counted), b"SELECT 39" in counted, b"SELECT 'often'" in counted) == (10, True, True)
    assert run(conn, b"SELECT 'often'") == [("often",)]


def test_what_must_not_be_prepared_is_not(conn: psycopg.Connection) -> None:
    for _ in range(10):
        run(conn, b"SELECT 1", prepare=False)
    assert prepared(conn) == []


@pytest.mark.parametrize("before", [0, 10])
def test_an_error_is_the_servers_and_leaves_the_connection_usable(conn: psycopg.Connection, before: int) -> None:
    for _ in range(before):
        run(conn, b"SELECT 1 / %(by)s::int", {"by": 1})
    with pytest.raises(psycopg.errors.DivisionByZero, match="division by zero"):
        run(conn, b"SELECT 1 / %(by)s::int", {"by": 0})
    assert run(conn, b"SELECT 1 / %(by)s::int", {"by": 1}) == [(1,)]


def test_text_that_postgresql_cannot_hold_is_refused(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.DataError, match="NUL"):
        run(conn, b"SELECT %(text)s::text", {"text": "a\0b"})
    assert run(conn, b"SELECT 1") == [(1,)]


def test_rows_that_nobody_reads_keep_nobody(conn: psycopg.Connection) -> None:
    with pytest.raises(ValueError, match="other work"), running(conn, b"SELECT pg_sleep(0.05)::text"):
        raise ValueError("other work failed")
    assert run(conn, b"SELECT 1") == [(1,)]


def test_the_connection_works_while_other_things_are_done(conn: psycopg.Connection) -> None:
    with running(conn, b"SELECT 1") as rows:
        assert conn.pgconn.transaction_status == TransactionStatus.ACTIVE
        assert rows() == [(1,)]


def test_another_thread_can_end_a_statement(conn: psycopg.Connection) -> None:
    cancelling = threading.Timer(0.2, conn.cancel_safe)
    cancelling.start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        run(conn, b"SELECT pg_sleep(60)::text")
    cancelling.join()
    assert run(conn, b"SELECT 1") == [(1,)]


def test_an_ended_session_is_an_operational_error(app: App, conn: psycopg.Connection) -> None:
    with psycopg.connect(app.database.dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [conn.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        run(conn, b"SELECT 1")


def test_a_transaction_ends_with_its_block(conn: psycopg.Connection) -> None:
    with transaction(conn):
        assert conn.info.transaction_status == TransactionStatus.INTRANS
        assert not is_ending(conn)
    assert is_ending(conn)
    settle(conn)
    assert not is_ending(conn)
    settle(conn)  # nothing is left to wait for
    assert conn.info.transaction_status == TransactionStatus.IDLE
    with pytest.raises(psycopg.errors.DivisionByZero), transaction(conn):
        run(conn, b"SELECT 1 / 0")
    assert conn.info.transaction_status == TransactionStatus.IDLE


def test_an_error_in_a_transaction_is_not_hidden_by_its_end(app: App, conn: psycopg.Connection) -> None:
    def end_session() -> None:
        with psycopg.connect(app.database.dsn, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [conn.info.backend_pid])

    with pytest.raises(ValueError, match="mine"), transaction(conn):
        end_session()
        raise ValueError("mine")
    assert conn.closed


def test_a_setting_is_set_again_only_when_it_changes_or_may_have(conn: psycopg.Connection) -> None:
    def value() -> str:
        return str(conn.execute("SHOW work_mem").fetchone()[0])  # type: ignore[index]

    with pytest.raises(ValueError, match="undone"), transaction(conn):
        set_setting(conn, "work_mem", "5MB")
        raise ValueError("undone")
    assert value() != "5MB"
    set_setting(conn, "work_mem", "5MB")
    assert value() == "5MB"
    conn.execute("SET work_mem = '6MB'")
    set_setting(conn, "work_mem", "5MB")  # believes that it is
    assert value() == "6MB"
    set_setting(conn, "work_mem", "7MB")
    assert value() == "7MB"


def test_what_fails_alone_leaves_prepared_statements(conn: psycopg.Connection) -> None:
    with transaction(conn):
        for _ in range(10):  # by us and by psycopg
            run(conn, b"SELECT 'ours'")
            conn.execute("SELECT 'its'")
        with pytest.raises(psycopg.errors.DivisionByZero), savepoint(conn):
            run(conn, b"SELECT 1 / 0")
        assert run(conn, b"SELECT 'ours'") == [("ours",)]
        assert conn.execute("SELECT 'its'").fetchone() == ("its",)
        with savepoint(conn):
            run(conn, b"SELECT 1")
    settle(conn)
    assert conn.pgconn.transaction_status == TransactionStatus.IDLE
