"""Writes a file so that it is the old one or the new one at any time, and no change of anybody else is lost.

The new content is written beside the file and exchanged with it. What was displaced is looked at after that: if it is
not what was expected, somebody wrote in between, and it is put back. Folders are walked by descriptor, so no link that
is put in the place of one leads elsewhere. `temporary` is the name of the file beside, as `model.changes.Pending` has
it: the log knows of it before there is one.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, Self

from cocosearch_py.discovery.reading import hash_of, open_folder
from cocosearch_py.editing.descriptors import READ, attributes, content, dress, is_being_written, marks
from cocosearch_py.editing.paths import refused
from cocosearch_py.editing.renaming import UnsupportedError, exchange, move_to_free
from cocosearch_py.errors import BusyError, ConflictError, NotFoundError, SafetyError

LOCK_WAIT_S = 10.0  # for other edits in the same folder, each of which takes milliseconds
WRITER_WAIT_S = 1.0  # for a program that has the displaced file open for writing
_POLL_S = 0.002
_MOST_TURNS = 20  # of putting back, when somebody writes again and again
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_CAPABILITY = "security.capability"
_CAN_EDIT = os.open in os.supports_dir_fd and hasattr(os, "geteuid")
_OLD = ".old"  # what the name of the second link to an old file ends with; see `model.changes.Pending.backup`


class Seen(NamedTuple):
    """A file as it was read: its bytes, their hash, and what the system says of it."""

    data: bytes
    hash: bytes
    status: os.stat_result


class _NothingWrittenError(Exception):
    """The file is another one by now; what was written beside is still there."""


class _NotExchangedError(Exception):
    """The system refused to exchange the two; what was written beside is still there."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class _Held(NamedTuple):
    """A content and the file that has it; no hash while somebody may be writing it."""

    inode: int
    hash: bytes | None


