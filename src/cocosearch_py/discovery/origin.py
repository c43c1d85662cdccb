"""Where the files of an index come from: a folder as it is on disk, or a commit of the folder's repository."""

import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cocosearch_py.discovery.attributes import ON_DISK, AttributeFiles
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import Entry, discover, look_up

if TYPE_CHECKING:  # a run that finds nothing to do reads no files, and few runs are of commits
    from cocosearch_py.discovery.commits import CommitTree
    from cocosearch_py.discovery.reading import Reader


class Origin(Protocol):
    """The files below a folder; paths are relative to it."""

    @property
    def of_commit(self) -> bool:
        """Whether files are read from git's objects."""

    @property
    def attributes(self) -> AttributeFiles:
        """Where files of attributes are read."""

    def walk(self, options: DiscoveryOptions) -> list[Entry]:
        """As `walk.discover`."""

    def look_up(self, options: DiscoveryOptions, paths: Iterable[str]) -> list[Entry]:
        """As `walk.look_up`."""

    def is_file(self, path: str) -> bool:
        """Whether there is a file of this path."""

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this path."""


class _Folder:
    """A folder on disk."""

    of_commit = False
    attributes: AttributeFiles = ON_DISK

    def __init__(self, root: Path) -> None:
        self._root = root

    def walk(self, options: DiscoveryOptions) -> list[Entry]:
        return list(discover(self._root, options))

    def look_up(self, options: DiscoveryOptions, paths: Iterable[str]) -> list[Entry]:
        return look_up(self._root, options, paths)

    def is_file(self, path: str) -> bool:
        with suppress(OSError):  # of what is below a folder that may not be entered
            return (self._root / path).is_file()
        return False

    def is_folder(self, path: str) -> bool:
        with suppress(OSError):
            return (self._root / path).is_dir()
        return False


class _Commit:
    """The tree of a commit."""

    of_commit = True

    def __init__(self, tree: "CommitTree") -> None:
        self._tree = tree
        self.attributes: AttributeFiles = tree

    def walk(self, options: DiscoveryOptions) -> list[Entry]:
        return self._tree.walk(options)

    def look_up(self, options: DiscoveryOptions, paths: Iterable[str]) -> list[Entry]:
        return self._tree.walk(options, paths)

    def is_file(self, path: str) -> bool:
        entry = self._tree.entry(path)
        return entry is not None and stat.S_ISREG(entry.mode)

    def is_folder(self, path: str) -> bool:
        return path in self._tree.folders


def open_origin(root: Path, commit: str | None) -> Origin:
    """The files of a folder, or of a commit of its repository; raises WorkspaceError as `commits.read_tree`."""
    if commit is None:
        return _Folder(root)
    from cocosearch_py.discovery.commits import read_tree

    return _Commit(read_tree(root, commit))


def open_reader(root: str, max_bytes: int, *, of_commit: bool) -> "Reader":
    """Open a reader of the files of an origin."""
    from cocosearch_py.discovery.blobs import BlobReader
    from cocosearch_py.discovery.reading import FolderReader

    return BlobReader(root, max_bytes) if of_commit else FolderReader(root, max_bytes)
