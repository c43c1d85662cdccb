"""Large builds by two connections at once: keys, search indexes and statistics, and copies of whole indexes."""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Event, current_thread, main_thread
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import DatabaseError
from cocosearch_py.indexing import pipeline, resolve, reuse, second_connection, stages
from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.queries import builds
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write import partitions

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "OWN_LEAF_MIN_CHUNKS", 1)
    monkeypatch.setattr(second_connection, "_CHUNKS", range(1, 1_000_000))
    monkeypatch.setattr(Database, "has_many_connections", True)
    monkeypatch.setattr(pipeline, "CLOCK_TICK", timedelta(0))  # files are as old as they say, however young


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Have both connections begin together, each with what it is given; returns the tables that each has made.

    Nothing is completed before.
    """
    monkeypatch.setattr(stages, "completing_legs", nullcontext)

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
        patched.setattr(second_connection, "_CHUNKS", range(0))
        patched.delattr(partitions, "complete")
        app.index(folder, name="clean", options=app.indexing_options(fresh=True))
    assert content_of("shop") == content_of("clean")
    assert shape(url, app, "shop") == shape(url, app, "clean")
    with psycopg.connect(url) as conn:
        assert conn.execute("SELECT * FROM cocosearch_py.builds").fetchall() == []


def test_two_connections_make_what_one_makes(
    app: App,
    database_url: str,
    sample_repo: Path,
    content_of: ContentOf,
    at_once: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = at_once()
    app.index(sample_repo, name="shop")
    assert sorted(made) == sorted([*TABLES, "first", "second"])
    with psycopg.connect(database_url) as conn:
        known = conn.execute("SELECT count(DISTINCT tablename) FROM pg_stats WHERE tablename ~ '^chunks_[0-9]+$'")
        assert known.fetchone() == (1,), "the planner has statistics"
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


def test_one_connection_is_enough(
    app: App, database_url: str, sample_repo: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def none_left(self: Database) -> Iterator[None]:
        yield None

    monkeypatch.setattr(Database, "writing_beside", none_left)
    app.index(sample_repo, name="shop")
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


def interrupt(conn: psycopg.Connection) -> None:
    raise KeyboardInterrupt


def sleep(conn: psycopg.Connection) -> None:
    conn.execute("SELECT pg_sleep(600)")


def fail(conn: psycopg.Connection) -> None:
    conn.execute("SELECT 1 / 0")


@pytest.mark.parametrize(
    ("does", "error"),
    [
        ({"first": interrupt, "second": sleep}, KeyboardInterrupt),
        ({"first": lambda conn: conn.execute("SELECT pg_sleep(1)"), "second": fail}, DatabaseError),
    ],
    ids=["interrupted", "failed"],
)
def test_a_build_that_ends_there_is_complete_but_for_that(
    app: App,
    database_url: str,
    sample_repo: Path,
    content_of: ContentOf,
    at_once: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    does: dict[str, Callable[[psycopg.Connection], None]],
    error: type[BaseException],
) -> None:
    complete = partitions.complete
    begun = at_once(**does)
    with pytest.raises(error):
        app.index(sample_repo, name="shop")
    assert {"first", "second"} <= set(begun)
    assert len(begun) <= 3, "no further table is begun"
    monkeypatch.setattr(partitions, "complete", complete)
    with psycopg.connect(database_url) as conn:
        query = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"
        assert conn.execute(query).fetchone() == (0,)
    report = app.index(sample_repo, name="shop")
    assert (report.files_added, report.interrupted) == (0, False)
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


@pytest.fixture
def copy(app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of an indexed folder."""
    monkeypatch.setattr(reuse, "IN_PROCESS_BYTES", 0)
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
    monkeypatch.setattr(reuse, "_MOST_READ", 0.9)
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


def nothing(*_: object) -> None:
    pass


