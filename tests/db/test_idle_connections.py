"""Connections that are kept for the next reader are alive, clean, and never lent twice."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from tests import forking

from cocosearch_py.app import App
from cocosearch_py.storage.server import idle
from cocosearch_py.storage.server.database import Database, DatabaseOptions
from cocosearch_py.storage.server.idle import IdleConnections

Open = Callable[[], psycopg.Connection]
# Searches, forks, and searches on both sides at once.
FORKING = """
import os, signal, sys
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.model.search import SearchRequest

def search(app, times):
    for number in range(times):
        hits = app.search(SearchRequest(f"retry with backoff {number}"), index_name="shop")[1].hits
        assert hits[0].symbol_name == "RetryWithBackoff"

with App(Settings(database=DatabaseSettings(url=sys.argv[1])), Path(sys.argv[2])) as app:
    search(app, 10)
    child = os.fork()
    signal.alarm(60)  # ends what hangs
    search(app, 10)
    if child:
        ended = os.waitpid(child, 0)[1]
        search(app, 1)
        sys.exit(os.waitstatus_to_exitcode(ended))
"""


@pytest.fixture
def kept() -> Iterator[IdleConnections]:
    connections = IdleConnections()
    yield connections
    connections.clear()


@pytest.fixture
def connect(database_url: str) -> Iterator[Open]:
    opened: list[psycopg.Connection] = []

    def one() -> psycopg.Connection:
        opened.append(psycopg.connect(database_url, autocommit=True))
        return opened[-1]

    yield one
    for conn in opened:
        conn.close()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_one_that_was_used_last_comes_first(kept: IdleConnections, connect: Open) -> None:
    assert kept.take() is None
    first, second = connect(), connect()
    kept.give_back(first, kept.generation)
    kept.give_back(second, kept.generation)
    assert [kept.take(), kept.take(), kept.take()] == [second, first, None]


def test_one_whose_session_ended_is_closed_and_the_next_is_taken(kept: IdleConnections, connect: Open) -> None:
    living, ended, other = connect(), connect(), connect()
    kept.give_back(living, kept.generation)
    kept.give_back(ended, kept.generation)
    other.execute("SELECT pg_terminate_backend(%s, 60000)", [ended.info.backend_pid])
    assert kept.take() is living
    assert ended.closed and living.execute("SELECT 1").fetchone() == (1,)
    other.execute("SELECT pg_terminate_backend(%s, 60000)", [living.info.backend_pid])
    kept.give_back(living, kept.generation)
    assert kept.take() is None


def test_what_is_not_clean_is_closed(kept: IdleConnections, connect: Open) -> None:
    busy, failed, piping = connect(), connect(), connect()
    for conn in (busy, failed):
        conn.autocommit = False
    busy.execute("SELECT 1")
    with pytest.raises(psycopg.errors.DivisionByZero):
        failed.execute("SELECT 1 / 0")
    piping.pgconn.enter_pipeline_mode()
    for conn in (busy, failed, piping):
        kept.give_back(conn, kept.generation)
        assert conn.closed
    assert kept.take() is None


def test_what_was_lent_before_all_were_closed_does_not_come_back(kept: IdleConnections, connect: Open) -> None:
    lent, waiting = connect(), connect()
    generation = kept.generation
    kept.give_back(waiting, generation)
    kept.clear()
    assert waiting.closed and not lent.closed
    kept.give_back(lent, generation)
    assert lent.closed and kept.take() is None
    new = connect()
    kept.give_back(new, kept.generation)
    assert kept.take() is new


def test_after_a_crowd_one_is_left(kept: IdleConnections, connect: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "_KEEP_S", 0.05)
    crowd = [connect() for _ in range(4)]
    for conn in crowd:
        kept.give_back(conn, kept.generation)
    until(lambda: all(conn.closed for conn in crowd[:-1]))
    assert kept.take() is crowd[-1] and not crowd[-1].closed


def test_no_two_threads_have_the_same(kept: IdleConnections, connect: Open) -> None:
    for _ in range(3):
        kept.give_back(connect(), kept.generation)
    lent: set[int] = set()
    twice: list[int] = []
    lock = threading.Lock()

    def work() -> None:
        for _ in range(300):
            conn = kept.take()
            if conn is None:
                continue
            with lock:
                twice.extend([id(conn)] if id(conn) in lent else [])
                lent.add(id(conn))
            with lock:
                lent.discard(id(conn))
            kept.give_back(conn, kept.generation)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not twice
    assert len({id(kept.take()) for _ in range(3)}) == 3 and kept.take() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_program_that_forks_searches_on_both_sides(
    app: App, database_url: str, data_folder: Path, sample_repo: Path
) -> None:
    app.index(sample_repo, name="shop")
    done = forking.run([sys.executable, "-c", FORKING, database_url, str(data_folder)], text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_connection_of_a_start_is_lent_first(database_url: str, tmp_path: Path) -> None:
    mine = "SELECT pid FROM pg_stat_activity WHERE application_name = 'starting' AND pid <> pg_backend_pid()"
    url = f"{database_url}{'&' if '?' in database_url else '?'}application_name=starting"
    with (
        Database(DatabaseOptions(tmp_path, url=url)) as database,
        psycopg.connect(database_url, autocommit=True) as look,
    ):
        database.start()
        started = look.execute(mine).fetchall()
        with database.writing() as conn:
            assert started == [(conn.info.backend_pid,)]
            assert not conn.autocommit
        with database.reading() as conn:
            assert started != [(conn.info.backend_pid,)]
            assert conn.autocommit


def test_the_connection_of_a_start_is_not_lent_when_it_was_ended(database_url: str, tmp_path: Path) -> None:
    with Database(DatabaseOptions(tmp_path, url=database_url)) as database:
        database.start()
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        with database.writing() as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)
