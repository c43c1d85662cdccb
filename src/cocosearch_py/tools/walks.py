"""What `get_dependencies` and `get_impact` share: a walk along imports, and its edges as a tree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, NotRequired, TypedDict

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.graph import EDGE_KINDS, Direction, Edge, EdgeKind, WalkReport, WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.files import stored_paths
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

MAX_FILES = 50
MAX_DEPTH = 20
MAX_EDGES = 1_000
DEFAULT_EDGES = 200


class Walked(NamedTuple):
    """What was found in an index, and what is to be known of it."""

    record: IndexRecord
    request: WalkRequest
    report: WalkReport
    warnings: tuple[str, ...]


class Walk(NamedTuple):
    """What the arguments of both have in common."""

    paths: Sequence[str]
    direction: Direction
    depth: int
    kind: str | None
    limit: int
    with_tests: bool = True
    member: str | None = None


class Node(TypedDict):
    """A file that is reached; `dep_type` is "import", or the kind of edges that was asked for."""

    file: str
    dep_type: Literal["import", "call", "reference", "inherit"]
    target_symbol: str | None
    module: str
    line: Count
    is_test: NotRequired[bool]
    children: NotRequired[list[Json]]


def walk(call: Call, asked: Walk) -> Walked:
    """Find the files and walk from them.

    Raises:
        NotFoundError: none of them is indexed.
        ValidationError: an unknown kind of edge.
    """
    found = call.find()
    record = found.records[0]
    bounded = Bounded()
    kind = _kind(asked.kind)
    member = inside(found, asked.member)
    meant = {text: stored_paths(call, record, text, member) for text in asked.paths}
    request = WalkRequest(
        files=tuple(dict.fromkeys(path for paths in meant.values() for path in paths)),
        direction=asked.direction,
        kind=kind,
        depth=bounded.value("depth", asked.depth, 1, MAX_DEPTH),
        limit=bounded.value("limit", asked.limit, 1, MAX_EDGES),
        with_tests=asked.with_tests,
    )

    def look() -> WalkReport:
        report = found.app.graphs.walk(request, record)
        missing = (text for text, paths in meant.items() if not set(paths) & set(report.files))
        return replace(report, missing=tuple(missing))

    report = call.look(found.app, record, look)
    if not report.files:
        raise NotFoundError(
            f"{report.missing[0][:200]} is not in the index",
            hint="index_status with check_files shows why; list_files shows files",
            details={"path": report.missing[0][:200]},
        )
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if not report.edges:
        told.append(_nothing(request, report))
    return Walked(record, request, report, tuple(told))


def _nothing(request: WalkRequest, report: WalkReport) -> str:
    """Why no edge was found."""
    used = "" if request.kind == "import" else f" for a {request.kind}"
    if request.direction == "dependents":
        who = "no indexed file" if request.with_tests else "no indexed file other than tests"
        return f"{who} imports it{used}; imports by name at run time are not detected: see find_references"
    if request.kind != "import":
        return f"it imports nothing from the project{used}: dep_type=import shows all imports"
    outside = len(report.external) + len(report.unresolved)
    if not outside:
        return "no imports were found in it: outline_file shows the imports that were parsed"
    elsewhere = f"{outside:,} resolve elsewhere: include_external=true lists them"
    return f"none of its imports resolves to an indexed file; {elsewhere}"


def _kind(text: str | None) -> EdgeKind:
    kind = next((one for one in EDGE_KINDS if one == (text or "import")), None)
    if kind is None:
        raise ValidationError(f"unknown dep_type '{(text or '')[:60]}'", hint=f"known: {', '.join(EDGE_KINDS)}")
    return kind


def tree(walked: Walked, edges: Sequence[Edge]) -> dict[str, list[Json]]:
    """The edges as trees, by the file that was asked about."""
    is_down = walked.request.direction == "dependencies"
    roots: dict[str, list[Json]] = {path: [] for path in walked.report.files}
    places: dict[str, list[Json]] = dict(roots)
    for edge in edges:  # nearest first, so that a file's own place comes before its children
        near, far = (edge.source, edge.target) if is_down else (edge.target, edge.source)
        node = node_of(walked, edge, far)
        if near in places:
            places[near].append(node)
        if far not in places:
            places[far] = node["children"] = []
    return {path: _pruned(nodes) for path, nodes in roots.items()}


def node_of(walked: Walked, edge: Edge, file: str) -> Json:
    """An edge as the file at its far end."""
    node: Json = {
        "file": file,
        "dep_type": walked.request.kind,
        "target_symbol": ", ".join(edge.names) or None,
        "module": edge.module,
        "line": edge.line,
    }
    return {**node, "is_test": True} if file in walked.report.tests else node


def _pruned(nodes: list[Json]) -> list[Json]:
    """The same without empty lists of children; in a loop, as a chain may be long."""
    waiting = [nodes]
    while waiting:
        for node in waiting.pop():
            if children := node.get("children"):
                waiting.append(children)
            else:
                node.pop("children", None)
    return nodes


def told(walked: Walked, kept: int) -> Json:
    """Numbers and notes that end an answer with so many of the edges."""
    answer: Json = {"total": walked.report.total}
    if kept < walked.report.total:
        answer |= {"truncated": True}
    if walked.report.missing:
        answer["not_found"] = list(walked.report.missing)
    warnings = list(walked.warnings)
    if kept < walked.report.total:
        warnings.append(f"{kept} of {walked.report.total} edges shown, the nearest first; use a smaller depth")
    return {**answer, "warnings": warnings} if warnings else answer