@pytest.fixture
def _gin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keywords get GIN, however few they are."""
    keywords = TABLES["keywords"]
    monkeypatch.setitem(TABLES, "keywords", replace(keywords, indexes=(replace(keywords.indexes[0], min_chunks=1),)))


@contextmanager
def observed(
    table: str = "keywords",
    *,
    second: Callable[[psycopg.Connection], object] = nothing,
    resolves: Callable[[], object] = nothing,
) -> Iterator[list[str]]:
    """Tells in which order a table is completed and what needs all files is resolved, which waits for that.

    Each does what it is given first.
    """
    complete, resolve_all, begun, told = partitions.complete, resolve.resolve, Event(), list[str]()

    def completing(conn: psycopg.Connection, one: str, *rest: Any) -> None:
        if one == table:
            told.append(one)
            begun.set()
            second(conn)
        complete(conn, one, *rest)

    def resolving(run: Run) -> None:
        begun.wait(60 if table == "keywords" or run.options.content.max_files_to_embed is None else 0)
        told.append("resolve")
        resolves()
        resolve_all(run)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(partitions, "complete", completing)
        patched.setattr(stages, "resolve", resolving)
        yield told


def gin(url: str) -> list[tuple[int]]:
    """Numbers of the GIN indexes over keywords, of unfinished builds or not, once they are there."""
    with psycopg.connect(url) as conn:
        query = (  # takes no lock
            "SELECT c.oid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
            "JOIN pg_class t ON t.oid = i.indrelid WHERE amname = 'gin' AND t.relname ~ '^keywords_[0-9]+$'"
        )
        return conn.execute(query).fetchall()


@pytest.mark.usefixtures("_gin")
@pytest.mark.parametrize("table", ["keywords", "vectors"])
def test_the_legs_are_completed_while_the_rows_that_need_all_files_are_made(
    app: App, database_url: str, sample_repo: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    with observed(table) as told:
        app.index(sample_repo, name="shop")
    assert told == [table, "resolve"]
    assert len(gin(database_url)) == 1
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


@pytest.mark.parametrize(
    ("table", "order"), [("keywords", ["keywords", "resolve"]), ("vectors", ["resolve", "vectors"])]
)
def test_vectors_wait_for_those_of_the_most_central_files(
    app: App, sample_repo: Path, content_of: ContentOf, table: str, order: list[str]
) -> None:
    with observed(table) as told:
        app.index(sample_repo, name="shop", options=app.indexing_options(changes={"indexing.maxFilesToEmbed": 1}))
    assert told == order
    assert {row[0] for row in content_of("shop")["vectors"]} != set()


@pytest.mark.usefixtures("_gin")
def test_what_is_completed_meanwhile_ends_with_the_run(
    app: App, database_url: str, sample_repo: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with observed(second=sleep, resolves=interrupted), pytest.raises(KeyboardInterrupt):
        app.index(sample_repo, name="shop")
    assert gin(database_url) == []
    report = app.index(sample_repo, name="shop")
    assert (report.files_added, report.interrupted) == (0, False)
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


@pytest.mark.usefixtures("_gin")
def test_a_run_tells_what_failed_meanwhile(app: App, database_url: str, sample_repo: Path) -> None:
    with observed(second=fail), pytest.raises(DatabaseError, match="division by zero"):
        app.index(sample_repo, name="shop")
    assert gin(database_url) == []


@pytest.mark.usefixtures("_gin")
def test_what_was_completed_before_a_kill_is_not_completed_again(
    app: App, database_url: str, sample_repo: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[tuple[int]]()

    def killed() -> None:
        deadline = time.monotonic() + 60
        while not made and time.monotonic() < deadline:
            made.extend(gin(database_url))
        raise KeyboardInterrupt

    with observed(resolves=killed), pytest.raises(KeyboardInterrupt):
        app.index(sample_repo, name="shop")
    changed = sample_repo / "src" / "new.py"
    changed.parent.mkdir(exist_ok=True)
    changed.write_text("def reindex_everything():\n    return 1\n")
    report = app.index(sample_repo, name="shop")
    assert (report.files_added, report.interrupted) == (1, False)
    assert gin(database_url) == made
    like_by_one(app, database_url, sample_repo, content_of, monkeypatch)


@pytest.mark.usefixtures("_gin")
def test_one_connection_completes_all(
    app: App, database_url: str, sample_repo: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_one_connection_is_enough(app, database_url, sample_repo, content_of, monkeypatch)
    assert len(gin(database_url)) == 2  # of the index and of the one that it is compared with
