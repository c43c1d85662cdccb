"""Questions about files: who imports a module, what it imports, what depends on it, which tests it has."""

from collections.abc import Iterator, Sequence

from cocosearch_py.features.ask.evidence import Evidence
from cocosearch_py.features.ask.investigation import Inquiry
from cocosearch_py.features.ask.linking import Linked
from cocosearch_py.model.graph import Direction, Edge

_STEP = 0.001
_FARTHER = 0.2


def importers(inquiry: Inquiry, linked: Linked) -> int:
    """Which lines import it: a file, a definition, or a module that others define; gives how many there are."""
    if linked.files:
        return neighbours(inquiry, linked.files, "dependents", 1)
    if linked.definitions:
        report = inquiry.look(
            "import",
            f"imports of {linked.name}",
            lambda: inquiry.sources.usages(linked.name, ("import",)),
            lambda report: report.total,
        )
        bound = [one for one in report.usages if one.confidence != "name_only"] or report.usages
        inquiry.add(
            Evidence(one.path, one.line, one.line, 0.95 - at * _STEP, inquiry.step, f"imports {one.name}")
            for at, one in enumerate(bound)
        )
        if bound:
            return len(bound)
    sites = inquiry.look("import", f"imports of {linked.name}", lambda: inquiry.sources.imports_of(linked.name), len)
    seen: set[tuple[str, int]] = set()
    for at, one in enumerate(sites):
        if (one.path, one.line) not in seen:
            seen.add((one.path, one.line))
            inquiry.add(
                [Evidence(one.path, one.line, one.line, 0.95 - at * _STEP, inquiry.step, f"imports {one.module}")]
            )
    return len(seen)


def neighbours(inquiry: Inquiry, files: Sequence[str], direction: Direction, depth: int) -> int:
    """Lines that join files by imports, the nearest first; gives how many files they lead to."""
    name = ", ".join(files)
    query = f"imports of {name}" if direction == "dependents" else f"imports in {name}"
    report = inquiry.look(
        "import", query, lambda: inquiry.sources.walk(files, direction, depth), lambda report: report.total
    )
    inquiry.add(_joined(inquiry, report.edges, direction))
    if direction == "dependencies":
        inquiry.add(
            Evidence(one.source, one.line, one.line, 0.5, inquiry.step, f"imports {one.module}, not in the index")
            for one in report.external
        )
    return len(report.edges)


def tests(inquiry: Inquiry, linked: Linked) -> int:
    """Tests of it, by what they use and by their names; gives how many there are."""
    name = "" if linked.files else linked.name
    report = inquiry.look(
        "callgraph",
        f"tests of {linked.name}",
        lambda: inquiry.sources.tests(name, linked.files),
        lambda report: report.total,
    )
    reasons = {"calls": "calls it", "name_convention": "is named after it", "same_file": "is in the same file"}
    for at, one in enumerate(report.tests):
        told = reasons.get(one.reason, "tests its file" if one.reason == "test_file" else "imports its file")
        start = 0.95 if one.reason in ("calls", "name_convention") and one.confidence != "name_only" else 0.6
        relevance = max(0.05, start - at * _STEP)
        shown = "" if one.kind == "file" else one.name
        inquiry.add([Evidence(one.path, one.line, one.line, relevance, inquiry.step, f"test: {told}", shown)])
    if report.commands:
        inquiry.notes += [
            f"run them: {one.command}" + (f" (in {one.folder})" if one.folder else "") for one in report.commands
        ]
    return len(report.tests)


def _joined(inquiry: Inquiry, edges: Sequence[Edge], direction: Direction) -> Iterator[Evidence]:
    for at, edge in enumerate(edges):
        what = f"{edge.target}" if direction == "dependents" else edge.module
        names = f" ({', '.join(edge.names[:3])})" if edge.names else ""
        far = f", {edge.distance} imports away" if edge.distance > 1 else ""
        relevance = max(0.05, 0.95 - _FARTHER * (edge.distance - 1) - at * _STEP)
        yield Evidence(edge.source, edge.line, edge.line, relevance, inquiry.step, f"imports {what}{names}{far}")
