"""A schema that changes while it is read: nobody who reads gets an error, and the change gets through."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import BusyError
from cocosearch_py.storage import migrate
from cocosearch_py.storage.server.database import Database

PATIENCE_S = 60.0  # of a busy machine; nothing here is about speed
TABLES = ("indexes", "files", "chunks", "keywords", "symbols")


def read_all(conn: psycopg.Connection, tables: tuple[str, ...]) -> list[int]:
    """Rows of tables, read in this order in one transaction."""
    rows = [conn.execute(f"SELECT count(*) FROM cocosearch_py.{table}").fetchone() for table in tables]
    return [row[0] for row in rows if row]


@pytest.mark.slow
def test_a_migration_gets_through_between_readers(
    app: App, database: Database, sample_repo: Path, database_url: str
) -> None:
    app.index(sample_repo, name="shop")
    done = threading.Event()
    expected = database.read(lambda conn: read_all(conn, TABLES))
    reads = [0] * 4

    def reader(number: int) -> None:
        order = TABLES if number % 2 else TABLES[::-1]
        try:
            while not done.is_set():
                found = database.read(lambda conn: read_all(conn, order))
                assert found == (expected if number % 2 else expected[::-1])
                reads[number] += 1
        finally:
            done.set()

    with ThreadPoolExecutor(len(reads)) as pool:
        readers = [pool.submit(reader, number) for number in range(len(reads))]
        try:
            for _ in range(4):
                migrate.downgrade(database_url, "0003")
                migrate.upgrade(database_url)
        finally:
            done.set()
        for future in readers:
            future.result(PATIENCE_S)
    assert min(reads) > 1


def wait_for(conn: psycopg.Connection, locks: str) -> None:
    """Wait until somebody else waits for a lock of this relation."""
    query = "SELECT 1 FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
    while conn.execute(query, [locks]).fetchone() is None:
        conn.execute("SELECT pg_sleep(0.02)")


def test_a_reader_that_stands_in_the_way_of_a_migration_reads_again(database: Database, database_url: str) -> None:
    """Both wait for each other, and the server ends one: here the reader, since it comes later."""
    attempts: list[int] = []
    changed = threading.Event()

    def migration() -> None:
        with psycopg.connect(database_url) as conn:
            conn.execute("LOCK TABLE cocosearch_py.indexes")
            conn.execute("SET LOCAL deadlock_timeout = '1h'")
            conn.execute("LOCK TABLE cocosearch_py.files_shared")
        changed.set()

    def work(conn: psycopg.Connection) -> list[int]:
        attempts.append(1)
        read_all(conn, ("files_shared",))
        if len(attempts) == 1:
            pool.submit(migration)
            with psycopg.connect(database_url, autocommit=True) as other:
                wait_for(other, "cocosearch_py.files_shared")
        return read_all(conn, ("indexes",))

    with ThreadPoolExecutor(1) as pool:
        assert database.read(work) == [0]
    assert changed.is_set()
    assert len(attempts) == 2


def test_a_migration_does_not_wait_for_ever_for_a_forgotten_transaction(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_PATIENCE_S", 1)
    database.start()
    with psycopg.connect(database_url) as conn:
        conn.execute("SELECT FROM cocosearch_py.indexes")
        with pytest.raises(BusyError, match="another program has been using it"):
            migrate.downgrade(database_url, "0017")
    migrate.downgrade(database_url, "0017")
    migrate.upgrade(database_url)
    with psycopg.connect(database_url) as conn:
        assert migrate.current_revision(conn) == migrate.HEAD_REVISION
