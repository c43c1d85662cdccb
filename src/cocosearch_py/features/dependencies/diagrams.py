"""A graph of files, folders or types, small enough to look at."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from cocosearch_py.analysis.page_rank import page_rank
from cocosearch_py.features.dependencies.queries import find_inheritance
from cocosearch_py.features.dependencies.tools import GraphLevel
from cocosearch_py.graph.maps import is_below
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import graph as store
from cocosearch_py.storage.queries.sources import versions_of

K = TypeVar("K", bound=Hashable)  # A node: a file, or a definition.
_TOP = "."  # The root, as a folder.


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagramRequest:
    """A graph to look at.

    Attributes:
        prefix: folder or file that one end of each edge is in; "" for all.
        level: whether nodes are files, folders, or types with edges to what they inherit from.
        depth: maximum number of edges in a row from the prefix; None for no limit.
        limit: maximum number of nodes; the most central are kept.
    """

    prefix: str = ""
    level: GraphLevel = "file"
    depth: int | None = None
    limit: int = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """A graph of files, folders or types.

    Attributes:
        nodes: the most central first.
        edges: between them, with their numbers of imports.
        dropped: number of nodes that are left out.
        versions: the files that these edges join, as the index holds them.
        stale: see `DefinitionReport`.
    """

    nodes: tuple[str, ...] = ()
    edges: tuple[tuple[str, str, int], ...] = ()
    dropped: int = 0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`; imports between folders stay as they were counted."""
        return replace(
            self,
            nodes=tuple(node for node in self.nodes if node not in gone),
            edges=tuple(edge for edge in self.edges if edge[0] not in gone and edge[1] not in gone),
            stale=why,
        )


def draw(request: DiagramRequest, record: IndexRecord, conn: Connection) -> Diagram:
    """Return the part of an index's graph that a request asks for."""
    files = store.graph_files(conn, record.index_id)
    if request.level == "symbol":
        heirs = [
            edge for edge in find_inheritance(conn, record.index_id) if edge[0][0] in files and edge[1][0] in files
        ]
        places = {end: files[end[0]].path for edge in heirs for end in edge[:2]}
        return _diagram(heirs, places, {end: f"{path}#{end[1]}" for end, path in places.items()}, request, record, conn)
    edges = [edge for edge in store.count_edges(conn, record.index_id) if edge[0] in files and edge[1] in files]
    paths = {file_id: file.path for file_id, file in files.items()}
    by_folder = request.level == "package"
    names = {file_id: (posixpath.dirname(path) or _TOP) if by_folder else path for file_id, path in paths.items()}
    return _diagram(edges, paths, names, request, record, conn)


def _diagram(
    edges: Sequence[tuple[K, K, int]],
    paths: Mapping[K, str],
    names: Mapping[K, str],
    request: DiagramRequest,
    record: IndexRecord,
    conn: Connection,
) -> Diagram:
    """Return the most central nodes; `names` are how they are shown, `paths` their files."""
    chosen = _reached(paths, edges, request)
    counts: Counter[tuple[str, str]] = Counter()
    joined: defaultdict[str, set[str]] = defaultdict(set)  # files, by node
    for source, target, imports in edges:
        if source in chosen and target in chosen and names[source] != names[target]:
            counts[names[source], names[target]] += imports
            joined[names[source]].add(paths[source])
            joined[names[target]].add(paths[target])
    nodes = sorted({name for pair in counts for name in pair})
    number = {name: at for at, name in enumerate(nodes)}
    ranks = page_rank(
        list(number.values()),
        [(number[source], number[target], float(n)) for (source, target), n in sorted(counts.items())],
    )
    ranked = sorted(nodes, key=lambda name: (-ranks[number[name]], name))
    kept = ranked[: request.limit]
    shown = set(kept)
    return Diagram(
        nodes=tuple(kept),
        edges=tuple(sorted((*pair, imports) for pair, imports in counts.items() if shown.issuperset(pair))),
        dropped=len(ranked) - len(kept),
        versions=versions_of(conn, record.index_id, (path for name in kept for path in joined[name])),
    )


def _reached(paths: Mapping[K, str], edges: Sequence[tuple[K, K, int]], request: DiagramRequest) -> set[K]:
    """Return the nodes of the prefix, and those that edges connect with it, up to the depth."""
    inside = {node for node, path in paths.items() if is_below(path, request.prefix)}
    if len(inside) == len(paths):
        return inside
    beside: defaultdict[K, set[K]] = defaultdict(set)
    for source, target, _ in edges:
        beside[source].add(target)
        beside[target].add(source)
    reached, level = set(inside), inside
    steps = len(paths) if request.depth is None else request.depth
    while level and steps:
        level = {other for node in level for other in beside[node]} - reached
        reached |= level
        steps -= 1
    return reached
