"""A graph of files or folders, small enough to look at."""

import posixpath
from collections import Counter, defaultdict

from cocosearch_py.graph.central import page_rank
from cocosearch_py.model.graph import GraphFile, Picture, PictureRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import graph as store
from cocosearch_py.storage.queries.sources import versions_of

TOP = "."  # the root, as a folder


def draw(request: PictureRequest, record: IndexRecord, conn: Connection) -> Picture:
    """The part of an index's graph that a request asks for."""
    files = store.graph_files(conn, record.index_id)
    edges = [edge for edge in store.count_edges(conn, record.index_id) if edge[0] in files and edge[1] in files]
    chosen = _reached(files, edges, request)
    counts: Counter[tuple[str, str]] = Counter()
    joined: defaultdict[str, set[str]] = defaultdict(set)  # files, by node
    for source, target, imports in edges:
        if source in chosen and target in chosen:
            pair = _node(files[source], request), _node(files[target], request)
            if pair[0] != pair[1]:
                counts[pair] += imports
                joined[pair[0]].add(files[source].path)
                joined[pair[1]].add(files[target].path)
    names = sorted({name for pair in counts for name in pair})
    number = {name: at for at, name in enumerate(names)}
    ranks = page_rank(
        list(number.values()), [(number[source], number[target], float(n)) for (source, target), n in counts.items()]
    )
    ranked = sorted(names, key=lambda name: (-ranks[number[name]], name))
    kept = set(ranked[: request.most])
    shown = sorted((*pair, imports) for pair, imports in counts.items() if kept.issuperset(pair))
    versions = versions_of(conn, record.index_id, (path for name in ranked[: request.most] for path in joined[name]))
    return Picture(tuple(ranked[: request.most]), tuple(shown), max(0, len(ranked) - request.most), versions)


def _node(file: GraphFile, request: PictureRequest) -> str:
    return (posixpath.dirname(file.path) or TOP) if request.by_folder else file.path


def _reached(files: dict[int, GraphFile], edges: list[tuple[int, int, int]], request: PictureRequest) -> set[int]:
    """Files of the prefix, and those that so many edges in a row connect with it."""
    inside = {file_id for file_id, file in files.items() if is_below(file.path, request.prefix)}
    if len(inside) == len(files):
        return inside
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for source, target, _ in edges:
        beside[source].add(target)
        beside[target].add(source)
    reached, level = set(inside), inside
    steps = len(files) if request.depth is None else request.depth
    while level and steps:
        level = {other for file_id in level for other in beside[file_id]} - reached
        reached |= level
        steps -= 1
    return reached


def is_below(path: str, prefix: str) -> bool:
    """Whether a path is that of a file or folder, or in the folder; everything is in ""."""
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")
