"""What runs and repairs see on disk is in the log, once, and what was made through the log is not in it twice."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.model.changes import Change, Intent, hash_of_bytes
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries import changes


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def told(found: list[Change]) -> list[tuple[str, str]]:
    return [(one.op, one.path) for one in found]


def test_an_update_tells_what_it_saw(app: App, conn: psycopg.Connection, sample_repo: Path) -> None:
    root = str(sample_repo)
    (sample_repo / "gone.py").write_text("GONE = 1\n")
    (sample_repo / "hidden.py").write_text("HIDDEN = 1\n")
    app.index(sample_repo, name="shop")
    assert changes.since(conn, root, most=10) == []
    (sample_repo / "gone.py").unlink()
    (sample_repo / ".gitignore").write_text("hidden.py\n")  # which leaves the index, and stays on disk
    (sample_repo / "new.py").write_text("NEW = 1\n")
    changed = next(path for path in sorted(sample_repo.rglob("*.py")) if path.name not in ("hidden.py", "new.py"))
    old, relative = changed.read_bytes(), changed.relative_to(sample_repo).as_posix()
    changed.write_bytes(old + b"\nADDED = 1\n")
    app.index(sample_repo, name="shop")
    found = changes.since(conn, root, most=10)
    assert [one.seq for one in found] == [1, 2, 3, 4]
    assert {*told(found)} == {
        ("added", ".gitignore"),
        ("added", "new.py"),
        ("deleted", "gone.py"),
        ("modified", relative),
    }
    modified = next(one for one in found if one.op == "modified")
    assert (modified.hash_before, modified.hash_after) == (hash_of_bytes(old), hash_of_bytes(changed.read_bytes()))
    assert {one.source for one in found} == {"watcher"} and not any(one.restorable for one in found)
    app.index(sample_repo, name="shop")
    app.index(sample_repo, name="another")
    assert changes.last_seq(conn, root) == 4


def test_a_rebuild_tells_what_has_changed_since_the_index_was_made(
    app: App, conn: psycopg.Connection, sample_repo: Path, database_url: str, data_folder: Path
) -> None:
    app.index(sample_repo, name="shop")
    (sample_repo / "new.py").write_text("NEW = 1\n")
    app.index(sample_repo, name="shop", options=app.indexing_options(fresh=True))
    assert told(changes.since(conn, str(sample_repo), most=10)) == [("added", "new.py")]
    (sample_repo / "new.py").write_text("NEW = 2\n")
    narrow = Settings(
        database=DatabaseSettings(url=database_url),
        indexing=IndexingSettings(workers=1, exclude_patterns=("*.md",)),
    )
    with App(narrow, data_folder) as other:  # what it leaves out is no change of a file
        other.index(sample_repo, name="shop")
    assert told(changes.since(conn, str(sample_repo), seq=1, most=10)) == [("modified", "new.py")]


def test_what_an_interrupted_first_run_left_is_no_change(app: App, conn: psycopg.Connection, tmp_path: Path) -> None:
    for number in range(150):  # more than two batches of files
        (tmp_path / f"file_{number:03}.py").write_text(f"VALUE = {number}\n")
        os.utime(tmp_path / f"file_{number:03}.py", (1_700_000_000, 1_700_000_000))
    assert app.index(tmp_path, name="cut", cancelled=lambda: True).files_pending
    (tmp_path / "new.py").write_text("NEW = 1\n")
    assert app.index(tmp_path, name="cut").files_added > 1
    assert told(changes.since(conn, str(tmp_path), most=10)) == [("added", "new.py")]


def test_an_edit_that_is_seen_is_one_row(app: App, conn: psycopg.Connection, sample_repo: Path) -> None:
    app.repair_wait_s = 60
    file, root = sample_repo / "note.py", str(sample_repo)
    texts = [f"def unusual_word_{n}():\n    return {n}\n".encode() for n in range(4)]
    file.write_bytes(texts[0])
    app.index(sample_repo, name="shop")

    def edit(old: bytes, new: bytes) -> None:
        pending = app.change_log.begin(Intent(root, "note.py", "replace", "test", old, new))
        file.write_bytes(new)
        app.change_log.finish(pending)

    def seqs() -> list[str]:
        return [one.source for one in changes.since(conn, root, most=10)]

    edit(texts[0], texts[1])
    app.answer(lambda: app.search(SearchRequest("unusual_word_0"), index_name="shop"))  # repairs
    assert seqs() == ["agent"]
    edit(texts[1], texts[2])
    edit(texts[2], texts[3])
    app.index(sample_repo, name="shop")
    assert seqs() == ["agent"] * 3
    file.write_bytes(texts[1])  # by hand, a content that the log has had before
    app.answer(lambda: app.search(SearchRequest("unusual_word_3"), index_name="shop"))
    assert seqs() == ["agent"] * 3 + ["watcher"]
    pending = app.change_log.begin(Intent(root, "note.py", "replace", "test", texts[1], texts[0]))
    file.write_bytes(texts[0])
    app.index(sample_repo, name="shop")  # between the file and its row
    app.change_log.finish(pending)
    assert seqs() == ["agent"] * 3 + ["watcher", "agent"]
    (sample_repo / "late.py").write_bytes(b"LATE = 22\n")  # edited before any index has it
    pending = app.change_log.begin(Intent(root, "late.py", "replace", "test", b"LATE = 1\n", b"LATE = 22\n"))
    app.change_log.finish(pending)
    app.index(sample_repo, name="shop")
    assert seqs() == ["agent"] * 3 + ["watcher", "agent", "agent"]
