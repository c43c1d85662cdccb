"""Requests for files of an index, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.search import SearchFilters


@dataclass(frozen=True, slots=True)
class ListCursor:
    """The last file of a page: what it is sorted by, and its path."""

    value: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Files of an index.

    Attributes:
        path: folder or file, relative to the root; empty for all.
        filters: of files; those of definitions do not count.
        min_lines, max_lines: inclusive.
        status: indexed, skipped, failed; None for all.
        sort: path, or modified, lines, size, symbols, the largest first.
    """

    path: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    min_lines: int | None = None
    max_lines: int | None = None
    status: str | None = "indexed"
    sort: str = "path"
    limit: int = 50
    after: ListCursor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file, or a skipped folder whose path ends with '/' and which stands for `file_count` files.

    Attributes:
        value: what it is sorted by, see `ListCursor`.
        reason, rule: why it was left out; error: why it failed.
        mtime_ns: when it was modified, nanoseconds since 1970.
    """

    path: str
    status: str
    reason: str | None
    rule: str | None
    error: str | None
    file_count: int
    language_id: str | None
    content_class: str | None
    line_count: int
    size_bytes: int
    mtime_ns: int
    content_hash: bytes | None
    symbol_count: int
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReport:
    """A page of files; `total` counts all that are asked for, `next` is where the next page begins."""

    files: tuple[ListedFile, ...] = ()
    total: int = 0
    next: ListCursor | None = None
    stale: str | None = None

    @property
    def versions(self) -> Mapping[str, FileVersion]:
        """See `OfFiles`."""
        return {
            file.path: FileVersion(file.size_bytes, file.mtime_ns, file.content_hash)
            for file in self.files
            if file.status == "indexed" and file.content_hash is not None
        }

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(file for file in self.files if file.path not in gone)
        return replace(self, files=kept, total=self.total - len(self.files) + len(kept), stale=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathReport:
    """(path, score from 0 to 1) of files, the likeliest first; `versions`, `stale`: see `DefinitionReport`."""

    paths: tuple[tuple[str, float], ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        return replace(self, paths=tuple(one for one in self.paths if one[0] not in gone), stale=why)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder or a file in one: `inner` path, files in it or 1, lines and bytes of the indexed ones."""

    inner: tuple[str, ...]
    is_folder: bool
    files: int
    lines: int
    size_bytes: int

    def below(self, folder: str) -> str:
        """Its path, where the one that it is relative to is this."""
        return "/".join([folder, *self.inner] if folder else self.inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderReport:
    """Files and folders below `path`; `versions` are those of the files that are named.

    `stale`: see `DefinitionReport`.
    """

    path: str = ""
    folders: tuple[Folder, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`; the figures of folders stay as they were counted."""
        kept = tuple(one for one in self.folders if one.is_folder or one.below(self.path) not in gone)
        return replace(self, folders=kept, stale=why)
