"""From file to file along imports, nearest first."""

from collections.abc import Collection, Iterator

from cocosearch_py.model.graph import Edge, GraphFile, ImportSite, ImportsReport, Outside, WalkReport, WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import graph as store
from cocosearch_py.storage.queries.sources import versions_of

_MOST_SITES = 200


def find_imports(module: str, record: IndexRecord, conn: Connection) -> ImportsReport:
    """Imports that name a module, or one below it, as imports write it."""
    rows, total = store.imports_written(conn, record.index_id, module, _MOST_SITES)
    sites = tuple(ImportSite(*row) for row in rows)
    return ImportsReport(
        sites=sites, total=total, versions=versions_of(conn, record.index_id, (one.path for one in sites))
    )


def walk(request: WalkRequest, record: IndexRecord, conn: Connection) -> WalkReport:
    """Breadth first, one statement a step; no file is gone through twice."""
    index_id = record.index_id
    known = store.files_by_id(conn, index_id, [file_id_of(path) for path in request.files])
    starts = {file.file_id for file in known.values() if file.path in request.files}
    steps: list[tuple[int, store.ImportEdge]] = []
    seen, level = set(starts), starts
    for distance in range(1, request.depth + 1):
        if not level:
            break
        found = store.edges_at(conn, index_id, level, request.direction, request.kind)
        ends = {_end(edge, request) for edge in found}
        known |= store.files_by_id(conn, index_id, ends - known.keys())
        # Files that two steps lead to are shown at the first.
        new = {end for end in ends - seen if end in known and (request.with_tests or not known[end].is_test)}
        steps += [(distance, edge) for edge in found if _end(edge, request) in (new if distance > 1 else new | starts)]
        seen |= new
        level = new
    edges = sorted(_merged(steps, known), key=lambda edge: (edge.distance, edge.source, edge.line, edge.target))
    unresolved, external = _outside(conn, index_id, starts, known) if request.direction == "dependencies" else ((), ())
    files = tuple(path for path in request.files if file_id_of(path) in starts)
    shown = edges[: request.limit]
    return WalkReport(
        files=files,
        edges=tuple(shown),
        total=len(edges),
        unresolved=unresolved,
        external=external,
        fan_in={known[file_id].path: count for file_id, count in store.count_importers(conn, index_id, starts).items()},
        tests=frozenset(known[file_id].path for file_id in seen if known[file_id].is_test),
        versions=versions_of(conn, index_id, [*files, *(path for one in shown for path in (one.source, one.target))]),
    )


def _end(edge: store.ImportEdge, request: WalkRequest) -> int:
    return edge.target_file_id if request.direction == "dependencies" else edge.file_id


def _merged(steps: list[tuple[int, store.ImportEdge]], known: dict[int, GraphFile]) -> Iterator[Edge]:
    """One edge for all names that a file imports of another one."""
    pairs: dict[tuple[int, int], list[tuple[int, store.ImportEdge]]] = {}
    for step in steps:
        pairs.setdefault((step[1].file_id, step[1].target_file_id), []).append(step)
    for (source, target), found in pairs.items():
        distance, first = found[0]
        names = dict.fromkeys(edge.name for _, edge in found if edge.name is not None)
        yield Edge(known[source].path, known[target].path, first.module, tuple(names), first.line, distance)


def _outside(
    conn: Connection, index_id: int, starts: Collection[int], known: dict[int, GraphFile]
) -> tuple[tuple[Outside, ...], tuple[Outside, ...]]:
    unresolved: list[Outside] = []
    external: list[Outside] = []
    for file_id, module, line, is_ours in store.loose_imports(conn, index_id, starts):
        (unresolved if is_ours else external).append(Outside(known[file_id].path, module, line))
    return tuple(unresolved), tuple(external)
