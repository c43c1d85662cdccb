"""`get_call_graph`, `cocosearch-py callgraph`: who calls a function and whom it calls, over several steps."""

import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.confidence import Verdict, verdict_of
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.calls import CallNode, CallReport

MAX_NAME_CHARS = 1_000
MAX_DEPTH = 6
DEFAULT_DEPTH = 2
DEFAULT_NODES, MAX_NODES = 100, 500
DIRECTIONS = ("callers", "callees", "both")
FORMATS = ("json", "mermaid")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_call_graph."""

    symbol: Annotated[
        str,
        About("Name, Class.method, pkg::name or path#name"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name."),
    ]
    direction: Annotated[
        Literal["callers", "callees", "both"],
        About("Callers, callees or both"),
        Flag(names=("--direction",), metavar="WAY", type=str, help="callers, callees or both."),
    ] = "both"
    depth: Annotated[
        int | None,
        About("Call levels, 1-6; null: 2, with `to` 6"),
        Flag(
            names=("--depth",),
            metavar="N",
            minimum=1,
            maximum=MAX_DEPTH,
            help="Number of call levels to follow (1–6). [default: 2, with --to 6]",
        ),
    ] = None
    to: Annotated[
        str | None,
        About("Only the shortest paths between the two symbols"),
        Flag(names=("--to",), metavar="NAME", help="Only the shortest call paths between the two functions."),
    ] = None
    format: Annotated[
        Literal["json", "mermaid"],
        About("Output format"),
        Flag(names=("--format",), metavar="FORMAT", type=str, help="json or mermaid."),
    ] = "json"
    max_nodes: Annotated[
        int,
        About("1-500, nearest first"),
        Flag(
            names=("--max-nodes",), metavar="N", minimum=1, maximum=MAX_NODES, help="Maximum number of nodes (1–500)."
        ),
    ] = DEFAULT_NODES
    index_name: given.IndexName = None
    member: given.Member = None


class Node(TypedDict):
    """A definition, so many calls away."""

    id: str
    kind: str
    file: str
    line: Count
    distance: Count


class Called(TypedDict):
    """`source` calls `target` so many times, first in this line."""

    source: str
    target: str
    line: Count
    calls: Count
    confidence: Literal["resolved", "scoped", "name_only"]


class Answer(TypedDict):
    """The graph, the nearest nodes first; `paths` are ids from the first caller on; `dropped` nodes are left out."""

    root: str
    nodes: NotRequired[list[Node]]
    edges: NotRequired[list[Called]]
    graph: NotRequired[str]
    paths: NotRequired[list[list[str]]]
    node_count: Count
    edge_count: Count
    unknown_calls: Count
    dropped: Count
    completeness: Verdict
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class CallsFound(NamedTuple):
    """Calls in an index, and what is to be known of them."""

    record: IndexRecord
    report: "CallReport"
    warnings: tuple[str, ...]


def get_call_graph(call: Call, asked: Arguments) -> CallsFound:
    """Show callers and callees of a function over several levels, or the call paths between two functions."""
    from cocosearch_py.model.calls import CallRequest
    from cocosearch_py.navigation.names import read_name

    for name, value, known in (("direction", asked.direction, DIRECTIONS), ("format", asked.format, FORMATS)):
        if value not in known:
            raise ValidationError(f"unknown {name} '{value[:60]}'", hint=f"known: {', '.join(known)}")
    found = call.find()
    record, folder = found.records[0], inside(found, asked.member).folder
    bounded = Bounded()
    depth = asked.depth or (DEFAULT_DEPTH if asked.to is None else MAX_DEPTH)
    request = CallRequest(
        symbol=replace(read_name(_name("symbol", asked.symbol)), folder=folder),
        direction=asked.direction,
        depth=bounded.value("depth", depth, 1, MAX_DEPTH),
        to=None if asked.to is None else read_name(_name("to", asked.to)),
        most=bounded.value("max_nodes", asked.max_nodes, 1, MAX_NODES),
    )
    report = call.look(found.app, record, lambda: found.app.graphs.find_calls(request, record))
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    told += [f"nothing in the index defines '{name[:100]}': find_symbol finds similar names" for name in report.missing]
    if asked.to is not None and not report.missing and not report.paths:
        told.append(
            f"no path of at most {request.depth} calls was found; calls that match by name only are not followed"
        )
    if asked.to is None and not report.missing and not report.edges:
        what = {"callers": "calls it", "callees": "is called by it"}.get(asked.direction, "calls it or is called by it")
        told.append(f"nothing was found that {what}: find_references lists other uses of the name")
    return CallsFound(record, report, tuple(told))


def _name(parameter: str, text: str) -> str:
    name = text.strip()
    if not name or not is_text(name) or len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            f"{parameter} is empty, longer than {MAX_NAME_CHARS} characters or not text",
            hint="give the name of a symbol",
        )
    return name


def _answer(found: CallsFound, asked: Arguments) -> Json:
    return cast("Json", fit(found.report.nodes, lambda kept: _built(found, kept, asked)))


def _built(found: CallsFound, kept: "Sequence[CallNode]", asked: Arguments) -> Json:
    from cocosearch_py.operations.get_dependency_graph import mermaid

    report, ids = found.report, _ids(found.report.nodes)
    edges = [edge for edge in report.edges if max(edge.source, edge.target) < len(kept)]
    answer: Json = {"root": found.record.root_path, **quoted(kept)}  # names of tests are sentences in some languages
    if asked.format == "mermaid":
        answer["graph"] = mermaid(ids[: len(kept)], [(ids[one.source], ids[one.target], one.calls) for one in edges])
    else:
        answer["nodes"] = [
            {
                "id": node.id,
                "kind": node.place.kind,
                "file": posixpath.join(found.record.root_path, node.place.path),
                "line": node.place.start_line,
                "distance": node.distance,
            }
            for node in kept
        ]
        answer["edges"] = [
            {
                "source": ids[edge.source],
                "target": ids[edge.target],
                "line": edge.line,
                "calls": edge.calls,
                "confidence": edge.confidence,
            }
            for edge in edges
        ]
    if asked.to is not None:
        answer["paths"] = [[ids[at] for at in path] for path in report.paths if max(path) < len(kept)]
    dropped = report.dropped + len(report.nodes) - len(kept)
    answer |= {
        "node_count": len(kept),
        "edge_count": len(edges),
        "unknown_calls": report.unknown,
        "dropped": dropped,
        "completeness": verdict_of(report.completeness),
    }
    warnings = list(found.warnings)
    if dropped:
        warnings.append(
            f"{dropped} more distant nodes are left out: use a smaller depth, one direction or a higher max_nodes"
        )
    return {**answer, "warnings": warnings} if warnings else answer


def _ids(nodes: "Sequence[CallNode]") -> list[str]:
    """An id for each node: path and name; with the line where several have these, as overloads do."""
    counts = Counter(node.id for node in nodes)
    return [node.id if counts[node.id] == 1 else f"{node.id}:{node.place.start_line}" for node in nodes]


OPERATION = Operation(
    name="get_call_graph",
    title="Call graph",
    arguments=Arguments,
    run=get_call_graph,
    shape=_answer,
    answer=Answer,
    toolset="graph",
    order=4,
    listed=False,
    about_indexes=True,
    needs="graph",
    command=Command(
        name="callgraph",
        help="""Show the callers and callees of a function over several levels, or the call paths between two functions.

        Further levels follow calls resolved by imports or scopes, but not matches by name only.
        """,
    ),
)
