"""Our own code never waits for a named pipe that lies where it expects a file."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.clients import files as client_files
from cocosearch_py.config.auditfile import read_audit_file
from cocosearch_py.config.paths import git_ignore_file
from cocosearch_py.discovery.gitignore import read_lines
from cocosearch_py.discovery.regular_files import open_regular, read_regular
from cocosearch_py.editing.permission import ignored_by
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.features.audit.baseline import read_baseline

pytestmark = [pytest.mark.usefixtures("no_hang"), pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")]


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.toml")
    return tmp_path / "pipe.toml"


@pytest.mark.parametrize("path", ["pipe.toml", "link", "folder", "missing", "/dev/zero", "a\0b"])
def test_only_regular_files_are_opened(pipe: Path, path: str) -> None:
    (pipe.parent / "link").symlink_to(pipe)
    (pipe.parent / "folder").mkdir()
    with pytest.raises(OSError):
        open_regular(pipe.parent / path)


def test_a_link_is_followed_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", 1) == b"x"
    with pytest.raises(OSError):
        read_regular(tmp_path / "link", 1, follow_links=False)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"xx")
    with pytest.raises(OSError, match="larger than 1 bytes") as refused:
        read_regular(tmp_path / "file", 1)
    assert refused.value.errno == errno.EFBIG


@pytest.mark.parametrize("read", [read_baseline, read_audit_file, client_files.read])
def test_a_pipe_in_place_of_a_file_that_a_call_names_is_an_error(pipe: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(ConfigurationError, match="not a regular file"):
        read(pipe)


def test_a_pipe_in_place_of_an_ignore_file_reads_as_none(pipe: Path) -> None:
    assert read_lines(pipe, follow_links=True) is None


def test_a_pipe_in_place_of_the_users_git_configuration_says_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitconfig")
    assert git_ignore_file({"HOME": str(tmp_path)}) is None


@pytest.mark.parametrize("name", ["config", "config.worktree"])
def test_a_pipe_in_place_of_a_repositorys_configuration_holds_up_no_edit(tmp_path: Path, name: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(tmp_path / ".git" / name)
    assert ignored_by(tmp_path, "a.py", None) is None


def test_git_decides_where_a_repositorys_configuration_is_too_large_to_read(tmp_path: Path) -> None:
    """An ignore file named behind the limit counts as well."""
    (tmp_path / "mine").write_text("*.py\n")
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "refs").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    filler = "# filler\n" * 200_000
    (tmp_path / ".git" / "config").write_text(f"{filler}[core]\n\texcludesFile = {tmp_path / 'mine'}\n")
    assert "*.py" in (ignored_by(tmp_path, "a.py", None) or "")
