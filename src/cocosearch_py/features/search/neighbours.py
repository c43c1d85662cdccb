"""The files that imports join to the hits of a search: named beside each hit, or as results of their own."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from cocosearch_py.model.code import CodeRequest, CodeTarget
from cocosearch_py.model.definitions import OutlineEntry
from cocosearch_py.model.graph import Direction, Edge, WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import Hit
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.details import joined_details

MOST_NAMED = 10  # files beside a hit, of each kind
MOST_JOINED = 5  # results of their own, of each index
_CUT = f"{MOST_NAMED} dependencies and dependents per file are listed: get_dependencies and get_impact list all"
_MOST_EDGES = 1_000
_MOST_LINES = 12  # of what a hit imports
_SHARE = 0.5  # of the score of the hit that leads there
_WAYS: Sequence[tuple[Direction, str]] = (("dependencies", "imported_by"), ("dependents", "imports"))


@dataclass(slots=True)
class Neighbours:
    """Neighbours of the hits in the graph.

    Attributes:
        named: by name of an index and path of a hit's file, paths that it imports, and that import it.
        joined: results, those that most hits lead to first.
        remarks: what is to be known of them.
    """

    named: dict[tuple[str, str], Json] = field(default_factory=dict)
    joined: list[Json] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def remark(self, text: str | None) -> None:
        """Note what is to be known, once."""
        if text is not None and text not in self.remarks:
            self.remarks.append(text)


class Wanted(NamedTuple):
    """Wanted parts: names beside the hits, results of their own, and whether these have details."""

    named: bool
    joined: bool
    detailed: bool = False


def wants_graph(features: Mapping[str, Any] | None) -> bool:
    """Whether files joined by imports are asked for."""
    return bool((features or {}).get("graph"))


def find_neighbours(call: Call, found: Found, hits: Sequence[tuple[IndexRecord, Hit]], wanted: Wanted) -> Neighbours:
    """The files that the files of these hits import, and those that import them."""
    neighbours = Neighbours()
    if not (wanted.named or wanted.joined):
        return neighbours
    for _, group in groupby(sorted(hits, key=lambda pair: pair[0].name), key=lambda pair: pair[0].name):
        pairs = list(group)
        record, own = pairs[0][0], [hit for _, hit in pairs]
        edges = {relation: _edges(call, found, record, own, way, neighbours) for way, relation in _WAYS}
        if wanted.named:
            _name(neighbours, record, own, edges)
        if wanted.joined:
            index = {"index_name": record.name} if len(found.records) > 1 else {}
            for item in _joined(call, found, record, own, edges):
                details = joined_details(call, found, record, item) if wanted.detailed else {}
                neighbours.joined.append({**item, **index, **details})
    return neighbours


def _edges(
    call: Call, found: Found, record: IndexRecord, hits: Sequence[Hit], way: Direction, neighbours: Neighbours
) -> list[tuple[str, str, Edge]]:
    """(hit's file, its neighbour, the import)."""
    files = tuple(dict.fromkeys(hit.file_path for hit in hits))
    request = WalkRequest(files=files, direction=way, limit=_MOST_EDGES)
    report = call.look(found.app, record, lambda: found.app.graphs.walk(request, record))
    neighbours.remark(report.stale)
    ends = [(one.source, one.target, one) for one in report.edges]
    return ends if way == "dependencies" else [(near, far, one) for far, near, one in ends]


def _name(
    neighbours: Neighbours,
    record: IndexRecord,
    hits: Sequence[Hit],
    edges: Mapping[str, list[tuple[str, str, Edge]]],
) -> None:
    for path in dict.fromkeys(hit.file_path for hit in hits):
        item: Json = {}
        for key, relation in (("dependencies", "imported_by"), ("dependents", "imports")):
            others = list(dict.fromkeys(far for near, far, _ in edges[relation] if near == path))
            item[key] = [posixpath.join(record.root_path, far) for far in others[:MOST_NAMED]]
            neighbours.remark(_CUT if len(others) > MOST_NAMED else None)
        neighbours.named[record.name, path] = item


def _joined(
    call: Call,
    found: Found,
    record: IndexRecord,
    hits: Sequence[Hit],
    edges: Mapping[str, list[tuple[str, str, Edge]]],
) -> Iterator[Json]:
    scores: dict[str, float] = {}
    for hit in hits:
        scores[hit.file_path] = max(hit.score, scores.get(hit.file_path, 0.0))
    lowest = min(scores.values(), default=0.0)
    weights: dict[tuple[str, str], float] = {}
    ways: dict[tuple[str, str], list[tuple[str, Edge]]] = {}
    for relation, joins in edges.items():
        for near, far, edge in joins:
            if far not in scores and near in scores:
                weights[far, relation] = weights.get((far, relation), 0.0) + scores[near]
                ways.setdefault((far, relation), []).append((near, edge))
    for far, relation in sorted(weights, key=lambda one: (-weights[one], one))[:MOST_JOINED]:
        led = ways[far, relation]
        best = max(scores[near] for near, _ in led)
        item = _item(call, found, record, far, relation, [edge for _, edge in led])
        if item is not None:
            nears = [posixpath.join(record.root_path, near) for near in dict.fromkeys(near for near, _ in led)]
            yield {**item, "score": round(min(lowest, best * _SHARE), 4), relation: nears}


def _item(
    call: Call, found: Found, record: IndexRecord, path: str, relation: str, edges: Sequence[Edge]
) -> Json | None:
    """A result: the definition that is imported of a file, or the line with which a file imports."""
    app = found.app
    outlined = call.look(app, record, lambda: app.navigation.outline_file(path, None, record)).outline
    if outlined is None:
        return None
    entry = _imported(outlined.entries, edges) if relation == "imported_by" else None
    first, last = (edges[0].line, edges[0].line) if relation == "imports" else (1, _MOST_LINES)
    if entry is not None:
        first, last = entry.start_line, min(entry.end_line, entry.start_line + _MOST_LINES - 1)
    most = app.settings.indexing.max_file_size_kb * 1024
    request = CodeRequest(targets=(CodeTarget(path, path, start=first, end=last),), max_file_bytes=most)
    parts = call.look(app, record, lambda: app.navigation.read_code(request, record)).parts
    if not parts:
        return None
    return {
        "file_path": posixpath.join(record.root_path, path),
        "start_line": parts[0].start_line,
        "end_line": parts[0].end_line,
        "content": "\n".join(line for _, line in parts[0].lines),
        "block_type": "",
        "hierarchy": "" if entry is None else f"{entry.kind} {entry.qualified_name}",
        "language_id": outlined.language_id,
        "symbol_type": None if entry is None else entry.kind,
        "symbol_name": None if entry is None else entry.name,
        "symbol_signature": None if entry is None else entry.signature,
        "match_type": "graph",
        "vector_score": None,
        "keyword_score": None,
        "context_before": "",
        "context_after": "",
    }


def _imported(entries: Sequence[OutlineEntry], edges: Sequence[Edge]) -> OutlineEntry | None:
    """The definition that is imported of a file, else its first one that others may use."""
    names = [name for edge in edges for name in edge.names]
    outer = [one for one in entries if not one.function_depth]
    for name in names:
        for one in outer:
            if one.name == name:
                return one
    return next((one for one in outer if one.visibility == "public"), next(iter(outer), None))
