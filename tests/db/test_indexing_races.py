"""What changes while a run is at work: other runs, tuned weights, and the files themselves."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.errors import BusyError
from cocosearch_py.indexing.pipeline import run_indexing
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.indexing.run import Resources, RunControl
from cocosearch_py.storage.queries.facts import store_weights
from cocosearch_py.storage.server.database import Database, DatabaseOptions

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
MORE_THAN_A_BATCH = 80


@pytest.fixture
def other_app(database_url: str, data_folder: Path) -> Iterator[App]:
    """A second program on the same database."""
    settings = Settings(database=DatabaseSettings(url=database_url), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """More files than one batch takes; those below `z` are read last."""
    root = tmp_path / "root"
    (root / "z").mkdir(parents=True)
    for number in range(MORE_THAN_A_BATCH):
        (root / f"file_{number:03}.py").write_text(f"def function_{number}(): ...\n")
    for name in ("one", "two"):
        (root / "z" / f"{name}.py").write_text(f"def last_{name}(): ...\n")
    return root


def at(stage: str, work: Callable[[], object]) -> Callable[[Progress], None]:
    """Progress that does some work the first time a run reaches the stage."""
    todo = [work]

    def tell(progress: Progress) -> None:
        if progress.stage == stage and todo:
            todo.pop()()

    return tell


class AfterAnother(Database):
    """A database on which another run begins and ends right before this program's first transaction."""

    work: Callable[[], object] | None = None

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection]:
        work, self.work = self.work, None
        if work is not None:
            work()
        with super().writing() as conn:
            yield conn


def test_what_another_run_added_meanwhile_is_not_taken_for_deleted(
    app: App, other_app: App, folder: Path, database_url: str, data_folder: Path
) -> None:
    only_z = other_app.indexing_options()
    only_z = replace(only_z, discovery=replace(only_z.discovery, include=("z/",)))
    other_app.index(folder, name="shared", options=only_z)

    def another_run() -> None:
        (folder / "z" / "three.py").write_text("def last_three(): ...\n")
        assert other_app.index(folder, name="shared", options=only_z).files_added == 1

    with AfterAnother(DatabaseOptions(data_folder, url=database_url)) as database:
        database.work = another_run
        resources = Resources(database, lambda: app._resources.pool, lambda: app.embedder, embed_here=False)
        report = run_indexing(folder, "shared", only_z, resources, RunControl(lambda _: None, lambda: False))
    assert (report.files_unchanged, report.files_removed) == (3, 0)


def test_the_folder_is_walked_under_the_lock(app: App, other_app: App, folder: Path) -> None:
    app.index(folder, name="shared")

    def another_run() -> None:
        with pytest.raises(BusyError):
            other_app.index(folder, name="shared")

    (folder / "new.py").write_text("new = 1\n")
    assert app.index(folder, name="shared", progress=at("acquire", another_run)).files_added == 1


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("stage", ["acquire", "parse", "graph"])
def test_weights_stored_during_a_run_stay(app: App, other_app: App, folder: Path, stage: str, fresh: bool) -> None:
    app.index(folder, name="tuned")
    record = app.catalog.find("tuned")
    (folder / "new.py").write_text("new = 1\n")

    def tune() -> None:
        with other_app.database.writing() as conn:
            store_weights(conn, record.name, {"body": 2.0})

    app.index(folder, name="tuned", options=app.indexing_options(fresh=fresh), progress=at(stage, tune))
    after = app.catalog.find("tuned")
    assert (after.weights, after.generation) == ({"body": 2.0}, record.generation + 2)
    assert (after.created_at, after.file_count) == (record.created_at, record.file_count + 1)


def swap_for_link(folder: Path) -> None:
    (folder / "z" / "two.py").unlink()
    (folder / "z" / "two.py").symlink_to(folder.parent / "outside" / "two.py")


def swap_for_pipe(folder: Path) -> None:
    (folder / "z" / "two.py").unlink()
    os.mkfifo(folder / "z" / "two.py")


def grow(folder: Path) -> None:
    (folder / "z" / "two.py").write_text("# private\n" * 1_000)


def swap_folder(folder: Path) -> None:
    (folder / "z").rename(folder.parent / "aside")
    (folder / "z").symlink_to(folder.parent / "outside")


@pytest.mark.parametrize(
    ("change", "ledger"),
    [
        (swap_for_link, ("skipped", "symlink", "symbolic links are not followed")),
        (swap_for_pipe, ("skipped", "special", "named pipes are not read")),
        (grow, ("skipped", "too_large", "indexing.maxFileSizeKb = 1")),
        (swap_folder, None),
    ],
)
def test_what_is_put_in_the_place_of_a_file_after_the_walk_is_not_read(
    app: App, folder: Path, content_of: ContentOf, change: Callable[[Path], None], ledger: tuple[str, ...] | None
) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    for name in ("one.py", "two.py"):
        (outside / name).write_text("def private(): ...\n")
    options = app.indexing_options()
    options = replace(options, discovery=replace(options.discovery, max_file_size_bytes=1_024))
    swap = at("parse", lambda: change(folder))
    with ThreadPoolExecutor(1) as thread:  # beside which no worker is forked: one batch is read after the other
        report = thread.submit(app.index, folder, name="swapped", options=options, progress=swap).result()
    content = content_of("swapped")
    rows = {row[1]: row[2:5] for row in content["files"]}
    assert rows.get("z/two.py") == ledger
    assert not [row for row in content["chunks"] if "private" in row[6]]
    assert report.files_added == MORE_THAN_A_BATCH + (1 if ledger else 0)
    assert sum(row[6] == 1 for row in content["files"]) == len(rows)
    app.index(folder, name="swapped", options=options)
    app.index(folder, name="clean", options=options)
    assert content_of("swapped") == content_of("clean")


def test_files_that_come_and_go_during_a_run_are_right_after_the_next(
    app: App, folder: Path, content_of: ContentOf
) -> None:
    def change() -> None:
        (folder / "z" / "one.py").unlink()
        (folder / "z" / "two.py").write_text("def rewritten(): ...\n")
        (folder / "z" / "new.py").write_text("def new(): ...\n")

    app.index(folder, name="moving", progress=at("parse", change))
    app.index(folder, name="moving")
    app.index(folder, name="clean")
    assert content_of("moving") == content_of("clean")
