"""Values of a wiki: pages in versions, their sources and links, failures and contradictions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

PAGE_TYPES = ("architecture", "module", "entity", "topic")
DEFAULT_TYPE = "topic"
WRITTEN, COMPOUNDED, RESTORED, IMPORTED, RENAMED = "written", "compounded", "restored", "imported", "renamed"

# States of a source.
CURRENT = "current"  # The hash is that of the page.
CHANGED = "changed"
MOVED = "moved"  # Another path has the content now.
GONE = "gone"  # The file or symbol does not exist.
UNKNOWN = "unknown"  # It did not exist when the page was written, or cannot be read.


class WikiPlace(NamedTuple):
    """Repository of a wiki, and the folder that paths of sources are relative to.

    `repository` is the folder that all worktrees share, or the project folder without git.
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
    """A file or symbol that a page covers, as it was when the page was written.

    `hash` is that of the file's bytes, or of the symbol's text. Hashes are empty if it did not exist.
    """

    path: str
    symbol: str | None = None
    hash: str = ""
    file_hash: str = ""
    size_bytes: int = 0

    @property
    def spelled(self) -> str:
        """Spelling in a call: `path` or `path#symbol`."""
        return self.path if self.symbol is None else f"{self.path}#{self.symbol}"


class SourceState(NamedTuple):
    """Current state of a source; `moved_to` is the new path of its content."""

    source: Source
    state: str  # CURRENT, CHANGED, MOVED, GONE or UNKNOWN
    moved_to: str | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the page may be wrong about it."""
        return self.state in (CHANGED, GONE)


class Link(NamedTuple):
    """A link of a page to another one."""

    target: str
    heading: str | None
    label: str | None  # Text that is shown instead of the target.
    line: int  # Counted from 1.
    start: int  # Characters of the page's text: the first of `[[`, and the one after `]]`.
    end: int


class LinkState(NamedTuple):
    """A stored link of a page; `broken` says why it leads nowhere, or is None."""

    page_id: str  # The page that contains the link.
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
    """An ID that no page has any more; `version` was its latest, `moved_to` the page that it leads to now."""

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
    """A fix that failed."""

    symptom: str
    attempted_fix: str
    diagnosis: str
    actual_fix: str | None = None
    source_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A recorded failure; `failure_no` counts within its page."""

    page_id: str
    failure_no: int
    what: NewFailure
    author: str
    recorded_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewContradiction:
    """A statement that contradicts a page."""

    description: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A recorded contradiction; `contradiction_no` counts within its page."""

    page_id: str
    contradiction_no: int
    what: NewContradiction
    author: str
    recorded_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class PageView:
    """A page with its sources, links and notes. `out` are its own links in order, `into` those of other pages."""

    page: Page
    sources: tuple[SourceState, ...]
    out: tuple[LinkState, ...]
    into: tuple[LinkState, ...]
    failures: tuple[Failure, ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """A change of a page that a call asks for.

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
    """A written page; `changed` if it has a new version."""

    page: Page
    created: bool
    changed: bool
    broken: tuple[LinkState, ...] = ()
    missing_sources: tuple[str, ...] = ()  # Sources that do not exist on disk.
    failure_nos: tuple[int, ...] = ()  # Numbers of the recorded failures.
    contradictions_resolved: int = 0
    failures_resolved: int = 0
    notes: tuple[str, ...] = field(default=())