class Place:
    """The place of a file below a root, there or not. Use as a context manager.

    Args:
        root: a folder; links above it and it itself may be links.
        path: as `real_place` gives it.
    Raises:
        NotFoundError: its folder is not there, or a link was put in its place.
        SafetyError: this system has no way to write safely.
    """

    def __init__(self, root: str, path: str) -> None:
        if not _CAN_EDIT:
            raise SafetyError(
                "this system cannot open files relative to a folder's descriptor", hint="edit the file by other means"
            )
        self._path = path
        folder, _, self._name = path.rpartition("/")
        try:
            self._folder = open_folder(os.path.realpath(root), folder)
        except FileNotFoundError:
            raise NotFoundError(f"the folder of {path} does not exist", hint="list_files shows the folders") from None
        except OSError as error:
            raise refused(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)

    def read(self, most_bytes: int) -> Seen | None:
        """The file, if there is one.

        Raises:
            SafetyError: it is of a kind that is not edited, or too large.
        """
        try:
            descriptor = os.open(self._name, READ, dir_fd=self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refused(self._path, error) from error
        try:
            status = os.fstat(descriptor)
            self._check(descriptor, status)
            if status.st_size > most_bytes:
                raise SafetyError(
                    f"{self._path} is larger than {most_bytes:,} bytes", hint="see the setting indexing.maxFileSizeKb"
                )
            data = content(descriptor)
        finally:
            os.close(descriptor)
        return Seen(data, hash_of(data), status)

    def confirm(self, seen: Seen) -> None:
        """Look whether a file seems to be as it was read, before anything is done for a change. Raises ConflictError.

        `replace` and `remove` look at its content.
        """
        try:
            now = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            raise _overtaken(self._path) from None
        if marks(now) != marks(seen.status):
            raise _overtaken(self._path)

    def replace(self, seen: Seen, data: bytes, temporary: str) -> None:
        """Write a file that was read.

        Raises:
            ConflictError: it is another one by now; nothing was written, or what was is put back.
            OSError: it cannot be written; nothing was.
        """
        placed = self._prepare(temporary, data, seen)
        try:
            with self._alone():
                self._check_again(seen)
                displaced = self._exchange(temporary)
                os.fsync(self._folder)
                self._settle(displaced, placed, data, seen.hash)
        except _NothingWrittenError:
            self._drop(temporary)
            raise _overtaken(self._path) from None
        except _NotExchangedError as error:
            self._drop(temporary)
            raise refused(self._path, error.cause) from error
        except BusyError:
            self._drop(temporary)
            raise

    def create(self, data: bytes, temporary: str, mode: int | None = None) -> None:
        """Write a file where there is none; its permissions are `mode`, or what the user's mask leaves.

        Raises:
            ConflictError: there is one by now.
            OSError: it cannot be written.
        """
        self._prepare(temporary, data, None, mode)
        try:
            move_to_free(self._folder, temporary, self._name)
        except FileExistsError:
            self._drop(temporary)
            raise _overtaken(self._path) from None
        except OSError as error:
            self._drop(temporary)
            raise refused(self._path, error) from error
        os.fsync(self._folder)

    def remove(self, seen: Seen, temporary: str) -> None:
        """Take away a file that was read. Raises ConflictError, OSError as `replace`."""
        with self._alone():
            try:
                self._check_again(seen)
                os.rename(self._name, temporary, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except (_NothingWrittenError, FileNotFoundError):
                raise _overtaken(self._path) from None
            os.fsync(self._folder)
            if self._held(temporary).hash == seen.hash:
                os.unlink(temporary, dir_fd=self._folder)
                return
            with suppress(FileExistsError):  # a newer one is there already, and this one was overwritten
                move_to_free(self._folder, temporary, self._name)
            self._drop(temporary)
        raise _overtaken(self._path)

    def discard(self, temporary: str) -> bool:
        """Remove what a write that was cut off has left beside; whether there was something."""
        found = False
        for name in (temporary, temporary + _OLD):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._folder)
                found = True
        return found

    def _check(self, descriptor: int, status: os.stat_result) -> None:
        """Refuse files whose replacement would be another file than the owner has."""
        mode = status.st_mode
        reason = ""
        if not stat.S_ISREG(mode):
            reason = "it is not a regular file"
        elif status.st_nlink > 1:
            reason = "it has other hard links, which would keep the old content"
        elif status.st_uid != os.geteuid():
            reason = "it belongs to another user"
        elif mode & (stat.S_ISUID | stat.S_ISGID) or _CAPABILITY in attributes(descriptor):
            reason = "it runs with another user's rights"
        elif not mode & stat.S_IWUSR:
            reason = "it is read-only"
        if reason:
            raise SafetyError(f"{self._path} is not edited: {reason}", hint="change that first to allow edits")

    def _prepare(self, temporary: str, data: bytes, like: Seen | None, mode: int | None = None) -> int:
        """Write the content beside, with all else that the old file has; it is on disk then. Returns its inode."""
        first = 0o666 if like is None and mode is None else 0o600  # the system takes away what the user's mask says
        try:
            descriptor = os.open(temporary, _NEW, first, dir_fd=self._folder)
        except OSError as error:
            raise refused(self._path, error) from error
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            if like is not None:
                with self._opened() as old:
                    dress(descriptor, old, self._path)
            elif mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            return os.fstat(descriptor).st_ino
        except OSError as error:
            self._drop(temporary)
            raise refused(self._path, error) from error
        except SafetyError:
            self._drop(temporary)
            raise
        finally:
            os.close(descriptor)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The file, open for reading."""
        descriptor = os.open(self._name, READ, dir_fd=self._folder)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Without another edit in this folder, by whatever process."""
        import fcntl

        deadline = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                    break  # a file system without locks
                if time.monotonic() > deadline:
                    self._busy()
                time.sleep(_POLL_S)
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(self._folder, fcntl.LOCK_UN)

    def _busy(self) -> None:
        raise BusyError(f"another edit in the folder of {self._path} is still in progress", hint="retry in a moment")

    def _check_again(self, seen: Seen) -> None:
        try:
            held = self._held(self._name)
        except OSError:  # gone, or a link by now
            raise _NothingWrittenError from None
        if held.hash != seen.hash:
            raise _NothingWrittenError

    def _exchange(self, temporary: str) -> str:
        """Put the new file in the place of the old one; the name that the old one has then."""
        try:
            exchange(self._folder, temporary, self._name)
        except UnsupportedError:
            return self._exchange_by_links(temporary)
        except FileNotFoundError:
            raise _NothingWrittenError from None
        except OSError as error:
            raise _NotExchangedError(error) from error
        return temporary

    def _exchange_by_links(self, temporary: str) -> str:
        """Exchange two files in two steps; a file renamed to the name between the steps is lost."""
        displaced, folder = temporary + _OLD, self._folder
        try:
            os.link(self._name, displaced, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            raise _NothingWrittenError from None
        except OSError as error:  # such as a file system without links
            raise _NotExchangedError(error) from error
        os.rename(temporary, self._name, src_dir_fd=folder, dst_dir_fd=folder)
        return displaced

    def _settle(self, displaced: str, inode: int, data: bytes, expected: bytes) -> None:
        """Look at what was displaced: drop it if it is the expected one, else give it its name back.

        Whatever is found in its place then, and is not what was put there (that inode with that data), is newer and
        goes there in turn.
        """
        held = self._held(displaced)
        if held.hash == expected:
            os.unlink(displaced, dir_fd=self._folder)
            return
        placed = _Held(inode, hash_of(data))
        for _ in range(_MOST_TURNS):
            try:
                exchange(self._folder, displaced, self._name)
            except UnsupportedError:
                self._rename_back(displaced, placed)
                raise _overtaken(self._path) from None
            except FileNotFoundError:  # somebody has removed the file since
                self._drop(displaced)
                raise _overtaken(self._path) from None
            found = self._held(displaced)
            if found == placed:
                os.unlink(displaced, dir_fd=self._folder)
                os.fsync(self._folder)
                raise _overtaken(self._path)
            placed, held = held, found
        raise ConflictError(
            f"another program keeps writing {self._path}; an older version of it is in {displaced}",
            hint="stop that program, compare the two files, and remove the older one",
        )

    def _rename_back(self, displaced: str, placed: _Held) -> None:
        """Give what was displaced its name back, unless there is something newer, or was and is gone."""
        with suppress(OSError):  # gone, or a link by now
            if self._held(self._name) == placed:
                os.rename(displaced, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._drop(displaced)

    def _held(self, name: str) -> _Held:
        """The content of a file that nobody is writing, if they end within a second."""
        descriptor = os.open(name, READ, dir_fd=self._folder)
        try:
            deadline = time.monotonic() + WRITER_WAIT_S
            while is_open := is_being_written(descriptor):
                if time.monotonic() > deadline:
                    break
                time.sleep(_POLL_S)
            return _Held(os.fstat(descriptor).st_ino, None if is_open else hash_of(content(descriptor)))
        finally:
            os.close(descriptor)

    def _drop(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._folder)


def _overtaken(path: str) -> ConflictError:
    return ConflictError(f"{path} changed during the edit; nothing was written", hint="read the file again")
