"""Requests for calls between definitions, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.usages import Place

CallDirection = Literal["callers", "callees", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """Calls around a definition.

    Attributes:
        to: only the shortest ways of calls to this one, or from it.
        depth: calls in a row at most.
        most: nodes at most, the nearest first.
    """

    symbol: NamedSymbol
    direction: CallDirection = "both"
    depth: int = 2
    to: NamedSymbol | None = None
    most: int = 100


class CallNode(NamedTuple):
    """A definition, so many calls away from the one that was asked about."""

    place: Place
    distance: int

    @property
    def id(self) -> str:
        return f"{self.place.path}#{self.place.qualified_name}"


class CallEdge(NamedTuple):
    """The node `source` calls `target` (positions among the nodes), `calls` times, first in this line; see `Usage`."""

    source: int
    target: int
    line: int
    calls: int
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """A graph of calls.

    Attributes:
        nodes: by distance, those that were asked about first.
        paths: positions of nodes from the first caller on, where ways to another definition were asked for.
        dropped: nodes that are left out.
        unknown: calls of names that no definition in the index could be found for.
        missing: names that nothing defines.
        versions, stale: see `DefinitionReport`.
    """

    nodes: tuple[CallNode, ...] = ()
    edges: tuple[CallEdge, ...] = ()
    paths: tuple[tuple[int, ...], ...] = ()
    dropped: int = 0
    unknown: int = 0
    missing: tuple[str, ...] = ()
    completeness: Completeness = field(default_factory=lambda: Completeness("partial"))
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`; nodes of files that are gone stay, as edges count on them."""
        return replace(self, stale=why)
