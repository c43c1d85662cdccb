"""Submodules of commits: which ones a checkout would fill, and where this machine has their objects."""

import os
from collections.abc import Sequence
from pathlib import Path

from cocosearch_py.discovery.git import run_git
from cocosearch_py.discovery.repository import find_repository

MODULES = "modules"  # the folder of a repository with those of its submodules
_MOST_STORES = 1_000


def stores_of(folder: Path) -> tuple[str, ...]:
    """Folders of objects of the submodules, and of theirs, that the repository of a folder keeps, by name.

    Old ones that keep their repository in the work tree (`git submodule absorbgitdirs` moves it) are not among them.
    """
    repository = find_repository(folder)
    if repository is None:
        return ()
    found: list[str] = []
    folders = [one / MODULES for one in dict.fromkeys((repository.common_dir, repository.git_dir))]
    while folders and len(found) < _MOST_STORES:
        for inner in _folders_in(folders.pop()):
            if (inner / "HEAD").is_file() and (inner / "objects").is_dir():
                found.append(str(inner / "objects"))
                folders.append(inner / MODULES)
            else:  # a name with slashes
                folders.append(inner)
    return tuple(sorted(found))


def named_in(folder: Path, commit: str, stores: Sequence[str]) -> dict[str, str]:
    """Path -> name of the submodules that `.gitmodules` of a commit names; names that git refuses are left out."""
    asked = ["config", "--blob", f"{commit}:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"]
    found = {}
    for line in filter(None, os.fsdecode(run_git(folder, asked, stores=stores) or b"").split("\0")):
        key, _, path = line.partition("\n")
        name = key.removeprefix("submodule.").removesuffix(".path")
        if name and ".." not in name.replace("\\", "/").split("/") and not os.path.isabs(name):
            found[path.rstrip("/")] = name
    return found


def blob_in_submodule(folder: Path, rev: str, path: str, max_bytes: int) -> bytes | None:
    """Content of a file, relative to `folder`, in a submodule of a revision, as `git.blob_at` has it of others."""
    stores = stores_of(folder)
    commit, rest, start = rev, path, "./"
    while stores:
        if not start:
            name = f"{commit}:{rest}"
            size = run_git(folder, ["cat-file", "-s", name], stores=stores)
            if size is not None:
                is_small = int(size) <= max_bytes
                return run_git(folder, ["cat-file", "blob", name], stores=stores) if is_small else None
        parts = rest.split("/")
        above = [start + "/".join(parts[:end]) for end in range(1, len(parts))]
        options = ["ls-tree", "-z"] if start else ["ls-tree", "-z", "--full-tree"]
        listing = run_git(folder, [*options, commit, "--", *above], stores=stores) if above else None
        links = [line for line in os.fsdecode(listing or b"").split("\0") if " commit " in line.partition("\t")[0]]
        if not links:
            return None
        head, _, inner = links[0].partition("\t")
        commit, rest, start = head.split()[2], rest[len(inner) + 1 :], ""
    return None


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as scan:
            return [Path(one.path) for one in scan if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
