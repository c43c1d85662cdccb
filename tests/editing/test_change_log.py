"""The log of changes: intents come first, numbers become visible in their order, and rows outlive indexes."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.model.changes import Intent, hash_of_bytes
from cocosearch_py.storage.queries import changes


def intent(root: Path, path: str = "a.py", before: bytes | None = b"old\n", after: bytes | None = b"new\n") -> Intent:
    return Intent(str(root), path, "replace", "test", before, after, 0o644)


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def test_a_change_is_an_intent_first_and_then_a_row(app: App, conn: psycopg.Connection, tmp_path: Path) -> None:
    log, root = app.change_log, str(tmp_path)
    pending = log.begin(intent(tmp_path))
    assert changes.since(conn, root, most=10) == []
    change = log.finish(pending)
    assert (change.seq, change.path, change.op, change.source, change.author) == (1, "a.py", "replace", "agent", "test")
    assert (change.hash_before, change.hash_after) == (hash_of_bytes(b"old\n"), hash_of_bytes(b"new\n"))
    assert change.sure and change.restorable
    assert changes.since(conn, root, most=10) == [change]
    log.abandon(log.begin(intent(tmp_path)))
    assert (changes.last_seq(conn, root), changes.since(conn, root, seq=1, most=10)) == (1, [])
    assert conn.execute("SELECT count(*) FROM cocosearch_py.change_images").fetchone() == (1,)


def test_images_say_what_was_replaced_by_what(app: App, conn: psycopg.Connection, tmp_path: Path) -> None:
    contents = [
        None,
        b"",
        b"a",
        b"aa",
        b"aba",
        b"xaby",
        b"one\ntwo\nthree\n",
        b"one\n2\nthree\n",
        bytes(range(256)) * 9,
    ]
    for before in contents:
        for after in contents:
            seq = app.change_log.finish(app.change_log.begin(intent(tmp_path, "a.py", before, after))).seq
            image = changes.image(conn, str(tmp_path), seq)
            assert image is not None and (image.before, image.after) == (before, after)
            if before == b"one\ntwo\nthree\n" and after == b"one\n2\nthree\n":
                assert (image.start, image.end, image.inserted) == (4, 7, b"2")


def test_a_poller_misses_nothing_while_many_write(app: App, database_url: str, tmp_path: Path) -> None:
    log, root, seen, done = app.change_log, str(tmp_path), list[int](), threading.Event()

    def poll() -> None:
        with psycopg.connect(database_url, autocommit=True) as conn:
            while True:
                last = done.is_set()
                seen.extend(one.seq for one in changes.since(conn, root, seq=seen[-1] if seen else 0, most=1000))
                if last:
                    return

    poller = threading.Thread(target=poll)
    poller.start()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: log.finish(log.begin(intent(tmp_path, f"{n % 6}.py"))).seq, range(80)))
    done.set()
    poller.join()
    assert sorted(made) == seen == list(range(1, 81))


def test_one_file_is_changed_by_one_at_a_time(app: App, tmp_path: Path) -> None:
    log = app.change_log
    first = log.begin(intent(tmp_path))
    log.finish(log.begin(intent(tmp_path, "b.py")))  # another file does not wait
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(log.begin, intent(tmp_path))
        assert log.finish(first).seq == 2
        assert log.finish(second.result()).seq == 3


def test_a_session_that_is_gone_loses_nothing(app: App, conn: psycopg.Connection, tmp_path: Path) -> None:
    log = app.change_log
    pending = log.begin(intent(tmp_path))
    conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert log.finish(pending).seq == 1
    taken = log.begin(intent(tmp_path))  # and one that somebody took for dead meanwhile
    changes.drop_intent(conn, taken.change_id)
    again = log.finish(taken)
    assert changes.since(conn, str(tmp_path), seq=1, most=10) == [again]
    image = changes.image(conn, str(tmp_path), again.seq)
    assert image is not None and image.before == b"old\n"


def test_rows_outlive_the_index(app: App, conn: psycopg.Connection, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    change = app.change_log.finish(app.change_log.begin(intent(sample_repo)))
    app.index(sample_repo, name="shop", options=app.indexing_options(fresh=True))
    app.catalog.clear("shop")
    assert changes.since(conn, str(sample_repo), most=10) == [change]
