"""Folders and files of the program are closed to other users, whatever the umask."""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cocosearch_py.cli.logs import set_up_logging
from cocosearch_py.config.settings import LoggingSettings
from cocosearch_py.errors import ConfigurationError, SafetyError
from cocosearch_py.model.private import (
    PASSAGE_MODE,
    data_folder_with,
    is_root,
    open_private,
    private_data_folder,
    private_folder,
    put_in_place,
    replace_text,
    write_private,
)
from cocosearch_py.server.logs import LogFile
from cocosearch_py.storage.server.embedded import ensure_running
from cocosearch_py.storage.server.location import locate

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
only_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can make files of another user")
STRANGER = 4242


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], autouse=True)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_new_folders_and_files_are_closed_to_other_users(tmp_path: Path) -> None:
    logs = data_folder_with(tmp_path / "above" / "data", "logs")
    write_private(logs / "note", b"text")
    os.close(open_private(logs / "log", os.O_WRONLY | os.O_APPEND))
    assert mode(logs.parent) == (PASSAGE_MODE if is_root() else 0o700)
    assert (mode(logs), mode(logs / "note"), mode(logs / "log")) == (0o700, 0o600, 0o600)


def test_existing_folders_and_files_lose_the_rights_of_other_users(tmp_path: Path) -> None:
    logs = tmp_path / "data" / "logs"
    logs.mkdir(parents=True)
    (logs / "note").write_text("older text")
    for path, wide in ((logs.parent, 0o777), (logs, 0o755), (logs / "note", 0o664)):
        path.chmod(wide)
    data_folder_with(tmp_path / "data", "logs")
    write_private(logs / "note", b"text")
    assert mode(logs.parent) == (PASSAGE_MODE if is_root() else 0o700)
    assert (mode(logs), mode(logs / "note"), (logs / "note").read_text()) == (0o700, 0o600, "text")


def test_a_data_folder_is_not_opened_further(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o700)
    private_data_folder(tmp_path / "data")
    assert mode(tmp_path / "data") == 0o700


@pytest.mark.parametrize("below", ["", "data"])
def test_a_file_in_the_place_of_a_folder_is_reported(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("kept")
    server = locate(tmp_path / "file" / below)
    for make in (private_data_folder, lambda _: ensure_running(server)):
        with pytest.raises(ConfigurationError, match="is a file") as refused:
            make(tmp_path / "file" / below)
        assert "COCOSEARCH_DATA_DIR" in refused.value.hint


def test_a_folder_shared_by_all_users_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    with pytest.raises(SafetyError, match="shared by all users"):
        data_folder_with(tmp_path / "shared", "logs")
    assert mode(tmp_path / "shared") == 0o1777
    assert not list((tmp_path / "shared").iterdir())


@only_root
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_folder_or_link_of_another_user_is_refused(tmp_path: Path, kind: str) -> None:
    planted, precious = tmp_path / "planted", tmp_path / "precious"
    precious.mkdir()
    precious.chmod(0o755)
    planted.mkdir() if kind == "folder" else planted.symlink_to(precious)
    os.chown(planted, STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(SafetyError, match="another user") as refused:
        private_folder(planted)
    assert "COCOSEARCH_DATA_DIR" in refused.value.hint
    assert mode(precious) == 0o755


def test_a_link_of_the_user_to_a_larger_disk_is_followed(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "large")
    private_folder(tmp_path / "data")
    assert mode(tmp_path / "large") == 0o700


def test_a_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "note").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic link"):
        write_private(tmp_path / "note", b"text")
    assert (tmp_path / "precious").read_text() == "kept"


def _by_rename(target: Path, text: str) -> None:
    unfinished = target.with_name("unfinished")
    unfinished.write_text(text)
    put_in_place(unfinished, target)


@pytest.mark.parametrize("write", [replace_text, _by_rename])
def test_a_new_file_is_private_and_a_replaced_one_keeps_its_mode(
    tmp_path: Path, write: Callable[[Path, str], None]
) -> None:
    write(tmp_path / "new", "text")
    (tmp_path / "old").write_text("before")
    (tmp_path / "old").chmod(0o640)
    write(tmp_path / "old", "text")
    assert (mode(tmp_path / "new"), mode(tmp_path / "old")) == (0o600, 0o640)
    assert (tmp_path / "old").read_text() == "text"


@only_root
def test_a_file_that_another_user_put_there_does_not_open_ours(tmp_path: Path) -> None:
    (tmp_path / "export").write_text("planted")
    (tmp_path / "export").chmod(0o666)
    os.chown(tmp_path / "export", STRANGER, STRANGER)
    replace_text(tmp_path / "export", "text")
    assert (mode(tmp_path / "export"), (tmp_path / "export").stat().st_uid) == (0o600, os.geteuid())


def test_a_log_and_its_predecessors_are_private(tmp_path: Path) -> None:
    file = tmp_path / "log"
    for path in (file, tmp_path / "log.1"):
        path.write_text("older\n")
        path.chmod(0o644)
    log = LogFile(file)
    log.emit(logging.makeLogRecord({"msg": "first"}))
    log.doRollover()
    log.emit(logging.makeLogRecord({"msg": "second"}))
    log.close()
    assert {path.name: (mode(path), path.read_text()) for path in tmp_path.iterdir()} == {
        "log": (0o600, "second\n"),
        "log.1": (0o600, "older\nfirst\n"),
        "log.2": (0o600, "older\n"),
    }


def test_the_log_of_a_command_closes_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    file = tmp_path / "data" / "logs" / "cocosearch-py.log"
    before = logging.getLogger().handlers[:]
    try:
        set_up_logging(LoggingSettings(file=True), file, libraries=False)
    finally:
        logging.basicConfig(handlers=before, force=True)
    assert (mode(file.parent.parent) & 0o066, mode(file.parent), mode(file)) == (0, 0o700, 0o600)
