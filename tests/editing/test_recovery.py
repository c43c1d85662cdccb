"""What a dead process left of an edit: the file is old or new, the log says which, and only its own files go."""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests import forking

from cocosearch_py.app import App
from cocosearch_py.editing.recovery import Outcome, settle
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.changes import Intent, Pending
from cocosearch_py.server.engines import EnginePool
from cocosearch_py.storage.queries import changes

OLD, NEW, OTHER = b"first\nold\nlast\n", b"first\nnew\nlast\n", b"somebody else's\n"
PART = NEW[:7]
BEGUN = """
import os, sys
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.changes import Intent
root, url, data, path, when = sys.argv[1:]
app = App(Settings(database=DatabaseSettings(url=url)), Path(data))
old, new = b"first\\nold\\nlast\\n", b"first\\nnew\\nlast\\n"
pending = app.change_log.begin(Intent(root, path, "replace", "test", old, new))
Path(root, pending.temporary).write_bytes(new)
if when == "after":
    os.replace(Path(root, pending.temporary), Path(root, path))
os._exit(9)
"""

# before, after, then contents: of the file, of the file beside, of the second link; what is known and what is left.
CASES = [
    (OLD, NEW, OLD, None, None, Outcome.NOT_MADE, OLD, []),
    (OLD, NEW, OLD, b"", None, Outcome.NOT_MADE, OLD, []),
    (OLD, NEW, OLD, PART, None, Outcome.NOT_MADE, OLD, []),
    (OLD, NEW, OLD, NEW, None, Outcome.NOT_MADE, OLD, []),
    (OLD, NEW, OLD, NEW, OLD, Outcome.NOT_MADE, OLD, []),
    (OLD, NEW, NEW, None, None, Outcome.MADE, NEW, []),
    (OLD, NEW, NEW, OLD, None, Outcome.MADE, NEW, []),
    (OLD, NEW, NEW, None, OLD, Outcome.MADE, NEW, []),
    (OLD, NEW, NEW, OTHER, None, Outcome.NOT_MADE, OTHER, []),
    (OLD, NEW, OTHER, PART, None, Outcome.NOT_MADE, OTHER, []),
    (OLD, NEW, OTHER, OLD, None, Outcome.MADE, OTHER, []),
    (OLD, NEW, OTHER, NEW, OLD, Outcome.NOT_MADE, OTHER, []),
    (OLD, NEW, OTHER, None, OLD, Outcome.MADE, OTHER, []),
    (OLD, NEW, OTHER, None, None, Outcome.UNSURE, OTHER, []),
    (OLD, NEW, OTHER, OTHER + OTHER, None, Outcome.UNSURE, OTHER, [OTHER + OTHER]),
    (OLD, NEW, None, OLD, None, Outcome.MADE, None, []),
    (OLD, OLD + b"more\n", OTHER, OLD, None, Outcome.UNSURE, OTHER, []),
    (None, NEW, None, PART, None, Outcome.NOT_MADE, None, []),
    (None, NEW, NEW, None, None, Outcome.MADE, NEW, []),
    (None, NEW, OTHER, NEW, None, Outcome.NOT_MADE, OTHER, []),
    (OLD, None, OLD, None, None, Outcome.NOT_MADE, OLD, []),
    (OLD, None, None, OLD, None, Outcome.MADE, None, []),
    (OLD, None, None, None, None, Outcome.MADE, None, []),
    (OLD, None, None, OTHER, None, Outcome.NOT_MADE, OTHER, []),
]


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def test_what_lies_there_tells_what_became_of_a_change(tmp_path: Path) -> None:
    for number, (before, after, now, beside, link, outcome, file, left) in enumerate(CASES):
        root = tmp_path / str(number)
        root.mkdir()
        (root / ".cocosearch-0000000000000000.tmp").write_bytes(b"of another edit")
        pending = Pending(1, f"{number + 1:016x}", Intent(str(root), "f", "replace", "test", before, after))
        for name, content in (("f", now), (pending.temporary, beside), (pending.backup, link)):
            if content is not None:
                (root / name).write_bytes(content)
        assert settle(pending) is outcome, number
        found = {path.name: path.read_bytes() for path in root.iterdir()}
        assert found.pop(".cocosearch-0000000000000000.tmp") == b"of another edit"
        assert (found.pop("f", None), sorted(found.values())) == (file, left), number


