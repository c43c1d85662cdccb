"""A walk along imports, and its edges as trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cocosearch_py.errors import NotFoundError
from cocosearch_py.features.dependencies.tools import MAX_DEPTH, MAX_EDGES, ImportKind
from cocosearch_py.model.graph import Direction, Edge, WalkReport, WalkRequest
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Files to walk from, and how; the arguments that get_dependencies and get_impact share."""

    paths: Sequence[str]
    direction: Direction
    depth: int
    kind: str | None
    limit: int
    with_tests: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """Edges that a walk found in an index, and remarks on them."""

    index: Index
    request: WalkRequest
    report: WalkReport
    warnings: tuple[str, ...]

    def trees(self, edges: Sequence[Edge]) -> dict[str, tuple[Json, ...]]:
        """Return the edges as trees, by the file that was asked about; nearest edges come first."""
        is_down = self.request.direction == "dependencies"
        roots: dict[str, list[Json]] = {path: [] for path in self.report.files}
        places = dict(roots)
        for edge in edges:
            near, far = (edge.source, edge.target) if is_down else (edge.target, edge.source)
            node = self._node(edge, far)
            if near in places:
                places[near].append(node)
            if far not in places:
                places[far] = node["children"] = []
        _remove_empty_children(roots.values())
        return {path: tuple(nodes) for path, nodes in roots.items()}

    def _node(self, edge: Edge, file: str) -> Json:
        """Return an edge as the file at its far end."""
        node: Json = {
            "file": file,
            "dep_type": self.request.kind,
            "target_symbol": ", ".join(edge.names) or None,
            "module": edge.module,
            "line": edge.line,
        }
        return {**node, "is_test": True} if file in self.report.tests else node

    def frame(self, edges: Sequence[Edge]) -> Mapping[str, Any]:
        """Return the fields of an answer with these edges that are about the walk as a whole."""
        total, warnings = self.report.total, list(self.warnings)
        if len(edges) < total:
            warnings.append(f"{len(edges)} of {total} edges shown, the nearest first; use a smaller depth")
        return {
            "root": self.index.root,
            "depth": self.request.depth,
            "total": total,
            "not_found": self.report.missing,
            "truncated": len(edges) < total,
            "warnings": tuple(warnings),
        }


def _remove_empty_children(trees: Any) -> None:
    waiting = list(trees)
    while waiting:
        for node in waiting.pop():
            if children := node.get("children"):
                waiting.append(children)
            else:
                node.pop("children", None)


def walk(index: Index, asked: Walk) -> Walked:
    """Find the files and walk from them.

    Raises:
        NotFoundError: none of them is indexed.
        ValidationError: an unknown kind of import.
    """
    bounded = Bounded()
    paths = {text: index.files(text) for text in asked.paths}
    request = WalkRequest(
        files=tuple(dict.fromkeys(path for several in paths.values() for path in several)),
        direction=asked.direction,
        kind=choice("dep_type", asked.kind or "import", ImportKind),
        depth=bounded.value("depth", asked.depth, 1, MAX_DEPTH),
        limit=bounded.value("limit", asked.limit, 1, MAX_EDGES),
        with_tests=asked.with_tests,
    )

    def look(report: WalkReport) -> WalkReport:
        missing = tuple(text for text, several in paths.items() if not set(several) & set(report.files))
        return replace(report, missing=missing)

    report = index.ask(lambda record: look(index.app.graphs.walk(request, record)))
    if not report.files:
        raise NotFoundError(
            f"{report.missing[0][:200]} is not in the index",
            hint="index_status with check_files shows why; list_files shows files",
            details={"path": report.missing[0][:200]},
        )
    warnings = [*bounded.notes, *index.warnings(report)]
    if not report.edges:
        warnings.append(_no_edges(request, report))
    return Walked(index=index, request=request, report=report, warnings=tuple(warnings))


def _no_edges(request: WalkRequest, report: WalkReport) -> str:
    """Return why there are no edges."""
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
