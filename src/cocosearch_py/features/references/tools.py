"""Tools for uses of definitions: references, calls, types in signatures, tests."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.testing import RelatedTest, RunCommand
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Listed
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool

MAX_REFERENCES = 200
MAX_REFERENCE_DEPTH = 5
MAX_CALL_DEPTH = 6
MAX_CALL_NODES = 500
MAX_TYPE_USERS = 200
MAX_TESTS = 100
CURSOR_MODE = "uses"  # The first part of a cursor.
Direction = Literal["callers", "callees"]
CallDirection = Literal["callers", "callees", "both"]
GraphFormat = Literal["json", "mermaid"]
Role = Literal["producer", "consumer"]
Name = Annotated[
    str,
    About("Name, Class.method, pkg::name or path#name"),
    Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name."),
]


class FindReferencesArguments(Arguments):
    """Parameters of find_references."""

    symbol: Name
    kinds: Annotated[
        str | list[str] | None,
        About("call, import, type, inherit, read"),
        Flag(
            names=("--kind",),
            metavar="KIND",
            type=given.Texts,
            help="call, import, type, inherit, read or definition; can be repeated. [default: all but definition]",
        ),
    ] = None
    direction: Annotated[
        Direction,
        About("callees: what it uses"),
        Flag(names=("--direction",), metavar="WAY", type=str, help="callers, or callees (symbols that it uses)."),
    ] = "callers"
    depth: Annotated[
        int,
        About("Call levels, 1-5"),
        given.number("Number of call levels to follow (1–5).", 1, MAX_REFERENCE_DEPTH, "--depth"),
    ] = 1
    index_name: given.FirstIndexName = None
    index_names: given.IndexNames = None
    language: Annotated[given.Languages, UNLISTED] = None
    path_glob: Annotated[given.PathGlob, UNLISTED] = None
    path_prefix: Annotated[str | None, About("Only this folder"), UNLISTED] = None
    include_tests: given.Tests = True
    limit: Annotated[
        int,
        About("1-200"),
        UNLISTED,
        given.number("Maximum number of uses (1–200).", 1, MAX_REFERENCES, "-l", "--limit"),
    ] = 30
    cursor: given.Cursor = None
    compact: given.Compact = False
    member: given.Member = None


class Enclosing(Part):
    """The definition that a use is in."""

    kind: str
    name: str
    start_line: Count
    end_line: Count


class Reference(Part):
    """A use; `target` is what it means, where that is not the only definition."""

    file_path: str
    line: Count
    column: Count
    kind: str
    confidence: Confidence
    text: str
    enclosing: Enclosing | UnsetType = UNSET
    target: str = ""
    name: str = ""
    distance: Count = 1
    index_name: str = ""


class References(Part):
    """Uses, the surest first: `resolved` by imports, `scoped` by file, class or package, then by name only."""

    definitions: tuple[str, ...]
    total: Count
    counts: dict[str, Count]
    confidence: dict[str, Count]
    completeness: Completeness
    references: tuple[Reference, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | int | Enclosing | None, ...], ...] | UnsetType = UNSET
    next_cursor: str = ""
    hints: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()


class FindTestsArguments(Arguments):
    """Parameters of find_tests."""

    symbol: Annotated[
        str | None,
        About("Name, Class.method, pkg::name or path#name"),
        Flag(metavar="[NAME]", help="Name, Class.method, pkg::name, path#name or a file."),
    ] = None
    path: Annotated[
        str | None,
        About("Or a file whose tests to find"),
        Flag(names=("--path",), metavar="FILE", help="Find the tests of this file instead of a name."),
    ] = None
    limit: Annotated[
        int, About("1-100"), given.number("Maximum number of tests (1–100).", 1, MAX_TESTS, "-l", "--limit")
    ] = 20
    index_name: given.IndexName = None
    member: given.Member = None
    since_ref: given.Since = None


class RelatedTests(Part):
    """The first of `total` tests; how to run them as far as manifests in the index tell."""

    root: str
    total: Count
    tests: tuple[RelatedTest, ...]
    run: tuple[RunCommand, ...]
    completeness: Completeness | UnsetType = UNSET
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


def symbol_in_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """`path` beside `symbol`: the file that defines it."""
    symbol, path = arguments.get("symbol"), arguments.get("path")
    if not (isinstance(symbol, str) and isinstance(path, str)) or "#" in symbol:
        return arguments
    return {**{name: value for name, value in arguments.items() if name != "path"}, "symbol": f"{path}#{symbol}"}


class TraceTypeArguments(Arguments):
    """Parameters of trace_type."""

    type_name: Annotated[str, About("Type name"), Flag(metavar="TYPE", help="Type name.")]
    path: Annotated[
        str | None,
        About("Only this file or folder"),
        Flag(names=("--path",), metavar="PATH", help="Only this file or folder."),
    ] = None
    include_fields: Annotated[
        bool,
        About("Count fields of this type as consumers"),
        Flag(names=("--fields",), help="Count fields of this type as consumers."),
    ] = False
    limit: Annotated[
        int,
        About("Per role, 1-200"),
        given.number("Maximum number of functions per role (1–200).", 1, MAX_TYPE_USERS, "-l", "--limit"),
    ] = 50
    compact: given.Compact = False
    index_name: given.IndexName = None
    member: given.Member = None


class TypeUser(Part):
    """A definition that returns or accepts the type."""

    file: str
    name: str
    kind: str
    signature: str
    line: Count
    role: Role


class TypeFlow(Part):
    """Producers and consumers of a type; with `compact` both as columns and rows."""

    type_name: str
    producers_count: Count
    consumers_count: Count
    producers: tuple[TypeUser, ...] | UnsetType = UNSET
    consumers: tuple[TypeUser, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | int, ...], ...] | UnsetType = UNSET
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


class CallGraphArguments(Arguments):
    """Parameters of get_call_graph."""

    symbol: Name
    direction: Annotated[
        CallDirection,
        About("Callers, callees or both"),
        Flag(names=("--direction",), metavar="WAY", type=str, help="callers, callees or both."),
    ] = "both"
    depth: Annotated[
        int | None,
        About("Call levels, 1-6; null: 2, with `to` 6"),
        given.number("Number of call levels to follow (1–6). [default: 2, with --to 6]", 1, MAX_CALL_DEPTH, "--depth"),
    ] = None
    to: Annotated[
        str | None,
        About("Only the shortest paths between the two symbols"),
        Flag(names=("--to",), metavar="NAME", help="Only the shortest call paths between the two functions."),
    ] = None
    format: Annotated[
        GraphFormat,
        About("Output format"),
        Flag(names=("--format",), metavar="FORMAT", type=str, help="json or mermaid."),
    ] = "json"
    max_nodes: Annotated[
        int,
        About("1-500, nearest first"),
        given.number("Maximum number of nodes (1–500).", 1, MAX_CALL_NODES, "--max-nodes"),
    ] = 100
    index_name: given.IndexName = None
    member: given.Member = None


class GraphNode(Part):
    """A definition, so many calls away."""

    id: str
    kind: str
    file: str
    line: Count
    distance: Count


class GraphEdge(Part):
    """`source` calls `target` so many times, first in this line."""

    source: str
    target: str
    line: Count
    calls: Count
    confidence: Confidence


class CallGraph(Part):
    """The graph, the nearest nodes first; `paths` are ids from the first caller on; `dropped` nodes are left out."""

    root: str
    node_count: Count
    edge_count: Count
    unknown_calls: Count
    dropped: Count
    completeness: Completeness
    nodes: tuple[GraphNode, ...] | UnsetType = UNSET
    edges: tuple[GraphEdge, ...] | UnsetType = UNSET
    graph: str = ""
    paths: tuple[tuple[str, ...], ...] | UnsetType = UNSET
    note: str = ""
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "find_references",
        title="Find references",
        about="Find calls, imports and other uses of a symbol, by imports and scopes: surer than grep; reports "
        "possible gaps.",
        arguments=FindReferencesArguments,
        answer=References,
        view="show_references",
        toolset="navigate",
        order=2,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="refs",
            help="""Find who calls, imports or uses a function, class or other symbol, or what it uses.

            The most certain uses come first: resolved by imports, then in the same file, class or package, then by name
            only.
            """,
            hidden_names=("references", "callers", "word-refs"),
        ),
        aliases=(
            Alias(
                name="find",
                program="indxr",
                chosen_by=("mode", "callers"),
                parameters={"query": "symbol"},
                means={"limit": 20},
            ),
            Alias(name="get_callers", program="indxr", means={"limit": 20}),
            Alias(name="callers", program="Lexa", parameters={"name": "symbol"}, means={"kinds": ["call"]}),
            Alias(
                name="word_refs",
                program="Lexa",
                parameters={"query": "word", "path": "path_prefix", "max": "max_results"},
                dialect="lexa.WORD_REFS",
            ),
        ),
    ),
    tool(
        __package__,
        "find_tests",
        title="Find tests",
        about="Find the tests of a function, class or file by calls, names and imports, and the command that runs "
        "them.",
        arguments=FindTestsArguments,
        answer=RelatedTests,
        shortens=Listed("tests", "{shown} of {available} tests shown, the best first: raise limit for more", "total"),
        view="show_tests",
        toolset="navigate",
        order=9,
        listed=False,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="tests",
            help="""Find the tests of a function, class or file, and the command that runs them.

            Tests that call it come first, then tests named after it, then tests in files that import it.
            """,
        ),
        aliases=(Alias(name="get_related_tests", program="indxr", adapt=symbol_in_file),),
    ),
    tool(
        __package__,
        "trace_type",
        title="Trace a type",
        about="Find the functions that return or accept a type, by their signatures.",
        arguments=TraceTypeArguments,
        answer=TypeFlow,
        view="show_type_flow",
        toolset="navigate",
        order=10,
        listed=False,
        about_indexes=True,
        needs="symbol",
        command=Command(
            name="types",
            help="""Find the functions that return or accept a type.

            Only types that signatures name are seen, not inferred types.
            """,
        ),
        aliases=(Alias(name="get_type_flow", program="indxr"),),
    ),
    tool(
        __package__,
        "get_call_graph",
        title="Call graph",
        about="Show callers and callees of a function over several levels, or the call paths between two functions.",
        arguments=CallGraphArguments,
        answer=CallGraph,
        view="show_call_graph",
        lines="mermaid_lines",
        toolset="graph",
        order=4,
        listed=False,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="callgraph",
            help="Show the callers and callees of a function over several levels, or the call paths between two "
            "functions.\n\n"
            "Further levels follow calls resolved by imports or scopes, but not matches by name only.",
        ),
    ),
)
