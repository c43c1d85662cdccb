"""Terms of a run that are too many for its memory: the vocabulary is the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.storage.write import terms, writer

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
FILES = 200


@pytest.fixture(params=[1, 1_000_000], ids=["own", "shared"], autouse=True)
def _leaves(request: pytest.FixtureRequest, app: App) -> None:
    """Indexes have leaves of their own, or share them."""
    app.database.own_leaf_chunks = request.param


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(FILES):
        write(root / f"module_{number:03}.py", f"function_{number}")
    return root


def write(path: Path, word: str) -> None:
    body = "".join(f"    {word}_{step} = compute({step})\n" for step in range(50))
    path.write_text(f"def {word}():\n{body}    return 0\n")


def clean(app: App, folder: Path) -> None:
    """An index of the folder in which nothing comes from another one."""
    app.index(folder, name="clean", options=app.indexing_options(fresh=True))


@pytest.fixture
def spilled(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often terms were too many, of which only ten may be in memory."""
    times = 0
    spill = terms.TermCounts._spill

    def counted(self: terms.TermCounts) -> None:
        nonlocal times
        times += 1
        spill(self)

    monkeypatch.setattr(terms, "MOST_IN_MEMORY", 10)
    monkeypatch.setattr(terms, "_PAGE", 7)
    monkeypatch.setattr(writer, "_FILES_AT_ONCE", 3)
    monkeypatch.setattr(writer, "_MOST_WAITING_BYTES", 0)  # rows are sent batch by batch
    monkeypatch.setattr(terms.TermCounts, "_spill", counted)
    return lambda: times


def test_a_build_with_many_terms_has_all_of_them(
    app: App, folder: Path, content_of: ContentOf, spilled: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.index(folder, name="cut")
    assert spilled() > 1
    monkeypatch.setattr(terms, "MOST_IN_MEMORY", 1_000_000)
    before = spilled()
    clean(app, folder)
    assert spilled() == before
    assert content_of("cut") == content_of("clean")


def test_updates_with_many_terms_leave_none_too_many(
    app: App, folder: Path, content_of: ContentOf, spilled: Callable[[], int]
) -> None:
    app.index(folder, name="cut")
    before = spilled()
    for number in range(0, FILES, 2):
        write(folder / f"module_{number:03}.py", f"changed_{number}")
    for number in range(1, FILES, 20):
        (folder / f"module_{number:03}.py").unlink()
    app.index(folder, name="cut")
    assert spilled() > before
    clean(app, folder)
    assert content_of("cut") == content_of("clean")


def test_copies_of_another_index_with_many_terms_have_all_of_them(
    app: App, folder: Path, tmp_path: Path, content_of: ContentOf, spilled: Callable[[], int]
) -> None:
    app.index(folder, name="first")
    (tmp_path / "other").mkdir()
    for number in range(0, FILES, 3):
        write(tmp_path / "other" / f"module_{number:03}.py", f"function_{number}")
    for number in range(FILES):
        write(tmp_path / "other" / f"other_{number:03}.py", f"other_{number}")
    report = app.index(tmp_path / "other", name="cut")
    assert report.files_reused == len(range(0, FILES, 3))
    clean(app, tmp_path / "other")
    assert content_of("cut") == content_of("clean")
