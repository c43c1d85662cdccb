"""Several runs by one call: they overlap, and are as they would be one after the other."""

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import CocosearchError, DatabaseTimeoutError, OperationCancelled, WorkspaceError
from cocosearch_py.indexing import content
from cocosearch_py.indexing.overlap import Turn
from cocosearch_py.indexing.pool import WorkerPool
from cocosearch_py.indexing.progress import FINALIZE, PARSE, Progress, RunReport
from cocosearch_py.indexing.several import in_turns
from cocosearch_py.tools.requests import run_here

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
Told = Callable[[Progress], None]
PATIENCE_S = 120.0  # of a busy machine, after which a test fails


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Three that are named one after the other."""
    made = [tmp_path / name for name in ("one", "two", "three")]
    for folder in made:
        folder.mkdir()
        for number in range(3):
            (folder / f"{folder.name}_{number}.py").write_text(f"def {folder.name}_{number}(): ...\n")
    return made


@pytest.fixture
def interruptible() -> Iterator[None]:
    """An interrupt is raised in the main thread, however the tests are run."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def overlapping(
    app: App,
    folders: list[Path],
    tell: Callable[[Path, Progress], None] = lambda *_: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[RunReport]:
    """Index folders as with workers that are ready."""

    def work(folder: Path, turn: Turn) -> RunReport:
        return app.index(folder, progress=partial(tell, folder), cancelled=cancelled, turn=turn)

    return in_turns((partial(work, folder) for folder in folders), lambda: True)


def test_a_folder_is_read_while_the_one_before_is_put_in_its_place(
    app: App, folders: list[Path], content_of: ContentOf
) -> None:
    read, seen = threading.Event(), []

    def tell(folder: Path, progress: Progress) -> None:
        if folder == folders[1] and progress.stage == PARSE:
            read.set()
        if folder == folders[0] and progress.stage == FINALIZE:
            seen.append(read.wait(PATIENCE_S))

    reports = overlapping(app, folders, tell)
    assert seen == [True]
    assert [(one.index_name, one.files_added) for one in reports] == [("one", 3), ("two", 3), ("three", 3)]
    together = {folder.name: content_of(folder.name) for folder in folders}
    for folder in folders:
        app.catalog.clear(folder.name)
        app.index(folder)
        assert content_of(folder.name) == together[folder.name]


def test_one_that_fails_fails_alone_and_the_order_stays(app: App, folders: list[Path]) -> None:
    folders[1:1] = [folders[0] / "none"]
    first, failed, *others = app.index_each(folders)
    assert isinstance(first, RunReport)
    assert isinstance(failed, WorkspaceError)
    assert [one.index_name for one in others if isinstance(one, RunReport)] == ["two", "three"]


def test_a_folder_that_is_named_twice_is_read_once(app: App, folders: list[Path]) -> None:
    """However long the first one takes: the second one says meanwhile that it waits."""
    waits, again = threading.Event(), folders[0] / ".." / "one"

    def tell(folder: Path, progress: Progress) -> None:
        if folder == again and progress.waits:
            waits.set()
        if folder == folders[0] and progress.stage == FINALIZE:
            assert waits.wait(PATIENCE_S)

    reports = overlapping(app, [folders[0], again], tell)
    assert [(one.files_added, one.files_unchanged) for one in reports] == [(3, 0), (0, 3)]


def test_a_copy_waits_for_what_it_can_copy(app: App, folders: list[Path]) -> None:
    for folder in folders[:2]:
        for number in range(4):
            text = "".join(f"value_{number}_{line} = {line}\n" for line in range(6_000))
            (folder / f"large_{number}.py").write_text(text)
    reports = overlapping(app, folders[:2])
    assert [one.files_reused for one in reports] == [0, 4]


def test_after_a_stop_no_further_one_begins(app: App, folders: list[Path]) -> None:
    stopped = threading.Event()

    def tell(progress: Progress) -> None:
        if progress.stage == FINALIZE:
            stopped.set()

    first, *others = app.index_each(folders, progress=tell, cancelled=stopped.is_set)
    assert isinstance(first, RunReport)
    assert not first.interrupted
    assert [type(one) for one in others] == [OperationCancelled] * 2
    assert [record.name for record in app.catalog.list_all()] == ["one"]


def test_a_stop_ends_both_runs_that_go_on(app: App, folders: list[Path]) -> None:
    stopped = threading.Event()
    for number in range(200):  # several batches
        (folders[1] / f"part_{number}.py").write_text(f"def part_{number}(): ...\n")

    def tell(folder: Path, progress: Progress) -> None:
        if folder == folders[1] and progress.stage == PARSE:
            stopped.set()
        if folder == folders[0] and progress.stage == FINALIZE:
            assert stopped.wait(PATIENCE_S)

    first, second = overlapping(app, folders[:2], tell, stopped.is_set)
    assert (first.files_added, first.interrupted) == (3, False)
    assert (second.files_added + second.files_pending, second.interrupted) == (203, True)
    assert second.files_added > 0


@pytest.mark.parametrize("error", [None, DatabaseTimeoutError("a statement took longer than allowed")])
def test_an_interrupt_ends_all_runs_and_keeps_nothing(
    app: App, folders: list[Path], interruptible: None, error: CocosearchError | None
) -> None:
    """A statement that is ended on the way is not why."""
    errors = []

    def work(turn: Turn) -> None:
        def tell(progress: Progress) -> None:
            if progress.stage == FINALIZE:
                _thread.interrupt_main()
                assert turn.overlap._wait(lambda: turn.aborted)
                if error is not None:
                    raise error

        with pytest.raises(OperationCancelled) as raised:
            run_here(app, folders[0], None, app.indexing_options(), tell, lambda: False, turn=turn)
        errors.append(raised.value)

    with pytest.raises(KeyboardInterrupt):
        in_turns([work], lambda: True)
    assert len(errors) == 1
    assert [job.state for job in app.runs.all()] == ["cancelled"]
    assert app.catalog.list_all() == []
    assert app.index(folders[0]).files_added == 3


def test_workers_of_large_folders_end_with_the_last_one(
    app: App, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, close = [], WorkerPool.close
    monkeypatch.setattr(content, "LARGE_BYTES", 0)
    monkeypatch.setattr(WorkerPool, "close", lambda pool: (closed.append(pool.is_warm), close(pool)))
    overlapping(app, folders)
    assert closed == [True]
