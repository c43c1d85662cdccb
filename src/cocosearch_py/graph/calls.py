"""Calls around a definition, step by step, and the ways of calls from one definition to another."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.callsites import CallSite, calls_inside, calls_of
from cocosearch_py.graph.completeness import Outcome, judge
from cocosearch_py.graph.context import Further
from cocosearch_py.graph.resolve import definitions_of
from cocosearch_py.model.calls import CallEdge, CallNode, CallReport, CallRequest
from cocosearch_py.model.completeness import CONFIDENCES, Confidence
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import Place, UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.references import Defined
from cocosearch_py.storage.queries.target import Target

_Key = tuple[int, int]  # file, number of the definition
_Way = Literal["callers", "callees"]
_MOST_ROOTS = 10  # definitions of the name
_MOST_FOLLOWED = 200  # definitions at each step
_MOST_PATHS = 10


@dataclass(slots=True)
class _Walk:
    """Walk in one direction: definitions by distance, and calls between them."""

    conn: Connection
    facts: IndexFacts
    way: _Way
    nodes: dict[_Key, Defined] = field(default_factory=dict)
    distances: dict[_Key, int] = field(default_factory=dict)
    calls: dict[tuple[_Key, _Key], list[CallSite]] = field(default_factory=lambda: defaultdict(list))
    unknown: int = 0
    further: Further = field(default_factory=Further)
    is_cut: bool = False

    def go(self, roots: Sequence[Defined], depth: int, until: frozenset[_Key] = frozenset()) -> None:
        """Follow calls so many steps, or until one of these definitions is reached."""
        level = list(roots)
        self.nodes = {_key(one): one for one in roots}
        self.distances = dict.fromkeys(self.nodes, 0)
        for distance in range(1, depth + 1):
            self.is_cut |= len(level) > _MOST_FOLLOWED
            if distance > 1:
                self.further.followed += level[:_MOST_FOLLOWED]
            level = self._step(level[:_MOST_FOLLOWED], roots, distance)
            if not level or not until.isdisjoint(self.nodes):
                return

    def _step(self, level: Sequence[Defined], roots: Sequence[Defined], distance: int) -> list[Defined]:
        """Go one step on; gives what is to be followed further."""
        look = calls_of if self.way == "callers" else calls_inside
        found = look(self.conn, self.facts, level)
        self.is_cut |= found.is_cut
        sure: dict[_Key, Defined] = {}
        for site in found.sites:
            callee = site.callee
            if callee is None and self.way == "callers" and distance == 1:
                callee = next((one for one in roots if one.name == site.name), None)
            if callee is None:
                self.unknown += self.way == "callees"
                self.further.unsure += site.times if self.way == "callers" else 0
                continue
            end = site.caller if self.way == "callers" else callee
            key = _key(end)
            if key not in self.nodes:
                if site.confidence == "name_only" and distance > 1 and self.way == "callers":
                    self.further.unsure += site.times
                    continue
                self.nodes[key], self.distances[key] = end, distance
            self.calls[_key(site.caller), _key(callee)].append(site)
            if self.distances[key] == distance and site.confidence != "name_only":
                sure[key] = end
        return list(sure.values())

    def paths(self, ends: frozenset[_Key]) -> Iterator[tuple[_Key, ...]]:
        """The shortest ways to the nearest of these definitions, from the first caller on."""
        reached = [key for key in ends if self.distances.get(key)]
        nearest = min((self.distances[key] for key in reached), default=0)
        before: dict[_Key, list[_Key]] = defaultdict(list)
        for caller, callee in self.calls:
            near, far = (callee, caller) if self.way == "callers" else (caller, callee)
            if self.distances[near] + 1 == self.distances[far]:
                before[far].append(near)
        waiting: list[tuple[_Key, ...]] = [(key,) for key in reached if self.distances[key] == nearest]
        while waiting:
            path = waiting.pop()
            if self.distances[path[-1]] == 0:
                yield path if self.way == "callers" else path[::-1]
            waiting += [(*path, near) for near in before[path[-1]]]


def find_calls(request: CallRequest, record: IndexRecord, conn: Connection, facts: IndexFacts) -> CallReport:
    """The graph of calls that a request asks for; see `CallReport`."""
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    wanted, others, _ = definitions_of(conn, target, request.symbol)
    roots = wanted[:_MOST_ROOTS]
    ends: list[Defined] = []
    missing = [] if wanted else [request.symbol.whole]
    if request.to is not None:
        ends = definitions_of(conn, target, request.to)[0]
        missing += [] if ends else [request.to.whole]
    until = frozenset(map(_key, ends))
    walks, paths = [], []
    ways: tuple[_Way, ...] = ("callees", "callers") if request.direction == "both" else (request.direction,)
    for way in ways:
        walk = _Walk(conn, facts, way)
        if roots and not (request.to and not ends):
            walk.go(roots, request.depth, until)
        walks.append(walk)
        paths += [path for path, _ in zip(walk.paths(until), range(_MOST_PATHS), strict=False)] if until else []
    nodes = _nodes(walks, {key for path in paths for key in path} if request.to else None)
    kept = nodes[: request.most]
    number = {_key(one): at for at, (one, _) in enumerate(kept)}
    edges = _edges(walks, number)
    confidences = Counter[Confidence](edge.confidence for edge in edges)
    upwards = [walk.further for walk in walks if walk.way == "callers"]
    outcome = Outcome(
        wanted, others, confidences, any(walk.is_cut for walk in walks), further=upwards[0] if upwards else Further()
    )
    usages = UsageRequest(
        symbol=request.symbol, kinds=("call",), callees=request.direction == "callees", depth=request.depth
    )
    files = facts.files(conn, {one.file_id for one in (*wanted, *ends, *(node for node, _ in kept))})
    return CallReport(
        nodes=tuple(CallNode(_place(one), distance) for one, distance in kept),
        edges=tuple(edges),
        paths=tuple(tuple(number[key] for key in path) for path in paths if all(key in number for key in path)),
        dropped=len(nodes) - len(kept),
        unknown=sum(walk.unknown for walk in walks),
        missing=tuple(missing),
        completeness=judge(conn, facts, usages, outcome),
        versions={known.path: known.version for known in files.values()},
    )


def _nodes(walks: Sequence[_Walk], among: set[_Key] | None) -> list[tuple[Defined, int]]:
    """Definitions with their distances, the nearest first, in order of files and lines."""
    nearest: dict[_Key, tuple[Defined, int]] = {}
    for walk in walks:
        for key, one in walk.nodes.items():
            distance = walk.distances[key]
            if (among is None or key in among) and (key not in nearest or distance < nearest[key][1]):
                nearest[key] = (one, distance)
    return sorted(nearest.values(), key=lambda pair: (pair[1], pair[0].path, pair[0].start_line))


def _edges(walks: Sequence[_Walk], number: Mapping[_Key, int]) -> list[CallEdge]:
    """One edge for all calls from one definition to another, with the surest of their confidences."""
    found: dict[tuple[int, int], CallEdge] = {}
    for walk in walks:
        for (caller, callee), sites in walk.calls.items():
            if caller in number and callee in number:
                ends = number[caller], number[callee]
                lines = {site.line for site in sites}
                surest = min((site.confidence for site in sites), key=CONFIDENCES.index)
                found[ends] = CallEdge(*ends, min(lines), sum(site.times for site in sites), surest)
    return sorted(found.values())


def _key(one: Defined) -> _Key:
    return one.file_id, one.symbol_no


def _place(one: Defined) -> Place:
    return Place(one.path, one.kind, one.qualified_name, one.start_line, one.end_line)
