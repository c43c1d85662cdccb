"""Requests for uses of definitions, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.search import SearchFilters

UsageKind = Literal["call", "import", "type", "inherit", "read", "definition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRequest:
    """Uses that are looked for.

    Attributes:
        symbol: of which definition, or of which name if nothing defines it.
        kinds: of uses.
        callees: what the definition itself uses, instead of what uses it.
        depth: 1 for direct uses; further ones are calls of the functions around those before.
        filters: of the files that the uses are in.
        limit, offset: the page.
    """

    symbol: NamedSymbol
    kinds: tuple[UsageKind, ...]
    callees: bool = False
    depth: int = 1
    filters: SearchFilters = field(default_factory=SearchFilters)
    limit: int = 30
    offset: int = 0

    @property
    def filters_files(self) -> bool:
        """Whether uses in some files are left out."""
        return self.filters != SearchFilters()


@dataclass(frozen=True, slots=True)
class Place:
    """A definition where it stands; lines from 1, inclusive."""

    path: str
    kind: str
    qualified_name: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Usage:
    """A use of a name; line and column from 1.

    `confidence` is resolved if imports lead to the definition, scoped if it is in the same file, class or package,
    name_only if nothing more than the name says so. `around` is the definition that the use is in, `target` the one
    that it means, as far as that is known. `distance` is 1 for a direct use. `receiver` is the type that the file says
    of what stands before the name, empty if it says none.
    """

    path: str
    line: int
    column: int
    kind: UsageKind
    name: str
    qualifier: str
    confidence: Confidence
    around: Place | None = None
    target: Place | None = None
    text: str = ""
    distance: int = 1
    receiver: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """A page of uses, the surest first.

    Attributes:
        definitions: what the symbol means, the likeliest first.
        kinds, confidences: how many uses there are of each, on all pages.
        versions, stale: see `DefinitionReport`.
    """

    usages: tuple[Usage, ...] = ()
    definitions: tuple[Place, ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)
    confidences: Mapping[str, int] = field(default_factory=dict)
    completeness: Completeness = field(default_factory=lambda: Completeness("partial"))
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    @property
    def total(self) -> int:
        return sum(self.confidences.values())

    @property
    def resolved_count(self) -> int:
        """Number of uses that imports or scopes say mean the symbol, on all pages."""
        return self.confidences.get("resolved", 0) + self.confidences.get("scoped", 0)

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.usages if one.path not in gone)
        return replace(self, usages=kept, stale=why)
