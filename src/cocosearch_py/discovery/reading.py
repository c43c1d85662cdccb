"""Read the files that the walk found, and nothing that was put in their place since.

What is open cannot be swapped any more, so every check is made on the open file or folder, not on its name.
"""

import errno
import hashlib
import os
import stat
from types import TracebackType
from typing import Protocol, Self

from cocosearch_py.discovery.regular_files import NO_LINK, WITHOUT_WAITING
from cocosearch_py.discovery.rules import (
    SYMLINK_RULE,
    forbidden_path_rule,
    reserved_path_rule,
    special_rule,
    too_large_rule,
)
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.model.files import SkipReason

_FILE = WITHOUT_WAITING | NO_LINK
_FOLDER = os.O_RDONLY | NO_LINK | getattr(os, "O_DIRECTORY", 0)
_LINK_ERRORS = (errno.ELOOP, errno.EMLINK)  # what systems answer to O_NOFOLLOW
_BY_FOLDER = os.open in os.supports_dir_fd  # not on Windows


def hash_of(data: bytes) -> bytes:
    """Return the hash of a content, as the ledger stores it."""
    return hashlib.blake2b(data, digest_size=16).digest()


def open_folder(root: str, folder: str) -> int:
    """A descriptor of a folder below `root`, a path without links; "" is the root. Follows no link on the way.

    Raises:
        FileNotFoundError: it has gone, or a folder above it has, or is a link now.
        OSError: it cannot be opened.
    """
    descriptor = None
    try:
        descriptor = os.open(root, _FOLDER)
        for name in folder.split("/") if folder else ():
            above, descriptor = descriptor, os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(above)
    except OSError as error:
        if descriptor is not None:
            os.close(descriptor)
        if error.errno in (*_LINK_ERRORS, errno.ENOTDIR):
            raise FileNotFoundError(error.errno, error.strerror) from error
        raise
    return descriptor


class Reader(Protocol):
    """Reads the files of a walk, each by what the walk calls its content. Use as a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    def read(self, path: str) -> bytes | Skip:
        """Content of a file, or why it is left out now; raises as `FolderReader.read`."""


class FolderReader:
    """Reads files below `root`, a path without links, following no link on the way. Use as a context manager.

    Files of the same folder, one after the other, share its descriptor. Paths may come from a database that somebody
    else filled, so names that no index may hold are refused here.

    Args:
        reads_secrets: whether files named like secrets are read too. Only for a caller that shows no content.
    """

    def __init__(self, root: str, max_bytes: int, *, reads_secrets: bool = False) -> None:
        self._root = root
        self._max_bytes = max_bytes
        self._forbidden = reserved_path_rule if reads_secrets else forbidden_path_rule
        self._folder = ""
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._leave()

    def read(self, path: str) -> bytes | Skip:
        """Content of the file `path`, relative and '/' separated; or why it is left out now.

        Raises:
            FileNotFoundError: it has gone, or a folder above it has, or is a link now.
            OSError: it cannot be read.
        """
        if rule := self._forbidden(path):
            return Skip(SkipReason.SECRET, rule)
        folder, _, name = path.rpartition("/")
        try:
            descriptor = self._open(folder, name)
        except ValueError as error:  # NUL, or a surrogate: no file has such a name
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
        except OSError as error:
            if error.errno in _LINK_ERRORS:
                return Skip(SkipReason.SYMLINK, SYMLINK_RULE)
            if error.errno == errno.ENXIO:  # what systems answer when a socket is opened
                return Skip(SkipReason.SPECIAL, special_rule(stat.S_IFSOCK) or "")
            raise
        try:
            return self._content(descriptor)
        finally:
            os.close(descriptor)

    def _content(self, descriptor: int) -> bytes | Skip:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if rule := special_rule(status.st_mode):
            return Skip(SkipReason.SPECIAL, rule)
        if status.st_size > self._max_bytes:
            return Skip(SkipReason.TOO_LARGE, too_large_rule(self._max_bytes))
        pieces, left = [], self._max_bytes + 1
        wanted = status.st_size + 1  # one more, to see that it does not grow
        while piece := os.read(descriptor, min(wanted, left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces) if left else Skip(SkipReason.TOO_LARGE, too_large_rule(self._max_bytes))

    def _open(self, folder: str, name: str) -> int:
        if not _BY_FOLDER:
            above = os.path.normpath(os.path.join(self._root, folder))
            if os.path.realpath(above) != above:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            return os.open(os.path.join(above, name), _FILE)
        if self._descriptor is None or folder != self._folder:
            self._enter(folder)
        return os.open(name, _FILE, dir_fd=self._descriptor)

    def _enter(self, folder: str) -> None:
        self._leave()
        self._descriptor = open_folder(self._root, folder)
        self._folder = folder

    def _leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
