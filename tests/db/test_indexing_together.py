"""Several runs, readers and dying workers at the same time."""

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.errors import BusyError
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.schema.partitions import is_shared

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
READERS = 10
PATIENCE_S = 60.0  # of a busy machine; nothing here is about speed


@pytest.fixture
def other_app(database_url: str, data_folder: Path) -> Iterator[App]:
    """A second program on the same database."""
    settings = Settings(database=DatabaseSettings(url=database_url), indexing=IndexingSettings(workers=2))
    with App(settings, data_folder) as opened:
        yield opened


@pytest.fixture
def large_repo(tmp_path: Path) -> Path:
    """More than worker processes are started for: about 400 kB."""
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(200):
        body = "".join(f"    value_{step} = compute({number}, {step})\n" for step in range(50))
        (folder / f"module_{number:03}.py").write_text(f"def function_{number}():\n{body}    return value_0\n")
    return folder


class Pause:
    """Holds a run at its first progress of a stage until it is let go."""

    def __init__(self, stage: str = "parse") -> None:
        self.reached, self.go, self._stage = threading.Event(), threading.Event(), stage

    def __call__(self, progress: Progress) -> None:
        if progress.stage == self._stage and not self.reached.is_set():
            self.reached.set()
            assert self.go.wait(PATIENCE_S)


