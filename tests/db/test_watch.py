"""An index follows its folder: runs come after changes that concern it, and after no others."""

import errno
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import watchfiles.main

from cocosearch_py.app import App
from cocosearch_py.discovery.walk import walk_folders
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.indexing.watch import follow
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries.indexes import lock_for_writing

DEADLINE_S = 60.0  # far above what any of it takes


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


class Follower:
    """Follows a folder in a thread, and counts its runs."""

    def __init__(self, app: App, folder: Path, **discovery: Any) -> None:
        self.app, self.folder = app, folder
        self.runs = 0
        self.told: list[str] = []
        self.error: Exception | None = None
        self._stop = Event()
        options = app.indexing_options()
        self.options = replace(options, discovery=replace(options.discovery, **discovery))
        self._thread = Thread(target=self._follow)

    def _follow(self) -> None:
        def run() -> None:
            self.app.index(self.folder, name="shop", options=self.options)
            self.runs += 1

        try:
            follow(self.folder, lambda: self.options, run, self._stop, self.told.append, debounce_ms=100)
        except WorkspaceError as error:
            self.error = error

    def __enter__(self) -> "Follower":
        self._thread.start()
        wait_until(lambda: self.runs > 0 or not self._thread.is_alive())
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive()

    def finds(self, query: str, path: str) -> bool:
        report = self.app.search(SearchRequest(query), index_name="shop")[1]
        return bool(report.hits) and report.hits[0].file_path == path

    def settle(self) -> None:
        """Wait until a change that comes after all others is indexed."""
        name = f"settled_{self.runs}_{time.monotonic_ns()}"
        (self.folder / f"{name}.py").write_text(f"def {name}(): ...\n")
        wait_until(lambda: self.finds(name, f"{name}.py"))


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_changes_are_in_the_index(app: App, sample_repo: Path) -> None:
    with Follower(app, sample_repo) as following:
        (sample_repo / "shop/discounts.py").write_text("def grant_rebate(zebra):\n    return zebra\n")
        wait_until(lambda: following.finds("grant_rebate", "shop/discounts.py"))
        (sample_repo / "shop/discounts.py").rename(sample_repo / "shop/rebates.py")
        wait_until(lambda: following.finds("grant_rebate", "shop/rebates.py"))
        (sample_repo / "new/deep").mkdir(parents=True)
        (sample_repo / "new/deep/first.py").write_text("def find_giraffe(): ...\n")
        wait_until(lambda: following.finds("find_giraffe", "new/deep/first.py"))
        (sample_repo / "new/deep/second.py").write_text("def find_penguin(): ...\n")
        wait_until(lambda: following.finds("find_penguin", "new/deep/second.py"))
        (sample_repo / "new").rename(sample_repo / "other")
        wait_until(lambda: following.finds("find_penguin", "other/deep/second.py"))
        assert following.told == []


def test_what_is_ignored_is_no_reason_for_a_run(app: App, sample_repo: Path) -> None:
    (sample_repo / ".gitignore").write_text("*.log\nbuild/\n")
    (sample_repo / "build").mkdir()
    (sample_repo / "node_modules/one").mkdir(parents=True)
    with Follower(app, sample_repo, exclude=("*.tmp",)) as following:
        for path in ("a.log", "shop/b.log", "build/c.py", "node_modules/one/d.js", "e.tmp"):
            (sample_repo / path).write_text("x = 1\n")
        following.settle()
        before = following.runs
        for path in ("a.log", "shop/b.log", "build/c.py", "node_modules/one/d.js", "e.tmp"):
            (sample_repo / path).write_text("x = 2\n")
        following.settle()
        assert following.runs == before + 1
        (sample_repo / ".gitignore").write_text("build/\n")
        wait_until(lambda: app.catalog.find("shop").file_count > 8)
        before = following.runs
        (sample_repo / "shop/b.log").write_text("def find_walrus(): ...\n")
        wait_until(lambda: following.finds("find_walrus", "shop/b.log"))


