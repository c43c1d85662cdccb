"""The files of a commit, listed from a repository's objects: nothing is checked out, fetched or filtered.

A walk over them follows the rules of `walk`, as if the commit were checked out in a worktree of its own. There git
knows every file, so no ignore rule leaves one out. Submodules are folders whose files the commit does not have.
"""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from cocosearch_py.discovery.git import LIST_TIMEOUT_SECONDS, run_git
from cocosearch_py.discovery.gitignore import IGNORE_FILE_MAX_BYTES, lines_of, read_lines
from cocosearch_py.discovery.ignoring import IgnoreSource, NothingIgnored, Verdict
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.repository import Repository, find_repository
from cocosearch_py.discovery.revisions import time_of
from cocosearch_py.discovery.rules import VERSION_CONTROL_FOLDERS
from cocosearch_py.discovery.walk import Entry, Item, Walk
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.files import DiscoveredFile, FailedFile

_SUBMODULE = "commit"  # the kind of object that stands for one
_NS = 10**9
_MISSING = "BAD"  # what git shows as the size of an object that it does not have
_MOST_MISSING = 0.1  # of the files; with more of them missing, an index would say too little of the commit


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, link or folder of a commit; of a folder only name and mode count. `is_missing`: git lacks its text."""

    name: str
    mode: int
    blob: str = ""
    size_bytes: int = 0
    mtime_ns: int = 0
    is_missing: bool = False

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:  # nothing here leads anywhere
        """What the walk looks at: mode, size, and the time of the commit."""
        seconds = self.mtime_ns // _NS
        return os.stat_result(
            (self.mode, 0, 0, 1, 0, 0, self.size_bytes, seconds, seconds, seconds), {"st_mtime_ns": self.mtime_ns}
        )


@dataclass(frozen=True, slots=True)
class CommitTree:
    """The files of a commit below a folder.

    Attributes:
        root: the folder, which need not be in the commit as it is on disk.
        commit: full name.
        folders: path of a folder, "" the root -> what is directly in it.
    """

    root: Path
    commit: str
    folders: Mapping[str, Mapping[str, TreeEntry]] = field(repr=False)

    def entry(self, path: str) -> TreeEntry | None:
        """The file or folder at a path relative to the root; None where there is none."""
        folder, _, name = path.rpartition("/")
        return self.folders.get(folder, {}).get(name)

    def walk(self, options: DiscoveryOptions, toward: Iterable[str] | None = None) -> list[Entry]:
        """As `walk.discover` of a worktree of this commit; with `toward`, as `walk.look_up`."""
        steps = None
        if toward is not None:
            parts = [path.split("/") for path in toward]
            steps = frozenset("/".join(one[:end]) for one in parts for end in range(1, len(one) + 1))
        found = _CommitWalk(self, options, steps).run(_FOLDER.stat(follow_symlinks=False))
        return found

    def bytes_beside(self, other: "CommitTree | None", max_file_bytes: int) -> int:
        """Size of the files that another commit does not have with the same path and content; larger ones left out."""
        return sum(
            entry.size_bytes
            for path, entries in self.folders.items()
            for name, entry in entries.items()
            if entry.blob
            and entry.size_bytes <= max_file_bytes
            and not (other and entry.blob == getattr(other.folders.get(path, {}).get(name), "blob", None))
        )

    # What `attributes.AttributeFiles` asks.

    def lines(self, path: Path) -> list[bytes] | None:
        """Lines of a file of the commit; those of a file outside of the work tree are read from the disk."""
        top = self._top
        if not path.is_relative_to(top.root) or path.is_relative_to(top.common_dir):
            return read_lines(path)
        name = f"{self.commit}:{path.relative_to(top.root).as_posix()}"
        size = run_git(self.root, ["cat-file", "-s", name])
        if size is None or int(size) > IGNORE_FILE_MAX_BYTES:
            return None
        data = run_git(self.root, ["cat-file", "blob", name])
        return None if data is None else lines_of(data)

    def repository(self, folder: Path) -> Repository | None:  # a commit has one
        """The repository of the commit."""
        return self._top

    def begins_repository(self, folder: Path) -> bool:
        """No commit holds another repository."""
        return False

    @property
    def _top(self) -> Repository:
        """The repository of the root; a bare one is its own top."""
        return find_repository(self.root) or Repository(self.root, self.root, self.root / "info")


class _EveryFileKnown:
    """Keeps everything, as git does with the files that it tracks."""

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Keep it; the built-in rules for folders do not apply to what is tracked."""
        return Verdict.KEEP_ALWAYS if is_folder else Verdict.KEEP

    def enter(self, path: str, names: Sequence[str]) -> Self:
        """No folder changes anything."""
        return self


