"""A wiki: pages about a repository, in versions, with what they are about, link to, and what went wrong before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

PAGE_TYPES = ("architecture", "module", "entity", "topic")
DEFAULT_TYPE = "topic"
WRITTEN, COMPOUNDED, RESTORED, IMPORTED, RENAMED = "written", "compounded", "restored", "imported", "renamed"

# States of a source.
CURRENT = "current"  # as it was when the page was written
CHANGED = "changed"
MOVED = "moved"  # the same content is at another path now
GONE = "gone"  # nothing is there
UNKNOWN = "unknown"  # it was not there when the page was written, or cannot be read


class WikiPlace(NamedTuple):
    """Where a caller stands: which wiki is meant, and the folder that paths of sources are relative to.

    `repository` is what all worktrees of a repository share, or the folder where there is none.
    """

    repository: str
    root: Path


@dataclass(frozen=True, slots=True)
class Wiki:
    """A row of `wikis`; see the comments there."""

    wiki_id: int
    repository: str
    git_ref: str | None
    generation: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a symbol of one, that a page is about, as it was when the page was written.

    `hash` is of what counts: of the bytes of the file, or of the symbol's text. Empty ones: it was not there.
    """

    path: str
    symbol: str | None = None
    hash: str = ""
    file_hash: str = ""
    size_bytes: int = 0

    @property
    def spelled(self) -> str:
        """As it is given: `path`, or `path#symbol`."""
        return self.path if self.symbol is None else f"{self.path}#{self.symbol}"


class SourceState(NamedTuple):
    """A source now; `moved_to` is the path that has its content if it moved."""

    source: Source
    state: str  # CURRENT, CHANGED, MOVED, GONE or UNKNOWN
    moved_to: str | None = None

    @property
    def is_stale(self) -> bool:
        """Whether what the page says of it may no longer hold."""
        return self.state in (CHANGED, GONE)


class Link(NamedTuple):
    """A link of a page to another one."""

    target: str
    heading: str | None
    label: str | None  # text to show instead of the target
    line: int  # from 1
    start: int  # characters of the page's text: the first one of `[[`, and the one behind `]]`
    end: int


class LinkState(NamedTuple):
    """A link of a page as it is stored; `broken` says why it leads nowhere, None when it does."""

    page_id: str  # that has it
    target: str
    heading: str | None
    line: int
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a page."""

    page_id: str
    version: int
    title: str
    content: str
    sources: tuple[Source, ...]
    author: str
    reason: str  # WRITTEN, COMPOUNDED, RESTORED, IMPORTED or RENAMED
    written_at: datetime


class Gone(NamedTuple):
    """What became of an id that no page has any more; `version` was the latest, `moved_to` is the page it means now."""

    version: int
    moved_to: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page in its latest version."""

    latest: Version
    page_type: str
    headings: tuple[str, ...]
    created_at: datetime

    @property
    def page_id(self) -> str:
        return self.latest.page_id

    @property
    def title(self) -> str:
        return self.latest.title

    @property
    def version(self) -> int:
        return self.latest.version


@dataclass(frozen=True, slots=True)
class NewFailure:
    """An attempt that failed."""

    symptom: str
    attempted_fix: str
    diagnosis: str
    actual_fix: str | None = None
    source_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A recorded one; `failure_no` counts in its page."""

    page_id: str
    failure_no: int
    what: NewFailure
    author: str
    recorded_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewContradiction:
    """What contradicts a page."""

    description: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A recorded one; `contradiction_no` counts in its page."""

    page_id: str
    contradiction_no: int
    what: NewContradiction
    author: str
    recorded_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class PageView:
    """A page with all that belongs to it. `out` and `into` are links, in order of the page and of the pages."""

    page: Page
    sources: tuple[SourceState, ...]
    out: tuple[LinkState, ...]
    into: tuple[LinkState, ...]
    failures: tuple[Failure, ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What is to be written.

    Attributes:
        content: Markdown; None leaves it as it is.
        title: of a new page it is required.
        page_type: only of a new page; None is DEFAULT_TYPE.
        sources: `path` or `path#symbol`; None leaves them as they are, and takes them as they are now.
        refresh: whether sources that stay are taken as they are now; else as they were.
        if_version: refuse if the latest version is another; 0: if the page is there.
    """

    page_id: str
    content: str | None = None
    title: str | None = None
    page_type: str | None = None
    sources: Sequence[str] | None = None
    refresh: bool = True
    contradictions: Sequence[NewContradiction] = ()
    resolve_contradictions: bool = False
    failures: Sequence[NewFailure] = ()
    resolve_failures: bool = False
    if_version: int | None = None
    author: str = ""
    reason: str = WRITTEN


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a contribution; `changed`: there is a new version."""

    page: Page
    created: bool
    changed: bool
    broken: tuple[LinkState, ...] = ()
    missing_sources: tuple[str, ...] = ()  # that are not there
    failure_nos: tuple[int, ...] = ()  # of those that were recorded
    contradictions_resolved: int = 0
    failures_resolved: int = 0
    notes: tuple[str, ...] = field(default=())