def test_only_folders_with_files_of_the_index_are_watched(app: App, sample_repo: Path) -> None:
    (sample_repo / ".gitignore").write_text("build/\n")
    for path in ("build/deep", "node_modules/one", "empty", ".venv/lib"):
        (sample_repo / path).mkdir(parents=True)
    for path in ("build/deep/a.py", "node_modules/one/b.js", ".venv/lib/c.py"):
        (sample_repo / path).write_text("x = 1\n")
    git(sample_repo, "init", "-q")
    walked = walk_folders(sample_repo, app.indexing_options().discovery)
    names = {"", "/shop", "/web", "/server", "/docs", "/empty"}
    assert walked.paths == {f"{sample_repo}{name}" for name in names}


def test_branches_and_commits_are_followed(app: App, sample_repo: Path) -> None:
    git(sample_repo, "init", "-q", "-b", "main")
    git(sample_repo, "add", ".")
    git(sample_repo, "commit", "-qm", "one")
    with Follower(app, sample_repo) as following:
        git(sample_repo, "checkout", "-qb", "feature")
        wait_until(lambda: app.catalog.find("shop").git_branch == "feature")
        git(sample_repo, "commit", "-qm", "two", "--allow-empty")
        wait_until(lambda: app.catalog.drift(app.catalog.find("shop")) is None)
        git(sample_repo, "rm", "-q", "shop/discounts.py")
        git(sample_repo, "commit", "-qm", "three")
        wait_until(lambda: app.catalog.find("shop").file_count == 5)
        git(sample_repo, "checkout", "-q", "main")
        wait_until(lambda: following.finds("apply_discount", "shop/discounts.py"))
        wait_until(lambda: app.catalog.find("shop").git_branch == "main")


def test_a_worktree_is_followed(app: App, sample_repo: Path, tmp_path: Path) -> None:
    git(sample_repo, "init", "-q", "-b", "main")
    git(sample_repo, "add", ".")
    git(sample_repo, "commit", "-qm", "one")
    worktree = tmp_path / "second"
    git(sample_repo, "worktree", "add", "-q", "-b", "feature", str(worktree))
    with Follower(app, worktree) as following:
        git(worktree, "commit", "-qm", "two", "--allow-empty")
        wait_until(lambda: app.catalog.drift(app.catalog.find("shop")) is None)
        (sample_repo / "shop/discounts.py").write_text("def elsewhere(): ...\n")
        following.settle()
        assert not following.finds("elsewhere", "shop/discounts.py")


def test_another_run_is_waited_for(app: App, sample_repo: Path) -> None:
    with Follower(app, sample_repo) as following:
        with app.database.writing() as conn:
            lock_for_writing(conn, "shop")
            (sample_repo / "late.py").write_text("def find_walrus(): ...\n")
            wait_until(lambda: bool(following.told))
        wait_until(lambda: following.finds("find_walrus", "late.py"))
        assert len(following.told) == 1
        assert "another process" in following.told[0]


def test_without_watches_of_the_system_files_are_looked_at(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with few_watches(monkeypatch), Follower(app, sample_repo) as following:
        assert "max_user_watches" in following.told[0]
        (sample_repo / "late.py").write_text("def find_walrus(): ...\n")
        wait_until(lambda: following.finds("find_walrus", "late.py"))


@contextmanager
def few_watches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system that refuses, as one does whose limit is reached."""
    real = watchfiles.main.RustNotify

    def refuse(paths: list[str], debug: bool, force_polling: bool, *more: Any) -> Any:
        if not force_polling:
            raise OSError(errno.ENOSPC, "OS file watch limit reached.")
        return real(paths, debug, force_polling, *more)

    with monkeypatch.context() as patch:
        patch.setattr(watchfiles.main, "RustNotify", refuse)
        yield


def test_a_folder_that_goes_ends_the_watch(app: App, sample_repo: Path, tmp_path: Path) -> None:
    with Follower(app, sample_repo) as following:
        sample_repo.rename(tmp_path / "away")
        wait_until(lambda: following.error is not None)
    assert app.catalog.find("shop").file_count == 6
