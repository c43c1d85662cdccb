"""How a file is written: it keeps all but its content, and what somebody else writes meanwhile is never lost."""

import errno
import fcntl
import os
import platform
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.editing import writing
from cocosearch_py.editing.paths import make_folders, real_place
from cocosearch_py.editing.writing import Place
from cocosearch_py.errors import BusyError, ConflictError, NotFoundError, SafetyError

RENAMEAT2 = {"x86_64": 316, "aarch64": 276}
# Has a filter of system calls answer with an error, for good, then runs tests.
REFUSED = """
import ctypes, struct, sys
number, error = int(sys.argv[1]), int(sys.argv[2])
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | error), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit(9)
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not cannot_be_exchanged", sys.argv[3]]))
"""
MOST, TEMPORARY = 10_000_000, ".cocosearch-0123456789abcdef.tmp"


def replace(root: Path, path: str, data: bytes, kind: type[Place] = Place) -> None:
    with kind(str(root), real_place(str(root), path)) as place:
        seen = place.read(MOST)
        assert seen is not None
        place.replace(seen, data, TEMPORARY)


def names(root: Path) -> list[str]:
    return sorted(os.listdir(root))


def test_a_file_keeps_its_mode_and_attributes(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"old")
    file.chmod(0o751)
    os.setxattr(file, "user.note", b"kept")
    replace(tmp_path, "run.sh", b"new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o751)
    assert os.getxattr(file, "user.note") == b"kept"
    assert names(tmp_path) == ["run.sh"]


def test_a_link_stays_one_and_leads_nowhere_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "inner").mkdir(parents=True)
    outside.mkdir()
    (root / "inner" / "file").write_bytes(b"old")
    (outside / "file").write_bytes(b"theirs")
    (root / "link").symlink_to("inner/file")
    (root / "folder").symlink_to("inner")
    (root / "out").symlink_to(outside / "file")
    (root / "away").symlink_to(outside)
    replace(root, "link", b"new")
    assert (root / "link").is_symlink()
    assert (root / "inner" / "file").read_bytes() == b"new"
    replace(root, "folder/file", b"newer")
    assert (root / "inner" / "file").read_bytes() == b"newer"
    for path in ("out", "away/file", "../outside/file", "inner/../../outside/file", ".", str(outside / "file")):
        with pytest.raises(SafetyError, match="outside"):
            real_place(str(root), path)
    with pytest.raises(NotFoundError), Place(str(root), "away/file"):  # a link since it was asked where it leads
        pass
    with Place(str(root), "out") as place, pytest.raises(SafetyError):
        place.read(MOST)
    assert (outside / "file").read_bytes() == b"theirs"


@pytest.mark.parametrize("mode", [0o444, 0o4755, 0o2755])
def test_read_only_and_setuid_files_are_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(mode)
    with pytest.raises(SafetyError):
        replace(tmp_path, "file", b"new")


def test_hard_links_and_special_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"old")
    os.link(tmp_path / "one", tmp_path / "two")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("one", "pipe", "folder"):
        with pytest.raises(SafetyError):
            replace(tmp_path, name, b"new")


def test_an_access_list_stays_and_none_is_added(tmp_path: Path) -> None:
    """As `setfacl` writes them: version 2, then tag, permissions and id of each entry, for a user besides the owner."""
    rows = [(0x01, 6, -1), (0x02, 4, 12345), (0x04, 4, -1), (0x10, 4, -1), (0x20, 0, -1)]
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows)
    file, plain = tmp_path / "file", tmp_path / "plain"
    file.write_bytes(b"old")
    plain.write_bytes(b"old")
    try:
        os.setxattr(file, "system.posix_acl_access", listed)
        os.setxattr(tmp_path, "system.posix_acl_default", listed)  # which new files get
    except OSError as error:
        pytest.skip(f"this file system has no access lists: {error.strerror}")
    before = plain.stat()
    replace(tmp_path, "file", b"new")
    replace(tmp_path, "plain", b"new")
    assert os.getxattr(file, "system.posix_acl_access") == listed
    assert (stat.S_IMODE(file.stat().st_mode), file.read_bytes()) == (0o640, b"new")
    assert "system.posix_acl_access" not in os.listxattr(plain)
    assert (plain.stat().st_mode, plain.read_bytes()) == (before.st_mode, b"new")


def test_a_file_keeps_a_foreign_group_or_is_refused() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    with tempfile.TemporaryDirectory() as folder:  # that another user may enter
        file = Path(folder, "file")
        file.write_bytes(b"old")
        os.chown(folder, 12345, -1)
        os.chown(file, 12345, 54321)
        file.chmod(0o640)
        before = file.stat()
        assert (os.getgid(), before.st_gid) == (0, 54321)
        os.seteuid(12345)  # who is not in that group
        try:
            with pytest.raises(SafetyError, match="owner or group"):
                replace(Path(folder), "file", b"new")
        finally:
            os.seteuid(0)
        after = file.stat()
        for field in ("st_ino", "st_mode", "st_uid", "st_gid", "st_mtime_ns"):  # reading it changes another time
            assert getattr(after, field) == getattr(before, field)
        assert (file.read_bytes(), os.listdir(folder)) == (b"old", ["file"])
        os.chown(file, 0, -1)
        replace(Path(folder), "file", b"new")
        now = file.stat()
        assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (0, 54321, 0o640)


