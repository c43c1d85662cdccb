"""Requests for summaries of files and folders, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cocosearch_py.model.code import NotFound
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.listing import Folder


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """Files to summarize, or a folder.

    Attributes:
        paths: files, folders or globs, as a caller writes them.
        folder: of the caller; see `paths_meant`.
        public_only: leave out definitions that other code may not use.
        context: name the files that import each, its tests and its neighbours.
    """

    paths: tuple[str, ...]
    folder: str | None = None
    public_only: bool = False
    context: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """An outermost definition of a file, with the names directly in it; lines from 1, inclusive."""

    kind: str
    name: str
    signature: str
    start_line: int
    end_line: int
    visibility: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """A file.

    Attributes:
        kinds: kind -> definitions, most first.
        public_count: definitions that other code may use.
        imports: modules as written, each once, in their order.
        imported_by: number of files of the index that import it.
        importers, siblings: a few of those files, and of the files beside it; with `context` only.
        about: first sentence of its docstring or header comment.
    """

    path: str
    language_id: str
    content_class: str | None
    line_count: int
    size_bytes: int
    mtime_ns: int
    parse_status: str | None
    kinds: Mapping[str, int]
    public_count: int
    declarations: tuple[Declared, ...]
    imports: tuple[str, ...]
    imported_by: int
    importers: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSummary:
    """All that is indexed below a folder, whose path is relative to the root and empty for the root itself.

    Attributes:
        languages, classes: language or class of content -> files, most first.
        kinds, public_count: of all definitions.
        left_out: files that were skipped or failed.
        entries: what is directly in it.
        most_imported: path -> files of the index that import it, most first; only some.
        about: first sentence of its manifest's description, its README or its package's docstring.
        programs: what its manifests install, `name = where it begins`.
        test_commands: run its tests, as far as its manifests say how.
    """

    path: str
    files: int
    lines: int
    size_bytes: int
    languages: Mapping[str, int]
    classes: Mapping[str, int]
    kinds: Mapping[str, int]
    public_count: int
    left_out: int
    entries: tuple[Folder, ...]
    most_imported: Mapping[str, int]
    about: str = ""
    programs: tuple[str, ...] = ()
    test_commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReport:
    """Summaries in the order of the request.

    Attributes:
        files: at most as many as are summarized at once; `total` counts all that match.
        folder: when just one folder was asked for.
    """

    files: tuple[FileSummary, ...] = ()
    total: int = 0
    folder: FolderSummary | None = None
    missing: tuple[NotFound, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        return replace(self, files=tuple(file for file in self.files if file.path not in gone), stale=why)
