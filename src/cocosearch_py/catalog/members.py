"""The members of the workspace in an index's folder, with what the index has of each."""

import os
import posixpath
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from cocosearch_py.catalog.workspaces import Member, Read, Workspace, WorkspaceKind, defines_workspace, find_workspaces
from cocosearch_py.discovery.git import blob_at, names_at
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.model.graph import GraphFile
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.graph import graph_files
from cocosearch_py.storage.queries.imports import text_of

SINGLE: Final = "single"
_MAX_MANIFEST_BYTES = 2**20


class CountedMember(NamedTuple):
    """A member with its indexed files that no member inside of it has, and their languages, most frequent first."""

    name: str
    path: str
    files: int
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """Members by path; `others` are further kinds of workspaces with the same root."""

    kind: WorkspaceKind
    members: tuple[CountedMember, ...]
    others: tuple[str, ...] = ()


def read_members(record: IndexRecord, conn: Connection) -> Members:
    """Read the manifests on disk, links aside; without any the folder is the only member.

    Those of a commit, or of a folder that is elsewhere, are read as indexed; of a commit also those in the root that
    are not indexed, as in an index of some members.
    """
    files = list(graph_files(conn, record.index_id).values())
    paths = {file.path for file in files}

    def indexed(path: str) -> str | None:
        return text_of(conn, record.index_id, file_id_of(path))

    if record.commit is not None:
        names = {name for name in names_at(Path(record.root_path), record.commit) if name not in paths}
        paths.update(filter(defines_workspace, names))
        found = find_workspaces(paths, partial(_of_commit, record, names, indexed))
    elif record.is_detached:
        found = find_workspaces(paths, indexed)
    else:
        found = workspaces_on_disk(record.root_path, paths)
    if not found:
        return Members(SINGLE, _counted((Member(record.name, ""),), files))
    return Members(found[0].kind, _counted(found[0].members, files), tuple(one.kind for one in found[1:]))


def workspaces_on_disk(root: str, paths: Collection[str]) -> list[Workspace]:
    """The workspaces of a folder that no index is needed for; `paths` are its files, some in the root aside."""
    with suppress(OSError), os.scandir(root) as entries:
        names = [one.name for one in entries if defines_workspace(one.name) and one.is_file(follow_symlinks=False)]
        paths = {*paths, *names}
    with FolderReader(root, _MAX_MANIFEST_BYTES) as reader:
        return find_workspaces(paths, partial(_manifest, reader))


def _of_commit(record: IndexRecord, names: Collection[str], indexed: Read, path: str) -> str | None:
    if path not in names:
        return indexed(path)
    data = blob_at(Path(record.root_path), str(record.commit), path, _MAX_MANIFEST_BYTES)
    return None if data is None else _text(data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _manifest(reader: FolderReader, path: str) -> str | None:
    try:
        data = reader.read(path)
    except OSError:
        return None
    return _text(data) if isinstance(data, bytes) else None


def _counted(members: tuple[Member, ...], files: list[GraphFile]) -> tuple[CountedMember, ...]:
    languages: dict[str, Counter[str]] = {one.path: Counter() for one in members}
    for file in files:
        folder = posixpath.dirname(file.path)
        while folder and folder not in languages:
            folder = posixpath.dirname(folder)
        if folder in languages:
            languages[folder][file.language_id] += 1
    return tuple(
        CountedMember(
            one.name,
            one.path,
            languages[one.path].total(),
            tuple(name for name, _ in languages[one.path].most_common() if name),
        )
        for one in members
    )