@pytest.mark.parametrize("error", [errno.ENOSYS, errno.EINVAL])
def test_all_of_this_holds_where_files_cannot_be_exchanged(error: int) -> None:
    """The tests of this file once more, in a process that the system refuses `renameat2`."""
    if sys.platform != "linux" or platform.machine() not in RENAMEAT2:
        pytest.skip("the number of the system call is known for Linux on two machines only")
    command = [sys.executable, "-c", REFUSED, str(RENAMEAT2[platform.machine()]), str(error), __file__]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 9:
        pytest.skip("system calls cannot be filtered here")
    assert done.returncode == 0, done.stdout  # another one where no test was found


def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    (tmp_path / "file").write_bytes(b"old")
    os.chown(tmp_path / "file", 12345, -1)
    with pytest.raises(SafetyError, match="another user"):
        replace(tmp_path, "file", b"new")


def _written_over(file: Path) -> None:
    file.write_bytes(b"theirs")


def _renamed_over(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"theirs")
    other.replace(file)


def _removed(file: Path) -> None:
    file.unlink()


CHANGES: list[tuple[Callable[[Path], None], bytes | None]] = [
    (_written_over, b"theirs"), (_renamed_over, b"theirs"), (_removed, None),
]  # fmt: skip


@pytest.mark.parametrize(("change", "left"), CHANGES)
def test_what_somebody_writes_before_the_exchange_stays(
    tmp_path: Path, change: Callable[[Path], None], left: bytes | None
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    class Raced(Place):
        def _exchange(self, temporary: str) -> str:
            change(file)
            return super()._exchange(temporary)

    with pytest.raises(ConflictError):
        replace(tmp_path, "file", b"new", Raced)
    assert (file.read_bytes() if file.exists() else None) == left
    assert names(tmp_path) == (["file"] if left is not None else [])


@pytest.mark.parametrize(("change", "left"), CHANGES)
def test_what_somebody_writes_while_a_change_is_put_back_stays(
    tmp_path: Path, change: Callable[[Path], None], left: bytes | None
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    class Raced(Place):
        def _exchange(self, temporary: str) -> str:
            file.write_bytes(b"first of theirs")
            name = super()._exchange(temporary)
            change(file)
            return name

    with pytest.raises(ConflictError):
        replace(tmp_path, "file", b"new", Raced)
    assert (file.read_bytes() if file.exists() else None) == left
    assert names(tmp_path) == (["file"] if left is not None else [])


def test_a_writer_who_has_the_file_open_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with file.open("r+b") as theirs:
        with pytest.raises(ConflictError):
            replace(tmp_path, "file", b"new")
        theirs.write(b"theirs")
    assert file.read_bytes() == b"theirs"
    assert names(tmp_path) == ["file"]


def test_a_new_file_never_overwrites_one(tmp_path: Path) -> None:
    make_folders(str(tmp_path), "a/b/file")
    with Place(str(tmp_path), "a/b/file") as place:
        assert place.read(MOST) is None
        (tmp_path / "a" / "b" / "file").write_bytes(b"theirs")
        with pytest.raises(ConflictError):
            place.create(b"new", TEMPORARY)
        assert (tmp_path / "a" / "b" / "file").read_bytes() == b"theirs"
        os.unlink(tmp_path / "a" / "b" / "file")
        place.create(b"new", TEMPORARY)
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"
    assert names(tmp_path / "a" / "b") == ["file"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a" / "b" / "file").stat().st_mode) == 0o666 & ~mask


def test_a_change_is_not_prepared_for_a_file_that_is_another_one_by_now(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with Place(str(tmp_path), "file") as place:
        seen = place.read(MOST)
        assert seen is not None
        place.confirm(seen)
        file.write_bytes(b"longer than before")
        with pytest.raises(ConflictError):
            place.confirm(seen)
        file.unlink()
        with pytest.raises(ConflictError):
            place.confirm(seen)


def test_edits_of_one_folder_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    monkeypatch.setattr(writing, "LOCK_WAIT_S", 0.0)
    other = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            replace(tmp_path, "file", b"new")
        assert (file.read_bytes(), names(tmp_path)) == (b"old", ["file"])
    finally:
        os.close(other)
    replace(tmp_path, "file", b"new")
    assert file.read_bytes() == b"new"


def test_a_file_is_removed_only_as_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with Place(str(tmp_path), "file") as place:
        seen = place.read(MOST)
        assert seen is not None
        file.write_bytes(b"theirs")
        with pytest.raises(ConflictError):
            place.remove(seen, TEMPORARY)
        assert file.read_bytes() == b"theirs"
        file.write_bytes(b"old")
        place.remove(seen, TEMPORARY)
    assert names(tmp_path) == []


def test_what_a_cut_off_write_left_is_found_again(tmp_path: Path) -> None:
    name = TEMPORARY
    (tmp_path / name).write_bytes(b"half")
    (tmp_path / "file").write_bytes(b"old")
    with Place(str(tmp_path), "file") as place:
        assert [place.discard(name), place.discard(name)] == [True, False]
    assert names(tmp_path) == ["file"]