_FOLDER = TreeEntry("", stat.S_IFDIR)


class _CommitWalk(Walk):
    """A walk over a tree."""

    def __init__(self, tree: CommitTree, options: DiscoveryOptions, toward: frozenset[str] | None) -> None:
        super().__init__(tree.root, options, toward)
        self._tree = tree

    def _list(self, path: str) -> Sequence[TreeEntry]:
        return list(self._tree.folders.get(path, {}).values())

    def _open_source(self, path: str) -> IgnoreSource:
        return _EveryFileKnown() if self._options.respect_gitignore else NothingIgnored()

    def _kept_file(self, item: Item) -> DiscoveredFile | FailedFile:
        entry = self._tree.entry(item.path)
        if entry is None or entry.is_missing:
            return FailedFile(item.path, "the repository does not have its content: a partial clone, or damaged")
        return DiscoveredFile(item.path, entry.size_bytes, entry.mtime_ns, entry.blob)

    def _count_below(self, path: str) -> tuple[int, int]:
        files = size_bytes = 0
        for entry in self._tree.folders.get(path, {}).values():
            if not stat.S_ISDIR(entry.mode):
                files, size_bytes = files + 1, size_bytes + entry.size_bytes
            elif entry.name not in VERSION_CONTROL_FOLDERS:
                inner_files, inner_bytes = self._count_below(f"{path}/{entry.name}")
                files, size_bytes = files + inner_files, size_bytes + inner_bytes
        return files, size_bytes

    def _head(self, path: str, size_bytes: int) -> bytes:
        entry = self._tree.entry(path)
        if entry is None or not stat.S_ISREG(entry.mode) or entry.size_bytes > IGNORE_FILE_MAX_BYTES:
            return b""
        return (run_git(self._tree.root, ["cat-file", "blob", entry.blob]) or b"")[:size_bytes]


def read_tree(root: Path, commit: str) -> CommitTree:
    """The files of a commit below a folder, as the folder stands in its repository.

    Args:
        root: an existing folder without links, of a work tree, or a bare repository.
        commit: full name of a commit.
    Raises:
        WorkspaceError: git does not answer, or the repository lacks folders of the commit or many of its files.
    """
    time = time_of(root, commit)
    listing = run_git(root, ["ls-tree", "-r", "-l", "-z", commit], timeout_seconds=LIST_TIMEOUT_SECONDS)
    if time is None or listing is None:
        raise _incomplete(root, commit)
    mtime_ns = int(time.timestamp()) * _NS
    folders: dict[str, dict[str, TreeEntry]] = {"": {}}
    files = missing = 0
    for line in filter(None, os.fsdecode(listing).split("\0")):
        head, _, path = line.partition("\t")
        mode, kind, blob, size = head.split()
        if kind == _SUBMODULE:
            continue
        is_missing = size == _MISSING
        files, missing = files + 1, missing + is_missing
        folder, _, name = path.rpartition("/")
        _add_folders(folders, folder)
        size_bytes = int(size) if size.isdecimal() else 0
        folders[folder][name] = TreeEntry(name, int(mode, 8), blob, size_bytes, mtime_ns, is_missing)
    if missing > files * _MOST_MISSING:
        raise _incomplete(root, commit)
    return CommitTree(root, commit, folders)


def _add_folders(folders: dict[str, dict[str, TreeEntry]], folder: str) -> None:
    while folder not in folders:
        folders[folder] = {}
        above, _, name = folder.rpartition("/")
        _add_folders(folders, above)
        folders[above][name] = TreeEntry(name, stat.S_IFDIR)


def _incomplete(root: Path, commit: str) -> WorkspaceError:
    return WorkspaceError(
        f"git lacks files of commit {commit[:12]} in {root}: it is a partial clone without them, or damaged",
        hint="nothing is fetched here: check the commit out once, or run `git fetch --refetch --no-filter`, then retry",
    )
