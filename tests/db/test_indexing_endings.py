"""Runs that end early, and what they leave: files that are kept, files that are pending, files that fail again."""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cocosearch_py.app import App
from cocosearch_py.errors import CocosearchError, EmbeddingError
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.pipeline import run_indexing
from cocosearch_py.indexing.pool import Lost, Result, WorkerPool, _Worker
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.indexing.run import Resources, RunControl, Thresholds
from cocosearch_py.indexing.tasks import BatchTask
from cocosearch_py.model.ports import Embedder

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
FILES = 200


class Endpoint:
    """An embedder behind a network that fails from some call on."""

    def __init__(self, behind: Embedder, good_calls: int) -> None:
        self._behind, self._left = behind, good_calls
        self.name, self.dimension = behind.name, behind.dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._left -= 1
        if self._left < 0:
            raise EmbeddingError("the endpoint refused the request with status 429", hint="wait")
        return self._behind.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._behind.embed_query(text)


class TiredWorkers(WorkerPool):
    """Workers of which nothing is left after one batch."""

    def run(self, tasks: Iterable[BatchTask], *rest: Any, **more: Any) -> Iterator[Result]:
        yield from islice(super().run(tasks, *rest, **more), 1)
        raise CocosearchError("the worker processes end as soon as they start", hint="free some memory")


class FatalFiles(WorkerPool):
    """Workers that die of each batch with `fatal` in a path."""

    def run(self, tasks: Iterable[BatchTask], *rest: Any, **more: Any) -> Iterator[Result]:
        for task, batch in super().run(tasks, *rest, **more):
            yield task, Lost("it crashed") if any("fatal" in file.path for file in task.files) else batch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Several batches, and more than one process prepares alone."""
    root = tmp_path / "root"
    root.mkdir()
    write(root, "first")
    return root


def write(root: Path, word: str) -> None:
    for number in range(FILES):
        body = "".join(f"    {word}_{step} = compute({number}, {step})\n" for step in range(50))
        (root / f"module_{number:03}.py").write_text(f"def {word}_function_{number}():\n{body}    return 0\n")


def run(
    app: App,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    pool: WorkerPool | None = None,
    options: IndexingOptions | None = None,
) -> RunReport:
    shared = app._resources
    models = (lambda: embedder or shared.embedder, embedder is not None)
    resources = Resources(shared.database, lambda: pool or shared.pool, *models)
    control = RunControl(lambda _: None, lambda: False)
    return run_indexing(folder, "cut", options or app.indexing_options(), resources, control)


def failing(app: App, good_calls: int) -> dict[str, Any]:
    return {"embedder": Endpoint(app.embedder, good_calls), "pool": WorkerPool(1, None)}


def assert_goes_on(app: App, folder: Path, content_of: ContentOf, kept: int) -> None:
    """The record tells what is kept, the next run does the rest, and all is as if nothing had happened."""
    record = app.catalog.find("cut")
    assert (record.status, record.pending_file_count) == ("interrupted", FILES - kept)
    report = app.index(folder, name="cut")
    assert report.files_unchanged == kept
    assert report.files_added + report.files_updated == FILES - kept
    record = app.catalog.find("cut")
    assert (record.status, record.file_count, record.pending_file_count) == ("complete", FILES, 0)
    app.index(folder, name="clean", options=app.indexing_options(fresh=True))
    assert content_of("cut") == content_of("clean")


@pytest.mark.parametrize("update", [None, "second", "other"])
def test_an_endpoint_that_fails_in_the_middle_loses_no_finished_file(
    app: App, folder: Path, content_of: ContentOf, update: str | None
) -> None:
    """Nor a change that it did not reach, even one that keeps size and time."""
    if update is not None:
        app.index(folder, name="cut")
        before = {path: path.stat() for path in folder.iterdir()}
        write(folder, update)
        for path, old in before.items() if len(update) == len("first") else ():
            os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
            assert path.stat().st_size == old.st_size
    with pytest.raises(EmbeddingError, match="429") as caught:
        run(app, folder, **failing(app, 2))
    chunks = content_of("cut")["chunks"]
    kept = len({row[0] for row in chunks if (update or "first") in row[6]})
    assert 0 < kept < FILES
    assert caught.value.hint.startswith(f"wait; {kept:,} of {FILES:,} files are done")
    assert app.catalog.find("cut").file_count == (FILES if update else kept)
    assert_goes_on(app, folder, content_of, kept)


def test_an_endpoint_that_fails_in_a_rebuild_leaves_the_complete_index(
    app: App, folder: Path, content_of: ContentOf
) -> None:
    app.index(folder, name="cut")
    before, record = content_of("cut"), app.catalog.find("cut")
    with pytest.raises(EmbeddingError) as caught:
        run(app, folder, **failing(app, 2), options=app.indexing_options(fresh=True))
    assert "the index is unchanged" in caught.value.hint
    assert content_of("cut") == before
    assert app.catalog.find("cut") == record


def test_an_endpoint_that_fails_at_once_changes_nothing(app: App, folder: Path, content_of: ContentOf) -> None:
    with pytest.raises(EmbeddingError) as caught:
        run(app, folder, **failing(app, 0))
    assert caught.value.hint == "wait"
    assert app.catalog.list_all() == []
    app.index(folder, name="cut")
    before = content_of("cut")
    write(folder, "second")
    with pytest.raises(EmbeddingError):
        run(app, folder, **failing(app, 0))
    assert content_of("cut") == before


def test_workers_that_give_up_in_the_middle_lose_no_finished_file(
    app: App, folder: Path, content_of: ContentOf
) -> None:
    pool = TiredWorkers(1, None)
    try:
        with pytest.raises(CocosearchError, match="as soon as they start") as caught:
            run(app, folder, pool=pool)
    finally:
        pool.close()
    kept = app.catalog.find("cut").file_count
    assert 0 < kept < FILES
    assert f"{kept:,} of {FILES:,} files are done" in caught.value.hint
    assert_goes_on(app, folder, content_of, kept)


def test_a_file_that_killed_its_worker_is_not_tried_again_until_it_changes(app: App, folder: Path) -> None:
    (folder / "fatal.py").write_text("def fatal(): ...\n")
    pool = FatalFiles(1, app._resources.pool._embedding)
    try:
        failed = run(app, folder, pool=pool).files_failed
    finally:
        pool.close()
    assert 0 < failed < FILES
    record = app.catalog.find("cut")
    report = app.index(folder, name="cut")
    assert (report.files_failed, report.files_unchanged) == (failed, record.file_count)
    os.utime(folder / "fatal.py", ns=(1, 1))
    assert app.index(folder, name="cut").files_failed == failed  # the same content at another time
    assert app.catalog.find("cut").generation == record.generation
    (folder / "fatal.py").write_text("def mended(): ...\n")
    report = app.index(folder, name="cut")
    assert (report.files_added, report.files_failed) == (1, failed - 1)


def too_deep(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder that the walk cannot list."""
    monkeypatch.chdir(root)
    for _ in range(25):  # 25 x 200 bytes pass the longest path most systems take
        os.mkdir("d" * 200)
        os.chdir("d" * 200)