def test_a_link_in_the_place_of_a_file_or_folder_is_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "f").write_bytes(NEW)
    os.symlink(outside, root / "sub")
    pending = Pending(1, f"{1:016x}", Intent(str(root), "sub/f", "replace", "test", OLD, NEW))
    (outside / pending.temporary).write_bytes(OLD)
    assert settle(pending) is Outcome.UNSURE
    assert sorted(os.listdir(outside)) == sorted(["f", pending.temporary])
    os.symlink(outside / "f", root / "f")
    assert settle(Pending(1, f"{1:016x}", Intent(str(root), "f", "replace", "test", OLD, NEW))) is Outcome.UNSURE


def test_a_server_that_begins_settles_what_dead_processes_left_in_all_folders(
    app: App, conn: psycopg.Connection, database_url: str, data_folder: Path, tmp_path: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
        (folder / "a.py").write_bytes(OLD)
        command = [sys.executable, "-c", BEGUN, str(folder), database_url, str(data_folder), "a.py", "after"]
        assert forking.run(command).returncode == 9
    engines = EnginePool({"COCOSEARCH_DATA_DIR": str(data_folder)}, mends=True)
    engines.under(app.settings)
    engines.close()  # waits until all is put right
    assert [os.listdir(folder) for folder in folders] == [["a.py"], ["a.py"]]
    assert [len(changes.since(conn, str(folder), most=10)) for folder in folders] == [1, 1]


@pytest.mark.parametrize("is_made", [False, True])
def test_a_change_that_a_failing_disk_breaks_off_is_settled_next(
    app: App, conn: psycopg.Connection, tmp_path: Path, is_made: bool
) -> None:
    root, log = tmp_path, app.change_log
    (root / "a.py").write_bytes(OLD)
    pending = log.begin(Intent(str(root), "a.py", "replace", "test", OLD, NEW))
    with pytest.raises(WorkspaceError, match="failed"), log.carried_out(pending):
        (root / pending.temporary).write_bytes(NEW)
        if is_made:
            os.replace(root / pending.temporary, root / "a.py")
        raise OSError(errno.EIO, "failed")
    now = log.begin(Intent(str(root), "a.py", "replace", "test", NEW if is_made else OLD, OTHER))  # nobody holds it
    log.abandon(now)
    assert [one.sure for one in changes.since(conn, str(root), most=10)] == ([True] if is_made else [])
    assert os.listdir(root) == ["a.py"]
    assert conn.execute("SELECT count(*) FROM cocosearch_py.changes WHERE seq IS NULL").fetchone() == (0,)


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_next_edit_settles_what_a_dead_process_left(
    app: App, conn: psycopg.Connection, database_url: str, data_folder: Path, tmp_path: Path, when: str
) -> None:
    root, log = tmp_path, app.change_log
    (root / "a.py").write_bytes(OLD)
    command = [sys.executable, "-c", BEGUN, str(root), database_url, str(data_folder), "a.py", when]
    assert forking.run(command).returncode == 9
    mine = log.begin(Intent(str(root), "c.py", "replace", "test", OLD, NEW))  # and lives
    found = changes.since(conn, str(root), most=10)
    assert [(one.path, one.sure) for one in found] == ([("a.py", True)] if when == "after" else [])
    assert os.listdir(root) == ["a.py"]
    assert (log.recover(str(root)), log.finish(mine).path) == ([], "c.py")
    assert conn.execute("SELECT count(*) FROM cocosearch_py.changes WHERE seq IS NULL").fetchone() == (0,)
