"""Calls that nobody waits for: their statements end, and none begins."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from cocosearch_py.errors import DatabaseTimeoutError, OperationCancelled
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.server.stopping import Work, stoppable

SLEEP = "SELECT pg_sleep(60)"


def test_a_stopped_call_gets_no_connection(database: Database) -> None:
    with stoppable() as work:
        with database.reading() as conn:
            conn.execute("SELECT 1")
        work.stop()
        with pytest.raises(OperationCancelled), database.reading():
            pytest.fail("a connection was lent")
    with database.reading() as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_a_stopped_pipeline_leaves_a_usable_connection(database: Database) -> None:
    """The first request comes before the statement."""
    with (
        stoppable() as work,
        pytest.raises(DatabaseTimeoutError, match=r"someone cancelled a statement .* user request"),
        database.reading() as conn,
    ):
        in_thread(work.stop)
        time.sleep(0.05)
        with conn.pipeline():
            conn.execute(SLEEP).fetchall()
    with database.reading() as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_a_server_that_cannot_be_told_keeps_no_other_from_it(database_url: str, tmp_path: Path) -> None:
    """Each request to stop is a connection of its own, which may fail."""
    given = conninfo_to_dict(database_url)
    socket = f".s.PGSQL.{given['port']}"
    (tmp_path / socket).symlink_to(Path(str(given["host"])) / socket)
    gone = psycopg.connect(database_url, host=str(tmp_path), autocommit=True)
    (tmp_path / socket).unlink()
    others = [psycopg.connect(database_url, autocommit=True) for _ in range(3)]
    work = Work()
    with gone, work.holding(gone), work.holding(others[0]), work.holding(others[1]), work.holding(others[2]):
        ended: list[psycopg.Connection] = []
        sleeping = [in_thread(lambda conn=conn: sleep(conn, ended)) for conn in others]
        until_active(database_url, len(others))
        in_thread(work.stop)
        for thread in sleeping:
            thread.join(30)
    assert set(ended) == set(others)
    for conn in others:
        conn.close()


def sleep(conn: psycopg.Connection, ended: list[psycopg.Connection]) -> None:
    with pytest.raises(psycopg.errors.QueryCanceled):
        conn.execute(SLEEP)
    ended.append(conn)


def until_active(url: str, count: int) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE query = %s AND wait_event = 'PgSleep'"
        while conn.execute(asked, [SLEEP]).fetchone() != (count,):
            conn.execute("SELECT pg_sleep(0.01)")


def in_thread(work: Callable[[], None]) -> Thread:
    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread
