"""Requests for text of an index, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.scopes import TextScope
from cocosearch_py.model.search import SearchFilters


@dataclass(frozen=True, slots=True)
class TextPattern:
    """Pattern that a line must match.

    Attributes:
        literal: text that every match holds; empty if there is none. The whole pattern when `regex` is None.
        regex: a regular expression of PostgreSQL that a line must match as well.
        ignore_case: for both.
        to_end: of a match that may span lines: `regex` with the rest of the text behind it, as a group of its own in
            each of `branches` alternatives; without any, a match goes as far as it can. None for a match within a line.
    """

    literal: str
    regex: str | None = None
    ignore_case: bool = False
    to_end: str | None = None
    branches: int = 1


@dataclass(frozen=True, slots=True)
class TextCursor:
    """The last line of a page; the next one begins after it."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRequest:
    """A search for lines.

    Attributes:
        pattern: what they hold.
        filters: of files; those of definitions do not count.
        limit: lines at most, or files with `paths_only`.
        context: lines before and after each.
        scope: find the definition around each.
        paths_only, count_only: only the files, or only the numbers.
        timeout_ms: after which the search gives up.
    """

    pattern: TextPattern
    filters: SearchFilters = field(default_factory=SearchFilters)
    limit: int = 20
    context: int = 0
    scope: bool = True
    paths_only: bool = False
    count_only: bool = False
    after: TextCursor | None = None
    timeout_ms: int = 3_000


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A line that matches, or lines up to `end_line`; `line` and `column`, in characters, count from 1."""

    path: str
    line: int
    column: int
    text: str
    scope: TextScope | None = None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    end_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReport:
    """Lines in the order of their files, code first, what others wrote last.

    Attributes:
        files_matched: files with a match, all of them.
        total: matching lines, all of them; None if there are more than were counted.
        incomplete: why not everything was looked at; None if it was.
        versions: the files of this page as the index holds them.
        stale: which of them are no longer so, in words.
    """

    matches: tuple[TextMatch, ...] = ()
    paths: tuple[str, ...] = ()
    files_matched: int = 0
    total: int | None = None
    at_least: int = 0
    next: TextCursor | None = None
    incomplete: str | None = None
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        matches = tuple(match for match in self.matches if match.path not in gone)
        paths = tuple(path for path in self.paths if path not in gone)
        return replace(self, matches=matches, paths=paths, stale=why)
