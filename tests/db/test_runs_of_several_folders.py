"""Several folders indexed by one call, one after the other with the same workers."""

import shutil
import threading
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import OperationCancelled, WorkspaceError
from cocosearch_py.indexing.progress import FINALIZE, PARSE, Progress, RunReport


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Three folders, named one after the other."""
    made = [tmp_path / name for name in ("one", "two", "three")]
    for folder in made:
        folder.mkdir()
        for number in range(3):
            (folder / f"{folder.name}_{number}.py").write_text(f"def {folder.name}_{number}(): ...\n")
    return made


def reports_of(outcomes: list[RunReport | Exception]) -> list[RunReport]:
    return [outcome for outcome in outcomes if isinstance(outcome, RunReport)]


def test_a_folder_that_fails_fails_alone_and_the_order_stays(app: App, folders: list[Path]) -> None:
    folders[1:1] = [folders[0] / "none"]
    outcomes = app.index_each(folders)
    assert isinstance(outcomes[1], WorkspaceError)
    assert [(one.index_name, one.files_added) for one in reports_of([*outcomes])] == [
        ("one", 3),
        ("two", 3),
        ("three", 3),
    ]


def test_a_folder_named_twice_is_read_once(app: App, folders: list[Path]) -> None:
    outcomes = app.index_each([folders[0], folders[0] / ".." / "one"])
    assert [(one.files_added, one.files_unchanged) for one in reports_of([*outcomes])] == [(3, 0), (0, 3)]


def test_a_worktree_is_copied_from_the_folder_before_it(app: App, folders: list[Path]) -> None:
    for number in range(4):
        text = "".join(f"value_{number}_{line} = {line}\n" for line in range(6_000))
        (folders[0] / f"large_{number}.py").write_text(text)
    shutil.copytree(folders[0], folders[1], dirs_exist_ok=True)
    assert [one.files_reused for one in reports_of([*app.index_each(folders[:2])])] == [0, 7]


def test_after_a_stop_no_further_run_begins(app: App, folders: list[Path]) -> None:
    stopped = threading.Event()

    def tell(progress: Progress) -> None:
        if progress.stage == FINALIZE:
            stopped.set()

    first, *others = app.index_each(folders, progress=tell, cancelled=stopped.is_set)
    assert isinstance(first, RunReport)
    assert not first.interrupted
    assert [type(one) for one in others] == [OperationCancelled] * 2
    assert [record.name for record in app.catalog.list_all()] == ["one"]


def test_a_stop_keeps_what_the_current_run_has_done(app: App, folders: list[Path]) -> None:
    stopped = threading.Event()
    for number in range(200):  # several batches
        (folders[0] / f"part_{number}.py").write_text(f"def part_{number}(): ...\n")

    def tell(progress: Progress) -> None:
        if progress.stage == PARSE:
            stopped.set()

    first, second = app.index_each(folders[:2], progress=tell, cancelled=stopped.is_set)
    assert isinstance(first, RunReport)
    assert (first.files_added + first.files_pending, first.interrupted) == (203, True)
    assert first.files_added > 0
    assert isinstance(second, OperationCancelled)
