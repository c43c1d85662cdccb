"""The files of a commit, listed from a repository's objects: nothing is checked out, fetched or filtered.

A walk over them follows the rules of `walk`, as if the commit were checked out in a worktree of its own, its submodules
too. There git knows every file, so no ignore rule leaves one out. A submodule whose commit the repository does not keep
is a folder that cannot be listed.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from cocosearch_py.discovery.git import LIST_TIMEOUT_SECONDS, run_git
from cocosearch_py.discovery.gitignore import IGNORE_FILE_MAX_BYTES, lines_of, read_lines
from cocosearch_py.discovery.ignoring import IgnoreSource, NothingIgnored, Verdict
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.repository import Repository, find_repository
from cocosearch_py.discovery.revisions import time_of
from cocosearch_py.discovery.rules import GIT_NAME, VERSION_CONTROL_FOLDERS
from cocosearch_py.discovery.submodules import MODULES, named_in, stores_of
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
        """Return the facts that the walk needs: mode, size, and the time of the commit."""
        seconds = self.mtime_ns // _NS
        return os.stat_result(
            (self.mode, 0, 0, 1, 0, 0, self.size_bytes, seconds, seconds, seconds), {"st_mtime_ns": self.mtime_ns}
        )


class Submodule(NamedTuple):
    """A commit of another repository; `git_dir` is where that would be kept, with no work tree at hand."""

    commit: str
    git_dir: Path


@dataclass(frozen=True, slots=True)
class CommitTree:
    """The files of a commit below a folder.

    Attributes:
        root: the folder, which need not be in the commit as it is on disk.
        commit: full name.
        folders: path of a folder, "" the root -> what is directly in it.
        submodules: path of a folder -> the repository that its files come from.
        absent: path of the folder of a submodule without files -> why it has none.
        stores: where objects of submodules are.
    """

    root: Path
    commit: str
    folders: Mapping[str, Mapping[str, TreeEntry]] = field(repr=False)
    submodules: Mapping[str, Submodule] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    stores: Sequence[str] = ()

    def entry(self, path: str) -> TreeEntry | None:
        """The file or folder at a path relative to the root; None where there is none."""
        folder, _, name = path.rpartition("/")
        return self.folders.get(folder, {}).get(name)

    def content(self, entry: TreeEntry) -> bytes:
        """Content of one of its files; nothing where git does not have it."""
        return run_git(self.root, ["cat-file", "blob", entry.blob], stores=self.stores) or b""

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
        at, commit = top.root, self.commit
        for folder in path.relative_to(self.root).parents if path.is_relative_to(self.root) else ():
            if (inner := self.submodules.get(folder.as_posix())) is not None:
                at, commit = self.root / folder, inner.commit
                break
        name = f"{commit}:{path.relative_to(at).as_posix()}"
        size = run_git(self.root, ["cat-file", "-s", name], stores=self.stores)
        if size is None or int(size) > IGNORE_FILE_MAX_BYTES:
            return None
        data = run_git(self.root, ["cat-file", "blob", name], stores=self.stores)
        return None if data is None else lines_of(data)

    def repository(self, folder: Path) -> Repository | None:
        """The repository of the commit, or of the submodule that begins with a folder."""
        if (inner := self.submodules.get(self._inside(folder))) is not None:
            return Repository(folder, inner.git_dir, inner.git_dir)
        return self._top

    def begins_repository(self, folder: Path) -> bool:
        """Whether a folder is that of a submodule with files."""
        return self._inside(folder) in self.submodules

    def _inside(self, folder: Path) -> str:
        return folder.relative_to(self.root).as_posix() if folder.is_relative_to(self.root) else ""

    @property
    def _top(self) -> Repository:
        return _top_of(self.root)


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
        if path in self._tree.absent and self._options.submodules:
            raise OSError(errno.EIO, self._tree.absent[path])
        return list(self._tree.folders.get(path, {}).values())

    def _is_other_repository(self, folder: Item) -> bool:
        return folder.path in self._tree.submodules

    def _open_source(self, path: str) -> IgnoreSource:
        return _EveryFileKnown() if self._options.respect_gitignore else NothingIgnored()

    def _kept_file(self, item: Item) -> DiscoveredFile | FailedFile:
        entry = self._tree.entry(item.path)
        if entry is None or entry.is_missing:
            return FailedFile(item.path, "the repository lacks the content: it is a partial clone, or damaged")
        return DiscoveredFile(item.path, entry.size_bytes, entry.mtime_ns, entry.blob)

    def _count_below(self, path: str) -> tuple[int, int]:
        files = size_bytes = 0
        for entry in self._tree.folders.get(path, {}).values():
            if entry.name == GIT_NAME:
                continue
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
        return self._tree.content(entry)[:size_bytes]


def read_tree(root: Path, commit: str) -> CommitTree:
    """The files of a commit below a folder, as the folder stands in its repository.

    Args:
        root: an existing folder without links, of a work tree, or a bare repository.
        commit: full name of a commit.
    Raises:
        WorkspaceError: git does not answer, or the repository lacks folders of the commit or many of its files.
    """
    time = time_of(root, commit)
    if time is None:
        raise _incomplete(root, commit)
    listing = _Listing(root, int(time.timestamp()) * _NS)
    if not listing.add(commit):
        raise _incomplete(root, commit)
    listing.add_submodules(commit)
    return CommitTree(root, commit, listing.folders, listing.submodules, listing.absent, listing.stores)


class _Listing:
    """The files of a commit and of its submodules while they are read."""

    def __init__(self, root: Path, mtime_ns: int) -> None:
        self._root = root
        self._mtime_ns = mtime_ns
        self.stores: tuple[str, ...] = ()
        self.folders: dict[str, dict[str, TreeEntry]] = {"": {}}
        self.submodules: dict[str, Submodule] = {}
        self.absent: dict[str, str] = {}
        self._links: dict[str, str] = {}  # path -> commit, of submodules that were not looked at yet

    def add(self, commit: str, below: str = "") -> bool:
        """Add the files of a commit below a folder; False, and nothing is added, where git lacks too many."""
        asked = ["ls-tree", "-r", "-l", "-z", *(["--full-tree"] if below else []), commit]
        listing = run_git(self._root, asked, timeout_seconds=LIST_TIMEOUT_SECONDS, stores=self.stores)
        if listing is None:
            return False
        found, links, missing = [], {}, 0
        for line in filter(None, os.fsdecode(listing).split("\0")):
            head, _, path = line.partition("\t")
            mode, kind, blob, size = head.split()
            if kind == _SUBMODULE:
                links[below + path] = blob
                continue
            folder, _, name = (below + path).rpartition("/")
            size_bytes = int(size) if size.isdecimal() else 0
            missing += size == _MISSING
            found.append((folder, TreeEntry(name, int(mode, 8), blob, size_bytes, self._mtime_ns, size == _MISSING)))
        if missing > len(found) * _MOST_MISSING:
            return False
        for folder, entry in found:
            _add_folders(self.folders, folder)
            self.folders[folder][entry.name] = entry
        self._links |= links
        return True

    def add_submodules(self, commit: str) -> None:
        """Add what submodules hold, and theirs."""
        if not self._links:
            return
        self.stores = stores_of(self._root)
        top = _top_of(self._root)
        prefix = "" if self._root == top.root else f"{self._root.relative_to(top.root).as_posix()}/"
        self._fill(commit, "", prefix, top.common_dir)

    def _fill(self, commit: str, below: str, prefix: str, git_dir: Path) -> None:
        """Add the submodules of a repository whose files are those below a folder; `prefix` is the root in it."""
        links, self._links = self._links, {}
        names = named_in(self._root, commit, self.stores)
        for path, inner in links.items():
            _add_folders(self.folders, path)
            name = names.get(prefix + path.removeprefix(below))
            if name is None:
                self.absent[path] = "a submodule that is not in .gitmodules"
            elif not self.add(inner, f"{path}/"):
                self.absent[path] = (
                    f"a submodule whose commit {inner[:12]} is missing; `git submodule update --init --recursive` "
                    "in its commit fetches it"
                )
            else:
                self.submodules[path] = Submodule(inner, git_dir / MODULES / name)
                self.folders[path][GIT_NAME] = TreeEntry(GIT_NAME, stat.S_IFREG)
                self._fill(inner, f"{path}/", "", git_dir / MODULES / name)


def _top_of(root: Path) -> Repository:
    """The repository of a folder; a bare one is its own top."""
    return find_repository(root) or Repository(root, root, root / "info")


def _add_folders(folders: dict[str, dict[str, TreeEntry]], folder: str) -> None:
    while folder not in folders:
        folders[folder] = {}
        above, _, name = folder.rpartition("/")
        _add_folders(folders, above)
        folders[above][name] = TreeEntry(name, stat.S_IFDIR)


def _incomplete(root: Path, commit: str) -> WorkspaceError:
    return WorkspaceError(
        f"git lacks files of commit {commit[:12]} in {root}: the repository is a partial clone, or damaged",
        hint="check the commit out once, or run `git fetch --refetch --no-filter`, then retry: nothing is fetched here",
    )
