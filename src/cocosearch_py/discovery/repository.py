"""Where a folder stands in its repository, read from git's own files. Runs no git and writes nothing.

A file of a repository may be of any kind and size and somebody else's, so reading one is bounded and never waits.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.discovery.rules import GIT_NAME

_MAX_POINTER_BYTES = 64 * 1024  # HEAD, a branch and a `.git` file hold one line
_MAX_PACKED_BYTES = 64 * 1024 * 1024  # about a million branches and tags
_MAX_SYMBOLIC_STEPS = 5  # as many as git follows from one symbolic reference to the next
# Files that git opens in every repository, whatever it is asked.
_ALWAYS_OPENED = (
    "HEAD", "commondir", "config", "config.worktree", "index", "info/exclude", "objects/info/alternates",
    "packed-refs", "shallow",
)  # fmt: skip
_OBJECT_NAME = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})")
# Shared by all worktrees and kept as plain files; git answers for the other kinds.
_BRANCH = re.compile(rb"refs/(?:heads|remotes|tags)/(?!.*\.\.)(?!.*/\.)(?!\.)[^\0-\x20\x7f~^:?*\[\\]+")


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree and what belongs to it.

    Attributes:
        root: top folder of the work tree.
        git_dir: this work tree's own part, with HEAD.
        common_dir: the repository itself, shared by all its linked worktrees.
    """

    root: Path
    git_dir: Path
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Head:
    """Checked-out revision: `branch` is None on a detached HEAD, `commit` before the first commit."""

    branch: str | None
    commit: str | None


def work_tree_top(folder: Path) -> Path | None:
    """Find the folder with a `.git` file, or a `.git` folder that is a repository, at or above `folder`."""
    for top in (folder, *folder.parents):
        entry = top / GIT_NAME
        if stat.S_ISREG(_mode(entry / "HEAD")) or stat.S_ISREG(_mode(entry)):
            return top
    return None


def would_hang(folder: Path) -> bool:
    """Report whether git would open a pipe or a device in place of a file that nearly all of its commands read."""
    # On its way up to the repository git opens each HEAD.
    if any(stat.S_ISFIFO(_mode(top / GIT_NAME / "HEAD")) for top in (folder, *folder.absolute().parents)):
        return True
    found = find_repository(folder)
    if found is None:
        return False
    modes = [_mode(place / name) for place in {found.git_dir, found.common_dir} for name in _ALWAYS_OPENED]
    return any(mode and not stat.S_ISREG(mode) for mode in modes)


def find_repository(folder: Path) -> Repository | None:
    """Find the repository whose work tree holds `folder`; None outside one, or when its `.git` file leads nowhere."""
    top = work_tree_top(folder)
    if top is None:
        return None
    git_dir = top / GIT_NAME
    if not stat.S_ISDIR(_mode(git_dir)):  # a submodule or a linked worktree
        target = read_small(git_dir)
        if target is None or not target.startswith(b"gitdir:"):
            return None
        git_dir = _join(top, target.removeprefix(b"gitdir:"))
    shared = read_small(git_dir / "commondir")
    return Repository(top, git_dir, git_dir if shared is None else _join(git_dir, shared))


def read_head(repository: Repository) -> Head | None:
    """Read what HEAD stands for; None when these files do not tell, as in a reftable repository."""
    link = repository.git_dir / "HEAD"
    head = read_small(link, follow_link=False)  # a link is an old form of a symbolic reference
    if head is None:
        return None
    if not head.startswith(b"ref:"):
        return Head(None, head.decode()) if _OBJECT_NAME.fullmatch(head) else None
    target = head.removeprefix(b"ref:").strip()
    for _ in range(_MAX_SYMBOLIC_STEPS):
        if not _BRANCH.fullmatch(target):
            return None
        value = _read_reference(repository.common_dir, target)
        if value is None or _OBJECT_NAME.fullmatch(value):
            branch = os.fsdecode(target.removeprefix(b"refs/").removeprefix(b"heads/"))
            return Head(branch, value.decode() if value else None)
        target = value.removeprefix(b"ref:").strip()
    return None


def read_small(path: Path, most_bytes: int = _MAX_POINTER_BYTES, *, follow_link: bool = True) -> bytes | None:
    """Content of a regular file without white space around it; None when there is none of at most `most_bytes`."""
    try:
        return read_regular(path, most_bytes, follow_links=follow_link).strip()
    except OSError:
        return None


def _read_reference(common_dir: Path, name: bytes) -> bytes | None:
    """Value of a reference: an object's name or another reference; None when there is no such reference."""
    loose = read_small(common_dir / os.fsdecode(name))
    if loose:
        return loose
    packed = read_small(common_dir / "packed-refs", _MAX_PACKED_BYTES) or b""
    found = re.search(rb"^([0-9a-f]+) " + re.escape(name) + rb"$", packed, re.MULTILINE)
    return found[1] if found else None


def _mode(path: Path) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


def _join(folder: Path, target: bytes) -> Path:
    return Path(os.path.normpath(folder / os.fsdecode(target.strip())))
