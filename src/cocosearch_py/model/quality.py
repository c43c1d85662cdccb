"""What is asked about the state of code, and what was found."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self, get_args

from cocosearch_py.model.files import FileVersion

SortKey = Literal["score", "complexity", "nesting", "params", "body_lines", "churn"]
SORT_KEYS: Sequence[SortKey] = get_args(SortKey)
HIGH_COMPLEXITY = 10  # from which on a function counts as complex


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotRequest:
    """The functions that are hardest to understand.

    Attributes:
        paths: what the file or folder that is looked at may be, as the index stores paths; the first that has files.
        min_complexity: cyclomatic.
        sort: largest first; what is equal by it goes by score.
    """

    paths: tuple[str, ...] = ("",)
    min_complexity: int = 1
    sort: SortKey = "score"
    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotspot:
    """A function with its figures.

    Attributes:
        name: with its owners.
        start_line, end_line: inclusive.
        score: cyclomatic + 2 max_nesting + parameters / 2 + lines / 20.
        churn: commits that changed its file, of the latest; see `discovery.git.count_changes`.
    """

    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    cyclomatic: int
    max_nesting: int
    parameters: int
    score: float
    churn: int = 0

    @property
    def lines(self) -> int:
        return self.end_line - self.start_line + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotReport:
    """The first of all functions that were asked for.

    Attributes:
        total: also those over the limit.
        has_history: whether git told of changes; without it all have a churn of 0.
        versions: files of the functions as the index holds them.
        stale: whether they are no longer so, in words.
    """

    hotspots: tuple[Hotspot, ...] = ()
    total: int = 0
    has_history: bool = False
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.hotspots if one.path not in gone)
        total = self.total - len(self.hotspots) + len(kept)
        versions = {path: version for path, version in self.versions.items() if path not in gone}
        return replace(self, hotspots=kept, total=total, versions=versions, stale=why)


@dataclass(frozen=True, slots=True)
class HotFile:
    """A file by the complexity of its functions."""

    path: str
    functions: int
    average: float
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Figures of all functions below a path. Averages, median and p90 are 0 where nothing was analysed.

    Attributes:
        functions: of all languages whose definitions are known.
        analysed: of languages whose branches are counted; all the rest is about these.
        p90: at least nine of ten functions are no more complex.
        complex: have at least HIGH_COMPLEXITY.
        documented: have a comment or docstring.
        public: can be reached from other files, by their visibility.
        hottest: files with two functions at least, the highest average first.
        parse_health_pct: files that were parsed without an error, of those that have a grammar.
        versions: the files that count, the hottest first, as the index holds them; of very many the first ones.
        stale: see `HotspotReport`.
    """

    functions: int
    analysed: int
    average: float
    median: float
    maximum: int
    p90: int
    nesting: float
    parameters: float
    lines: float
    complex: int
    documented: int
    tests: int
    deprecated: int
    public: int
    hottest: tuple[HotFile, ...] = ()
    parse_health_pct: float = 100.0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`; figures stay as they were counted."""
        return replace(self, hottest=tuple(one for one in self.hottest if one.path not in gone), stale=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """What changed since a commit.

    Attributes:
        since, to: full names of commits; `to` is None for what is on disk.
        paths: see `HotspotRequest`.
        max_file_bytes: larger files are not compared.
    """

    since: str
    to: str | None = None
    paths: tuple[str, ...] = ("",)
    max_file_bytes: int = 2**21


class Change(NamedTuple):
    """A definition that differs; `line` is that in the new file, of a removed one in the old file."""

    status: Literal["added", "removed", "signature_changed", "body_changed"]
    kind: str
    name: str  # with its owners
    signature: str
    line: int
    old_signature: str | None = None


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs, with its definitions that do; a renamed one is removed and added."""

    path: str
    status: Literal["added", "removed", "modified"]
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Files by path. `uncompared` of them are beyond what is compared; none is where `is_compared` is false."""

    files: tuple[ChangedFile, ...] = ()
    is_compared: bool = True
    uncompared: int = 0