@contextmanager
def running(work: Callable[[], object], pause: Pause) -> Iterator[Callable[[], Any]]:
    """Run in a thread up to the pause; yields how to let it go on and get the result."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            assert pause.reached.wait(PATIENCE_S)

            def finish() -> Any:
                pause.go.set()
                return future.result(PATIENCE_S)

            yield finish
        finally:
            pause.go.set()


def test_second_run_on_the_same_index_is_refused(app: App, other_app: App, sample_repo: Path) -> None:
    pause = Pause()
    with running(lambda: app.index(sample_repo, name="shop", progress=pause), pause) as finish:
        with pytest.raises(BusyError, match="another process is writing"):
            other_app.index(sample_repo, name="shop")
        assert finish().files_added > 0
    assert other_app.index(sample_repo, name="shop").files_unchanged > 0


def test_clear_during_a_run_is_refused(app: App, other_app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    (sample_repo / "new.py").write_text("new = 1\n")
    pause = Pause()
    with running(lambda: app.index(sample_repo, name="shop", progress=pause), pause) as finish:
        with pytest.raises(BusyError):
            other_app.catalog.clear("shop")
        finish()


def test_two_new_indexes_at_once(app: App, other_app: App, sample_repo: Path, large_repo: Path) -> None:
    """The second must not wait for the first, however long that takes."""
    names = ("one", "two")
    pause = Pause()
    with running(lambda: app.index(sample_repo, name=names[0], progress=pause), pause) as finish:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(other_app.index, large_repo, name=names[1])
            try:
                assert future.result(PATIENCE_S / 4).files_added == 200
            finally:
                pause.go.set()
        finish()
    first, second = (app.catalog.find(name) for name in names)
    assert first.index_id != second.index_id
    assert first.table_name != second.table_name
    assert app.search(SearchRequest("apply_discount"), index_name=names[0])[1].hits[0].file_path == "shop/discounts.py"
    assert app.search(SearchRequest("function_7"), index_name=names[1])[1].hits[0].file_path == "module_007.py"


def test_changed_index_is_saved_while_another_is_built(
    app: App, other_app: App, sample_repo: Path, large_repo: Path
) -> None:
    other_app.index(large_repo, name="large")
    (large_repo / "module_000.py").write_text("def replaced(): ...\n")
    pause = Pause()
    with running(lambda: app.index(sample_repo, name="shop", progress=pause), pause) as finish:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(other_app.index, large_repo, name="large")
            try:
                assert future.result(PATIENCE_S / 4).files_updated == 1
            finally:
                pause.go.set()
        finish()


def test_a_large_index_is_deleted_while_another_is_built(
    app: App, other_app: App, sample_repo: Path, large_repo: Path
) -> None:
    """Neither waits for the other, nor for anything else that the build has begun with."""
    app.database.own_leaf_chunks = 1
    app.database.reader_patience_s = 1.0
    other_app.index(large_repo, name="large")
    pause = Pause("graph")
    with running(lambda: app.index(sample_repo, name="shop", progress=pause), pause) as finish:
        other_app.catalog.clear("large")
        assert [record.name for record in other_app.catalog.list_all()] == []
        finish()
    assert [record.name for record in app.catalog.list_all()] == ["shop"]
    assert not is_shared(app.catalog.find("shop").index_id)


@pytest.mark.slow
def test_readers_see_a_complete_generation_all_the_time(app: App, other_app: App, large_repo: Path) -> None:
    app.index(large_repo, name="large")
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            _, report = other_app.search(SearchRequest("compute value function_7", limit=5), index_name="large")
            seen.append(len(report.hits))
            stats = other_app.catalog.stats(other_app.catalog.find("large"))
            assert sum(language.files for language in stats.languages) == 200

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read) for _ in range(READERS)]
        try:
            for number in range(4):
                app.index(large_repo, name="large", options=app.indexing_options(fresh=True))
                (large_repo / "module_001.py").write_text(f"def changed_{number}(): ...\n")
                app.index(large_repo, name="large")
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert len(seen) > 10
    assert set(seen) == {5}


def test_rebuild_gets_through_against_readers_in_any_order(
    app: App, other_app: App, sample_repo: Path, database_url: str
) -> None:
    """A person in psql reads the tables in another order than the program drops them; neither may be killed."""
    app.index(sample_repo, name="shop")
    with psycopg.connect(database_url) as person:
        person.execute("SELECT count(*) FROM cocosearch_py.lexemes")
        with ThreadPoolExecutor(1) as pool:
            fresh = other_app.indexing_options(fresh=True)
            run = pool.submit(other_app.index, sample_repo, name="shop", options=fresh)
            for _ in range(20):
                assert app.search(SearchRequest("discount"), index_name="shop")[1].hits
            for table in ("symbols", "vectors", "chunks", "files"):
                row = person.execute(f"SELECT count(*) FROM cocosearch_py.{table}").fetchone()
                assert row and row[0] > 0
            person.rollback()
            assert run.result(PATIENCE_S).rebuilt


@pytest.mark.slow
def test_killed_worker_loses_no_file(app: App, other_app: App, large_repo: Path, content_of: ContentOf) -> None:
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.stage == "parse" and not killed:
            process = multiprocessing.active_children()[0]
            process.kill()
            process.join()  # the pool learns of it while this process is busy
            killed.append(process.pid or 0)

    report = other_app.index(large_repo, name="killed", progress=kill_one)
    assert killed
    assert (report.files_added, report.files_failed, report.interrupted) == (200, 0, False)
    app.index(large_repo, name="clean", options=app.indexing_options(fresh=True))
    killed_content, clean = content_of("killed"), content_of("clean")
    assert killed_content == clean


@pytest.mark.slow
def test_workers_that_died_between_two_runs(other_app: App, large_repo: Path) -> None:
    with ThreadPoolExecutor(1) as thread:  # as in a server, whose workers are kept
        thread.submit(lambda: other_app.index(large_repo, name="large")).result()
        processes = multiprocessing.active_children()
        assert processes
        for process in processes:
            process.kill()
            process.join()
        fresh = other_app.indexing_options(fresh=True)
        report = thread.submit(lambda: other_app.index(large_repo, name="large", options=fresh)).result()
    assert (report.files_added, report.files_failed) == (200, 0)


def test_writer_killed_in_the_middle_leaves_the_old_generation(
    app: App, other_app: App, sample_repo: Path, content_of: ContentOf, database_url: str
) -> None:
    """The server ends the writer's session, as it does when the writer's process is killed."""
    app.index(sample_repo, name="shop")
    before = content_of("shop")
    (sample_repo / "shop/cart.py").write_text("def other(): ...\n")
    pause = Pause()
    with running(lambda: other_app.index(sample_repo, name="shop", progress=pause), pause) as finish:
        with psycopg.connect(database_url, autocommit=True) as conn:
            ended = conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            ).fetchall()
        assert ended
        with pytest.raises(Exception, match=r"terminat|connection|closed"):
            finish()
    assert content_of("shop") == before
    assert app.index(sample_repo, name="shop").files_updated == 1
