"""A graph of files, folders or types, small enough to look at."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from cocosearch_py.analysis.page_rank import page_rank
from cocosearch_py.model.graph import Picture, PictureRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import graph as store
from cocosearch_py.storage.queries.sources import versions_of

K = TypeVar("K", bound=Hashable)  # a node: a file, or a definition
TOP = "."  # the root, as a folder


def draw(request: PictureRequest, record: IndexRecord, conn: Connection) -> Picture:
    """The part of an index's graph that a request asks for."""
    files = store.graph_files(conn, record.index_id)
    if request.by_symbol:
        heirs = [
            edge for edge in store.inheritance(conn, record.index_id) if edge[0][0] in files and edge[1][0] in files
        ]
        places = {end: files[end[0]].path for edge in heirs for end in edge[:2]}
        return _picture(heirs, places, {end: f"{path}#{end[1]}" for end, path in places.items()}, request, record, conn)
    edges = [edge for edge in store.count_edges(conn, record.index_id) if edge[0] in files and edge[1] in files]
    paths = {file_id: file.path for file_id, file in files.items()}
    names = {
        file_id: (posixpath.dirname(path) or TOP) if request.by_folder else path for file_id, path in paths.items()
    }
    return _picture(edges, paths, names, request, record, conn)


def _picture(
    edges: Sequence[tuple[K, K, int]],
    paths: Mapping[K, str],
    names: Mapping[K, str],
    request: PictureRequest,
    record: IndexRecord,
    conn: Connection,
) -> Picture:
    """The most central of the nodes with these names; `paths` are their files'."""
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
        list(number.values()), [(number[source], number[target], float(n)) for (source, target), n in counts.items()]
    )
    ranked = sorted(nodes, key=lambda name: (-ranks[number[name]], name))
    kept = set(ranked[: request.most])
    shown = sorted((*pair, imports) for pair, imports in counts.items() if kept.issuperset(pair))
    versions = versions_of(conn, record.index_id, (path for name in ranked[: request.most] for path in joined[name]))
    return Picture(tuple(ranked[: request.most]), tuple(shown), max(0, len(ranked) - request.most), versions)


def _reached(paths: Mapping[K, str], edges: Sequence[tuple[K, K, int]], request: PictureRequest) -> set[K]:
    """Nodes of the prefix, and those that so many edges in a row connect with it."""
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


def is_below(path: str, prefix: str) -> bool:
    """Whether a path is that of a file or folder, or in the folder; everything is in ""."""
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")
