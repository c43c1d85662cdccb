"""Copies of large indexes by two connections at once: rows, keys, search indexes and statistics."""

import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Barrier, current_thread, main_thread
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import DatabaseError
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.storage.queries import builds
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write import partitions

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


@pytest.fixture(autouse=True)
def _large(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any index counts as large. Files are as old as they say, however young."""
    app.database.own_leaf_chunks = 1
    monkeypatch.setattr(Database, "has_many_connections", True)
    app.thresholds = BY_TWO


BY_TWO = Thresholds(clock_tick=timedelta(0), copy_bytes=0, copied_by_two=range(1, 1_000_000), read_share=0.9)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Have both connections begin together, each with what it is given; returns the tables that each has made."""

    def begin(**does: Callable[[psycopg.Connection], None]) -> list[str]:
        complete, together, made = partitions.complete, Barrier(2), list[str]()

        def waiting(conn: psycopg.Connection, table: str, *rest: Any) -> None:
            who = "first" if current_thread() is main_thread() else "second"
            if who not in made:
                made.append(who)
                together.wait(60)
                does.get(who, lambda _: None)(conn)
            complete(conn, table, *rest)
            made.append(table)

        monkeypatch.setattr(partitions, "complete", waiting)
        return made

    return begin


def shape(url: str, app: App, name: str) -> list[tuple[str, ...]]:
    """Search indexes and constraints of an index's tables."""
    number = str(app.catalog.find(name).index_id)
    with psycopg.connect(url) as conn:
        found = conn.execute(
            "SELECT tablename, indexdef FROM pg_indexes WHERE tablename ~ ('_' || %(own)s || '$') UNION ALL "
            "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conrelid::regclass::text ~ ('_' || %(own)s || '$')",
            {"own": number},
        ).fetchall()
    return sorted(tuple(re.sub(rf"(?<!\d){number}(?!\d)", "N", text) for text in row) for row in found)


def like_by_one(app: App, url: str, folder: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is as one connection makes it."""
    with monkeypatch.context() as patched:
        patched.delattr(partitions, "complete")
        app.index(folder, name="clean", options=app.indexing_options(fresh=True))
    assert content_of("shop") == content_of("clean")
    assert shape(url, app, "shop") == shape(url, app, "clean")
    with psycopg.connect(url) as conn:
        assert conn.execute("SELECT * FROM cocosearch_py.builds").fetchall() == []


def interrupt(conn: psycopg.Connection) -> None:
    raise KeyboardInterrupt


def sleep(conn: psycopg.Connection) -> None:
    conn.execute("SELECT pg_sleep(600)")


def fail(conn: psycopg.Connection) -> None:
    conn.execute("SELECT 1 / 0")


@pytest.fixture
def copy(app: App, sample_repo: Path) -> Path:
    """A copy of an indexed folder."""
    app.index(sample_repo, name="source")
    return Path(shutil.copytree(sample_repo, sample_repo.parent / "copy"))


def statistics(url: str, number: int) -> dict[tuple[str, str], str | None]:
    """Of each column of an index that has statistics its most common values, without times of files."""
    with psycopg.connect(url) as conn:
        found = conn.execute(
            "SELECT left(tablename, -%s), attname, most_common_vals::text FROM pg_stats WHERE tablename ~ %s "
            "AND attname <> 'mtime_ns'",
            [len(f"_{number}"), f"_{number}$"],
        ).fetchall()
    return {(table, column): values for table, column, values in found}


def assert_nothing_else(app: App, url: str) -> None:
    """There are the tables of the indexes, and no more."""
    ids = [app.catalog.find(name).index_id for name in ("source", "shop", "clean")]
    with psycopg.connect(url) as conn:
        query = (
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace AND relkind = 'r' "
            "AND relname ~ '_[0-9]+$' AND substring(relname FROM '[0-9]+$')::int <> ALL(%s)"
        )
        assert conn.execute(query, [ids]).fetchall() == []


def test_two_connections_copy_what_one_prepares(
    app: App,
    database_url: str,
    copy: Path,
    content_of: ContentOf,
    at_once: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = at_once()
    report = app.index(copy, name="shop")
    assert report.files_reused == report.files_added > 0
    assert sorted(made) == sorted([*TABLES, "first", "second"])
    number = app.catalog.find("shop").index_id
    known = statistics(database_url, number)
    assert known["chunks", "index_id"] == f"{{{number}}}"
    with psycopg.connect(database_url) as conn:
        for table in TABLES:
            conn.execute(f"ANALYZE cocosearch_py.{table}_{number}")
    assert known == statistics(database_url, number), "the planner expects what is there"
    like_by_one(app, database_url, copy, content_of, monkeypatch)
    assert_nothing_else(app, database_url)


def test_a_copy_of_an_index_without_statistics_gets_its_own(app: App, database_url: str, copy: Path) -> None:
    source = app.catalog.find("source").index_id
    with psycopg.connect(database_url) as conn:
        conn.execute("DELETE FROM pg_statistic WHERE starelid = %s::regclass", [f"cocosearch_py.chunks_{source}"])
    report = app.index(copy, name="shop")
    assert report.files_reused == report.files_added > 0
    known = statistics(database_url, app.catalog.find("shop").index_id)
    assert ("chunks", "file_id") in known, "the table was looked at"


def test_what_is_read_beside_a_copy_is_in_its_search_indexes(
    app: App, database_url: str, copy: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copy / "shop/cart.py").write_text("def quite_another_cart(): ...\n")
    report = app.index(copy, name="shop")
    assert report.files_reused == report.files_added - 1
    like_by_one(app, database_url, copy, content_of, monkeypatch)
    assert_nothing_else(app, database_url)


def sleep_and_fail(conn: psycopg.Connection) -> None:
    conn.execute("SELECT pg_sleep(2)")
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("does", "error"),
    [
        ({"first": interrupt, "second": sleep}, KeyboardInterrupt),
        ({"first": sleep_and_fail}, KeyboardInterrupt),
        ({"first": lambda conn: conn.execute("SELECT pg_sleep(1)"), "second": fail}, DatabaseError),
    ],
    ids=["interrupted", "when the other one has committed", "failed"],
)
def test_a_copy_that_ends_there_is_begun_again(
    app: App,
    database_url: str,
    copy: Path,
    content_of: ContentOf,
    at_once: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    does: dict[str, Callable[[psycopg.Connection], None]],
    error: type[BaseException],
) -> None:
    complete = partitions.complete
    at_once(**does)
    with pytest.raises(error):
        app.index(copy, name="shop")
    monkeypatch.setattr(partitions, "complete", complete)
    with app.database.reading() as conn:
        assert builds.find(conn, "shop") is not None and builds.waiting(conn) == []  # nobody is told that it is kept
    report = app.index(copy, name="shop")
    assert (report.files_unchanged, report.files_reused) == (0, report.files_added)
    like_by_one(app, database_url, copy, content_of, monkeypatch)
    assert_nothing_else(app, database_url)
