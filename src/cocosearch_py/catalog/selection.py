"""Which indexes a call means, by name or by folder: the one set of rules for every front end. Pure.

A name that the call, or the user's environment, gives counts before everything else. Without one the index of the
folder answers: the one that the folder's configuration names, else that of the nearest folder at or above it in the
same project.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from cocosearch_py.discovery.extent import is_wide
from cocosearch_py.discovery.repository import read_small
from cocosearch_py.errors import IndexCollisionError, NotIndexedError
from cocosearch_py.model.indexes import MAX_NAME_CHARS, IndexRecord, may_be_id, unknown_index
from cocosearch_py.model.paths import storable_path

MAX_INDEXES = 20  # of one search
EVERY = "*"  # a name that stands for all indexes
_PROJECT_FILES = (".git", "cocosearch-py.yaml", "cocosearch-py.yml", "cocosearch.yaml", "cocosearch.yml")


class Named(Protocol):
    """Anything with the name and ids of an index."""

    @property
    def name(self) -> str: ...

    @property
    def ulid(self) -> str: ...

    @property
    def workspace_id(self) -> str: ...


R = TypeVar("R", bound=Named)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The indexes that names mean; `missing` are names that no index has."""

    records: tuple[IndexRecord, ...]
    missing: tuple[str, ...] = ()


def by_name(records: Sequence[IndexRecord], names: Sequence[str]) -> Chosen:
    """At most MAX_INDEXES indexes of these names; EVERY stands for all. Raises IndexNotFoundError if none is there.

    A name may be an id as well; see `meant`.
    """
    if EVERY in names:
        found, missing = tuple(records), tuple[str, ...]()
    else:
        asked = {name: meant(records, name) for name in names}
        found = tuple({record.name: record for record in asked.values() if record is not None}.values())
        missing = tuple(name for name, record in asked.items() if record is None)
    if not found:
        raise unknown_index(missing[0] if missing else EVERY, records)
    return Chosen(found[:MAX_INDEXES], missing)


def meant(records: Iterable[R], text: str) -> R | None:
    """The index that a text means: by its name, else its ULID, else the first one of the folder with this `ws-<hash>`.

    Case does not matter to the last two.
    """
    one_of = list(records)
    found = next((record for record in one_of if record.name == text), None)
    if found is not None or not may_be_id(text):
        return found
    upper, lower = text.upper(), text.lower()
    return next((record for record in one_of if record.ulid == upper), None) or next(
        (record for record in one_of if record.workspace_id == lower), None
    )


def by_folder(
    records: Sequence[IndexRecord],
    folders: Sequence[Path],
    *,
    configured: str | None,
    linked: Sequence[str] = (),
    home: Path | None = None,
) -> tuple[IndexRecord, ...]:
    """The index of the first of the folders that has one, then the indexes linked to it.

    Args:
        configured: the index that the first folder's configuration names.
        linked: names of indexes that are searched together with it.
        home: the user's home folder; see `index_of_folder`.
    Raises:
        IndexCollisionError: the configured index holds another folder, for example another worktree's.
        NotIndexedError: no index holds any of the folders.
    """
    own = _configured(records, configured, folders[0]) or next(
        (found for folder in folders if (found := index_of_folder(records, folder, home)) is not None), None
    )
    if own is None:
        raise not_indexed(folders[0], records)
    others = {found.name for name in linked if (found := meant(records, name)) is not None}
    return (own, *[record for record in records if record.name in others and record != own])


def index_of_folder(records: Iterable[IndexRecord], folder: Path, home: Path | None = None) -> IndexRecord | None:
    """The index of a folder or of the nearest folder above it that has one.

    It is not looked for above the folder's project: an index of the folder that all clones are in would answer a
    question about one of them from all, and that of a checkout would answer for a linked worktree inside it from
    another branch. A submodule is part of the project around it. And an index of `/` or of a home folder answers for
    the folder itself only. All of them answer when they are named.
    """
    by_root: dict[str, IndexRecord] = {}
    for record in records:
        if record.commit is None:
            by_root.setdefault(record.root_path, record)
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if candidate != resolved and is_wide(candidate, home):
            return None
        if (found := by_root.get(storable_path(str(candidate)))) is not None:
            return found
        if _begins_project(candidate) and not _is_submodule(candidate):
            return None
    return None


def project_root(folder: Path) -> Path:
    """The nearest folder at or above that is a repository, a worktree or has our configuration; else the folder."""
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if _begins_project(candidate):
            return candidate
    return resolved


def name_from_folder(folder: Path) -> str:
    """Index name that a folder gets by default: its own name, unusual characters as hyphens."""
    return re.sub(r"[^\w.\-]+", "-", folder.resolve().name).strip("-.")[:MAX_NAME_CHARS] or "root"


def not_indexed(folder: Path, records: Iterable[IndexRecord]) -> NotIndexedError:
    """The error for a folder that no index holds."""
    root = project_root(folder)
    others = ", ".join(record.name for record in records) or "none exist yet"
    return NotIndexedError(
        f"Index not found: {root} has no index",
        hint=f"index it first (`cocosearch-py index {root}`, or the tool index_codebase), or name an index ({others})",
        details={"detected_path": str(root), "suggested_index_name": name_from_folder(root)},
    )


def _configured(records: Iterable[IndexRecord], name: str | None, folder: Path) -> IndexRecord | None:
    record = meant(records, name) if name is not None else None
    if record is None or Path(storable_path(str(folder.resolve()))).is_relative_to(record.root_path):
        return record
    raise IndexCollisionError(
        f"the configuration names index '{name}', which belongs to {record.root_path}, not to {folder}",
        hint=f"index this folder under another name, or delete index '{name}' first",
    )


def _begins_project(folder: Path) -> bool:
    # Each call of a tool asks; `Path` takes twice as long.
    return any(os.path.exists(os.path.join(folder, name)) for name in _PROJECT_FILES)  # noqa: PTH110


def _is_submodule(folder: Path) -> bool:
    """Whether its repository is kept in that of the project around it; a linked worktree's is as well, elsewhere."""
    text = os.fsdecode(read_small(folder / ".git") or b"")
    return re.match(r"gitdir:.*\.git/(worktrees/[^/]+/)?modules/(?!.*/worktrees/)", text.replace("\\", "/")) is not None
