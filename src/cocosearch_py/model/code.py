"""Requests for the text of files, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cocosearch_py.model.files import FileVersion


@dataclass(frozen=True, slots=True)
class CodeTarget:
    """A part of a file: the definition `symbol`, the lines `start` to `end`, or all of it; of all files without `path`.

    `text` is how it was asked for, which may be a name of a file that looks like the others: `a.py:10-40`, `a.py#f`.
    """

    text: str
    path: str | None = None
    symbol: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRequest:
    """Parts of files to read.

    Attributes:
        folder: of the caller; paths that are none below the root are taken from there.
        inside: only files and definitions below it, relative to the root; paths are taken from there first.
        expand: further lines above and below each.
        collapse: leave out the bodies of functions.
        compact: leave out empty lines.
        known_hash: a file that has it is not shown.
        rev: revision of git to read instead of the disk.
        max_file_bytes: larger files are not read from the disk.
    """

    targets: tuple[CodeTarget, ...]
    folder: str | None = None
    inside: str = ""
    expand: int = 0
    collapse: bool = False
    compact: bool = False
    known_hash: str | None = None
    rev: str | None = None
    max_file_bytes: int = 2**21


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePart:
    """A part of a file; lines from 1, inclusive.

    Attributes:
        hash: BLAKE2b-128 in hex of the bytes of the file that is shown, as they are or were on disk.
        line_count: lines of the whole file.
        lines: (number, text) of what is shown; a text stands for several lines where it says so.
        name, kind: of the definition, when one was asked for.
        stale: "changed" when the file is not as in the index, "gone" when it is not on disk; else None.
        is_old: the text is that of the index, not that of the disk.
        is_known: the caller has the file already.
        rest: the first line that is not shown because there are more than `limit`; None when all are.
    """

    path: str
    hash: str
    language_id: str
    line_count: int
    start_line: int
    end_line: int
    lines: tuple[tuple[int, str], ...]
    name: str | None = None
    kind: str | None = None
    stale: str | None = None
    is_old: bool = False
    is_known: bool = False
    rest: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class NotFound:
    """A part that is not there: why, and what is like it, as targets."""

    text: str
    why: str
    near: tuple[str, ...] = ()
    is_refused: bool = False  # it is there, and may not be read


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReport:
    """The parts, in the order in which they were asked for.

    Attributes:
        versions: the files as the index holds them, without those that are gone.
        stale: what is to be known of files that are not as in the index, in words.
    """

    parts: tuple[CodePart, ...] = ()
    missing: tuple[NotFound, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`; what is read of the disk is as on disk all the same."""
        kept = tuple(part for part in self.parts if part.path not in gone)
        return replace(self, parts=kept, stale=why)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file with its text; of `definitions` (qualified name, first line, last line), from 1, inclusive."""

    path: str
    text: str
    line_count: int
    definitions: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesReport:
    """Files with their texts.

    Attributes:
        files: no more than are read at once; `total`, `total_bytes` and `total_lines` count all that match.
        missing: why there is none; `near` are definitions like the one that was asked for.
    """

    files: tuple[SourceText, ...] = ()
    total: int = 0
    total_bytes: int = 0
    total_lines: int = 0
    missing: NotFound | None = None
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        return replace(self, files=tuple(file for file in self.files if file.path not in gone), stale=why)