def test_what_fails_again_for_the_same_reason_is_no_change(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_deep(sample_repo, monkeypatch)
    if os.geteuid() != 0:  # root may read everything
        (sample_repo / "shop/cart.py").chmod(0)
    first = app.index(sample_repo, name="cut")
    assert first.files_failed
    record = app.catalog.find("cut")
    report = app.index(sample_repo, name="cut")
    assert (report.files_failed, report.files_unchanged) == (first.files_failed, first.files_added)
    assert app.catalog.find("cut").generation == record.generation


def test_an_unchanged_run_asks_git_once_and_the_branch_not_at_all(
    app: App, sample_repo: Path, git_runs: Callable[[], list[str]]
) -> None:
    identity = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    (sample_repo / ".gitignore").write_text("*.pyc\n")
    (sample_repo / "old").mkdir()
    (sample_repo / "old/left.pyc").write_text("x")
    for command in (["init", "-q", "-b", "trunk"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*identity, *command], cwd=sample_repo, check=True)
    app.index(sample_repo, name="cut")
    git_runs()
    app.index(sample_repo, name="cut")
    assert len(git_runs()) == 1
    record = app.catalog.find("cut")
    assert record.git_branch == "trunk"
    assert app.catalog.drift(record) is None
    subprocess.run([*identity, "commit", "-q", "--allow-empty", "-m", "y"], cwd=sample_repo, check=True)
    git_runs()
    assert "the checkout is now on trunk at" in (app.catalog.drift(record) or "")
    assert git_runs() == []


@pytest.mark.parametrize("is_large", [False, True])
def test_the_workers_of_a_large_run_end_with_its_files(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    """And are replaced on the way, which such a run says with each task."""
    if is_large:
        app.thresholds = Thresholds(large_bytes=0)
    tasks, give = [], _Worker.give
    monkeypatch.setattr(_Worker, "give", lambda worker, task: (tasks.append(task), give(worker, task)))
    report = app.index(sample_repo, is_suspect=True)  # else this process would do so little
    assert report.files_added == 6
    assert [task.renews for task in tasks] == [is_large] * len(tasks) != []
    assert app._resources.pool.is_warm != is_large
