"""Answers about uses of definitions: references, calls, types in signatures, tests."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from msgspec import UNSET, UnsetType, structs

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.features.references.tools import (
    CURSOR_MODE,
    MAX_CALL_DEPTH,
    MAX_CALL_NODES,
    MAX_REFERENCE_DEPTH,
    MAX_REFERENCES,
    MAX_TESTS,
    MAX_TYPE_USERS,
    CallDirection,
    CallGraph,
    CallGraphArguments,
    Direction,
    Enclosing,
    FindReferencesArguments,
    FindTestsArguments,
    GraphEdge,
    GraphFormat,
    GraphNode,
    Reference,
    References,
    RelatedTests,
    TraceTypeArguments,
    TypeFlow,
    TypeUser,
)
from cocosearch_py.features.references.type_flow import FlowRequest, find_flow
from cocosearch_py.graph.drawing import mermaid
from cocosearch_py.graph.testing import RelatedRequest
from cocosearch_py.model.calls import CallNode, CallReport, CallRequest
from cocosearch_py.model.completeness import Completeness, Level
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.testing import RelatedReport
from cocosearch_py.model.usages import Usage, UsageReport, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.tools.answer import Shrinkable, tabled
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.files import given_paths
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import checked_name
from cocosearch_py.tools.pages import Cursor, fill, following, read_cursor
from cocosearch_py.tools.revisions import changed_since
from cocosearch_py.tools.usages import usage_request
from cocosearch_py.tools.warnings import remarks_on

_MOST_DEFINITIONS = 10  # Maximum definitions that an answer names.
_DEFAULT_CALL_DEPTH = 2


def find_references(call: Call, asked: FindReferencesArguments) -> Shrinkable[Reference, References]:
    """Find a page of the uses of a symbol, in one index or several.

    Raises:
        ValidationError: an unknown kind, direction, language or cursor, or not a name.
    """
    direction: Direction = choice("direction", asked.direction, Direction)
    bounded = Bounded()
    request = replace(
        usage_request(
            asked.symbol,
            kinds=asked.kinds,
            language=asked.language,
            path_glob=asked.path_glob,
            path_prefix=asked.path_prefix,
            with_tests=asked.include_tests,
        ),
        callees=direction == "callees",
        depth=bounded.value("depth", asked.depth, 1, MAX_REFERENCE_DEPTH),
        limit=bounded.value("limit", asked.limit, 1, MAX_REFERENCES),
    )
    found = call.find()
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    begin = read_cursor(asked.cursor, (CURSOR_MODE,), len(found.records)) or Cursor(CURSOR_MODE, 0, 0)

    def look(record: IndexRecord, offset: int, limit: int) -> UsageReport:
        page = replace(request, limit=limit, offset=offset)
        return call.look(found.app, record, lambda: found.app.graphs.find_references(page, record))

    reports = fill(found.records, begin, request.limit, look, lambda report: len(report.usages))
    uses = _Uses(request, reports, begin)
    warnings = (*bounded.notes, *remarks_on(call, found, (report.stale for _, report in reports)))
    whole = References(
        definitions=tuple(uses.definitions()),
        total=uses.total,
        counts=uses.counts("kinds"),
        confidence=uses.counts("confidences"),
        completeness=uses.completeness,
        hints=uses.hints(),
        warnings=warnings,
    )

    def build(items: Sequence[Reference]) -> References:
        listed = tabled(items) if asked.compact else {"references": tuple(items)}
        note, cursor = QUOTED if items else "", uses.cursor_after(len(items))
        return structs.replace(whole, **listed, note=note, next_cursor=cursor or "")

    return Shrinkable(tuple(uses.references()), build)


@dataclass(frozen=True, slots=True)
class _Uses:
    """Uses that each index reports, in the order of the indexes; `begin` is where the page begins."""

    request: UsageRequest
    reports: Sequence[tuple[IndexRecord, UsageReport]]
    begin: Cursor

    @property
    def total(self) -> int:
        return sum(report.total for _, report in self.reports)

    @property
    def completeness(self) -> Completeness:
        """The least sure of the verdicts, with all blind spots."""
        levels: Sequence[Level] = get_args(Level)
        verdicts = [report.completeness for _, report in self.reports]
        level: Level = max((verdict.level for verdict in verdicts), key=levels.index, default="partial")
        return Completeness(level, tuple(dict.fromkeys(spot for verdict in verdicts for spot in verdict.blind_spots)))

    def counts(self, name: Literal["kinds", "confidences"]) -> dict[str, int]:
        """Return how many uses there are of each kind or confidence, on all pages."""
        counts: dict[str, int] = {}
        for _, report in self.reports:
            for key, count in getattr(report, name).items():
                counts[key] = counts.get(key, 0) + count
        return counts

    def hints(self) -> tuple[str, ...]:
        """Return advice where no use was found."""
        if self.total:
            return ()
        name = self.request.symbol.spelled
        if not any(report.definitions for _, report in self.reports):
            return (f"no definition and no use of '{name}': find_symbol finds similar names, search_text finds text",)
        if self.request.filters_files:
            return ("no use in the files that pass the filters: ask without filters",)
        return (f"no use was found, but '{name}' may still be used: see blind_spots, and ask search_text for its name",)

    def definitions(self) -> list[str]:
        """Return places, kinds and names of the first definitions."""
        return [
            f"{posixpath.join(record.root_path, place.path)}:{place.start_line} {place.kind} {place.qualified_name}"
            for record, report in self.reports
            for place in report.definitions
        ][:_MOST_DEFINITIONS]

    def references(self) -> Iterator[Reference]:
        """Yield the uses of the page."""
        is_ambiguous = sum(len(report.definitions) for _, report in self.reports) > 1
        for record, report in self.reports:
            for use in report.usages:
                names_target = use.target and (self.request.callees or use.distance > 1 or is_ambiguous)
                yield Reference(
                    file_path=posixpath.join(record.root_path, use.path),
                    line=use.line,
                    column=use.column,
                    kind=use.kind,
                    confidence=use.confidence,
                    text=use.text,
                    enclosing=_enclosing(use),
                    target=f"{use.target.path}#{use.target.qualified_name}" if use.target and names_target else "",
                    name=use.name if self.request.callees else "",
                    distance=max(use.distance, 1),  # A definition itself has 0.
                    index_name=record.name if len(self.reports) > 1 else "",
                )

    def cursor_after(self, count: int) -> str | None:
        """Return where the page after the first `count` uses begins; None if there are no more."""
        sizes = ((len(report.usages), report.total) for _, report in self.reports)
        return following(self.begin, CURSOR_MODE, sizes, count)


def _enclosing(use: Usage) -> Enclosing | UnsetType:
    place = use.around
    if place is None:
        return UNSET
    return Enclosing(kind=place.kind, name=place.qualified_name, start_line=place.start_line, end_line=place.end_line)


def find_tests(call: Call, asked: FindTestsArguments) -> RelatedTests:
    """Find the tests of a definition or of files.

    Raises:
        ValidationError: not exactly one of a symbol, a path and a revision is given.
        NotFoundError: the file is not in the index.
    """
    name = (asked.symbol or "").strip()
    if sum(map(bool, (name, asked.path, asked.since_ref))) != 1:
        raise ValidationError(
            "give exactly one of symbol, path and since_ref", hint="symbol: a name; path: a file, as answers show it"
        )
    if name:
        checked_name(name, "the symbol")
    index = Index.of(call, asked.member)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_TESTS)
    files = _tested_files(index, asked)
    symbol = _symbol(index, name) if name else None
    report = _related(index, RelatedRequest(symbol=symbol, files=files, limit=limit))
    if not report.known and name and set("./") & set(name) and "#" not in name:  # It may be a file.
        of_file = _related(index, RelatedRequest(files=index.files(name), limit=limit))
        report = of_file if of_file.known else report
    if not report.known and asked.path:
        raise NotFoundError(
            f"{asked.path[:200]} is not in the index",
            hint="index_status with check_files shows why; list_files shows the files",
        )
    return RelatedTests(
        root=index.root,
        total=report.total,
        tests=tuple(structs.replace(test, path=index.absolute(test.path)) for test in report.tests),
        run=tuple(
            structs.replace(run, folder=index.absolute(run.folder).rstrip("/") or "/") for run in report.commands
        ),
        completeness=report.completeness or UNSET,
        note=QUOTED if report.tests else "",  # names of tests are sentences in some languages
        warnings=(*bounded.notes, *index.warnings(report), *_no_tests(asked, name, files, report)),
    )


def _symbol(index: Index, name: str) -> NamedSymbol:
    """Read a name, within the member of the index."""
    return replace(read_name(name), folder=index.member.folder)


def _related(index: Index, request: RelatedRequest) -> RelatedReport:
    return index.ask(lambda record: index.app.graphs.find_tests(request, record))


def _tested_files(index: Index, asked: FindTestsArguments) -> tuple[str, ...]:
    """Return the paths that a call asks about: the one that it names, or those that changed."""
    if asked.path:
        return index.files(given_paths(asked.path, None, 1)[0])
    changed = changed_since(index.record, asked.since_ref) if asked.since_ref else []
    folder = index.member.folder
    return tuple(path for path in changed if not folder or path.startswith(f"{folder}/"))


def _no_tests(asked: FindTestsArguments, name: str, files: Sequence[str], report: RelatedReport) -> list[str]:
    """Return why there are no tests."""
    if asked.since_ref and not files:
        return [f"no file changed since '{asked.since_ref[:60]}'"]
    if not report.known and name:
        return [f"nothing in the index defines '{name[:100]}': find_symbol finds similar names"]
    if not report.total:
        return ["no test was found; tests that use it by reflection or over a network are not detected"]
    return []


def trace_type(call: Call, asked: TraceTypeArguments) -> Shrinkable[TypeUser, TypeFlow]:
    """Find the functions that return or accept a type.

    Raises:
        ValidationError: not a name.
    """
    name = checked_name(asked.type_name, "type_name")
    index = Index.of(call, asked.member)
    bounded = Bounded()
    request = FlowRequest(
        name=read_name(name).spelled,
        paths=index.paths(asked.path),
        with_fields=asked.include_fields,
        limit=bounded.value("limit", asked.limit, 1, MAX_TYPE_USERS),
    )
    flow = index.read(lambda conn, record: find_flow(request, record, conn))
    warnings = [*bounded.notes, *index.warnings(flow)]
    if not flow.total:
        warnings.append(f"no signature names '{name[:100]}'; inferred types are not detected: ask find_references")

    def build(users: Sequence[TypeUser]) -> TypeFlow:
        producers = tuple(user for user in users if user.role == "producer")
        consumers = tuple(user for user in users if user.role == "consumer")
        advice = f"{len(users)} of {flow.total} shown: narrow by path, or raise limit for more"
        return TypeFlow(
            type_name=name,
            producers_count=flow.count("producer"),
            consumers_count=flow.count("consumer"),
            **(tabled(users) if asked.compact else {"producers": producers, "consumers": consumers}),
            truncated=len(users) < flow.total,
            note=QUOTED if users else "",
            warnings=(*warnings, advice) if len(users) < flow.total else tuple(warnings),
        )

    users = tuple(structs.replace(user, file=index.absolute(user.file)) for user in flow.items)
    return Shrinkable(users, build)


def get_call_graph(call: Call, asked: CallGraphArguments) -> Shrinkable[CallNode, CallGraph]:
    """Show callers and callees of a function, or the call paths between two functions.

    Raises:
        ValidationError: an unknown direction or format, or not a name.
    """
    direction: CallDirection = choice("direction", asked.direction, CallDirection)
    choice("format", asked.format, GraphFormat)
    index = Index.of(call, asked.member)
    bounded = Bounded()
    depth = asked.depth or (_DEFAULT_CALL_DEPTH if asked.to is None else MAX_CALL_DEPTH)
    request = CallRequest(
        symbol=_symbol(index, checked_name(asked.symbol, "symbol")),
        direction=direction,
        depth=bounded.value("depth", depth, 1, MAX_CALL_DEPTH),
        to=None if asked.to is None else read_name(checked_name(asked.to, "to")),
        most=bounded.value("max_nodes", asked.max_nodes, 1, MAX_CALL_NODES),
    )
    report = index.ask(lambda record: index.app.graphs.find_calls(request, record))
    warnings = [*bounded.notes, *index.warnings(report), *_missing_calls(request, report)]
    return Shrinkable(report.nodes, lambda nodes: _call_graph(index, report, nodes, asked, warnings))


def _missing_calls(request: CallRequest, report: CallReport) -> list[str]:
    """Return why there are no definitions, calls or paths."""
    if report.missing:
        return [
            f"nothing in the index defines '{name[:100]}': find_symbol finds similar names" for name in report.missing
        ]
    if request.to is not None:
        none = f"no path of at most {request.depth} calls was found; calls that match by name only are not followed"
        return [] if report.paths else [none]
    relation = {"callers": "calls it", "callees": "is called by it", "both": "calls it or is called by it"}
    none = f"nothing was found that {relation[request.direction]}: find_references lists other uses of the name"
    return [] if report.edges else [none]


def _call_graph(
    index: Index, report: CallReport, nodes: Sequence[CallNode], asked: CallGraphArguments, warnings: Sequence[str]
) -> CallGraph:
    """Make the answer from the first nodes of a report, and the calls between them."""
    ids = _ids(report.nodes)
    edges = [
        GraphEdge(
            source=ids[edge.source],
            target=ids[edge.target],
            line=edge.line,
            calls=edge.calls,
            confidence=edge.confidence,
        )
        for edge in report.edges
        if max(edge.source, edge.target) < len(nodes)
    ]
    if asked.format == "mermaid":
        text = mermaid(ids[: len(nodes)], [(edge.source, edge.target, edge.calls) for edge in edges])
        parts: Mapping[str, object] = {"graph": text}
    else:
        parts = {"nodes": tuple(_node(index, node, id) for node, id in zip(nodes, ids, strict=False)), "edges": edges}
    paths = tuple(tuple(ids[at] for at in path) for path in report.paths if max(path) < len(nodes))
    dropped = report.dropped + len(report.nodes) - len(nodes)
    advice = f"{dropped} more distant nodes are left out: use a smaller depth, one direction or a higher max_nodes"
    return CallGraph(
        root=index.root,
        node_count=len(nodes),
        edge_count=len(edges),
        unknown_calls=report.unknown,
        dropped=dropped,
        completeness=report.completeness,
        **parts,  # type: ignore[arg-type]  # either form of the graph
        paths=UNSET if asked.to is None else paths,
        note=QUOTED if nodes else "",  # names of tests are sentences in some languages
        warnings=(*warnings, advice) if dropped else tuple(warnings),
    )


def _node(index: Index, node: CallNode, id: str) -> GraphNode:
    place = node.place
    return GraphNode(
        id=id, kind=place.kind, file=index.absolute(place.path), line=place.start_line, distance=node.distance
    )


def _ids(nodes: Sequence[CallNode]) -> list[str]:
    """Return an id for each node: path and name; with the line if several share these, as overloads do."""
    counts = Counter(node.id for node in nodes)
    return [node.id if counts[node.id] == 1 else f"{node.id}:{node.place.start_line}" for node in nodes]
