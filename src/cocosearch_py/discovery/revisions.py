"""Changes in a folder between revisions of git, or between a revision and the disk.

Nothing is fetched or checked out, and no filter of the repository runs.
"""

import hashlib
import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from cocosearch_py.discovery.git import LIST_TIMEOUT_SECONDS, list_files, run_git
from cocosearch_py.discovery.reading import FolderReader

_REF = re.compile(r"[\w@][\w./@^~{}+-]{0,199}", re.ASCII)
_LINKS = ("120000", "160000")  # modes of symbolic links and submodules
_MOST_BYTES = 64 * 2**20  # of a file that is compared by content; larger ones of the same size count as modified
_SHA1_DIGITS = 40
_SHAPE = ("--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative")
_GITHUB = re.compile(r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)github\.com[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


class ChangedPath(NamedTuple):
    """A file that differs between two states."""

    path: str  # relative to the folder
    status: Literal["added", "removed", "modified"]


def is_revision_name(text: str) -> bool:
    """Whether a text can name a revision; no option of git can."""
    return _REF.fullmatch(text) is not None


def commit_of(folder: Path, ref: str) -> str | None:
    """Full name of the commit that a ref means; None when there is none."""
    if not is_revision_name(ref):
        return None
    answer = run_git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"])
    return None if answer is None else answer.decode("ascii", "replace").strip()


def time_of(folder: Path, commit: str) -> datetime | None:
    """When a commit, given by its full name, was made; None where git does not tell."""
    answer = run_git(folder, ["show", "-s", "--format=%ct", commit, "--"])
    return None if answer is None else datetime.fromtimestamp(int(answer), UTC)


def is_shallow(folder: Path) -> bool:
    """Whether the repository of a folder lacks older commits."""
    return run_git(folder, ["rev-parse", "--is-shallow-repository"]) == b"true\n"


def merge_base(folder: Path, one: str, other: str) -> str | None:
    """The commit where two commits parted; None when they have nothing in common."""
    answer = run_git(folder, ["merge-base", one, other])
    return None if answer is None else answer.decode("ascii", "replace").strip()


def changed_paths(folder: Path, since: str, to: str | None) -> list[ChangedPath] | None:
    """Files below a folder that differ between two commits, or between a commit and the disk (None), by path.

    What is on disk is compared here: git would run a repository's filters. A file that such filters change, as at the
    ends of its lines, counts as modified.
    """
    if to is None:
        return _changed_on_disk(folder, since)
    answer = run_git(folder, ["diff-tree", "-r", *_SHAPE, since, to, "--"], timeout_seconds=LIST_TIMEOUT_SECONDS)
    if answer is None:
        return None
    fields = os.fsdecode(answer).split("\0")
    found = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        old, new, _, _, status = head.lstrip(":").split(" ")
        if old not in _LINKS and new not in _LINKS:
            found.append(ChangedPath(path, "added" if status == "A" else "removed" if status == "D" else "modified"))
    return sorted(found)


def _changed_on_disk(folder: Path, since: str) -> list[ChangedPath] | None:
    tree = run_git(folder, ["ls-tree", "-r", "-l", "-z", since, "--"], timeout_seconds=LIST_TIMEOUT_SECONDS)
    listing = list_files(folder)
    if tree is None or listing is None:
        return None
    committed = {}
    for entry in filter(None, os.fsdecode(tree).split("\0")):
        head, _, path = entry.partition("\t")
        mode, _, name, size = head.split()
        committed[path] = (mode, name, size)
    found = []
    with FolderReader(os.path.realpath(folder), _MOST_BYTES, reads_secrets=True) as reader:
        for path in sorted(committed.keys() | listing.tracked | listing.untracked):
            try:
                status = os.lstat(folder / path)
            except OSError:
                status = None
            mode, name, size = committed.get(path, ("", "", ""))
            if mode in _LINKS or (status is not None and not mode and not stat.S_ISREG(status.st_mode)):
                continue
            if status is None:
                found += [ChangedPath(path, "removed")] if mode else []
            elif not mode:
                found.append(ChangedPath(path, "added"))
            elif str(status.st_size) != size or _object_name(reader, path, len(name)) != name:
                found.append(ChangedPath(path, "modified"))
    return found


def _object_name(reader: FolderReader, path: str, length: int) -> str | None:
    """Return git's name for the content of a file on disk; None for one that cannot be read."""
    try:
        data = reader.read(path)
    except OSError:
        return None
    if not isinstance(data, bytes):
        return None
    kind = hashlib.sha1 if length == _SHA1_DIGITS else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def github_repository(folder: Path) -> tuple[str, str] | None:
    """Owner and name of the repository on github.com that a folder comes from; None for others."""
    answer = run_git(folder, ["config", "--get", "remote.origin.url"])
    found = _GITHUB.fullmatch(os.fsdecode(answer or b"").strip())
    return None if found is None else (found[1], found[2])
