"""`get_dependency_graph`, `cocosearch-py graph`: which files or folders import which, as a picture."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.files import stored_prefixes
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.graph import Picture

FORMATS = ("mermaid", "dot", "json")
LEVELS = ("file", "package", "symbol")
DEFAULT_NODES, MIN_NODES, MAX_NODES = 80, 10, 500
MAX_DEPTH = 20
_QUOTED = re.compile(r'["\\]')


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_dependency_graph."""

    path: Annotated[
        str | None,
        About("Only files connected to this file or folder; null: all"),
        Flag(metavar="[PATH]", help="Only files connected to this file or folder."),
    ] = None
    level: Annotated[
        Literal["file", "package", "symbol"],
        About("Nodes: files, their folders, or types with edges to their bases"),
        Flag(names=("--level",), metavar="LEVEL", type=str, help="Nodes: file, package (folder) or symbol (type)."),
    ] = "file"
    format: Annotated[
        Literal["mermaid", "dot", "json"],
        About("Output format"),
        Flag(names=("--format",), metavar="FORMAT", type=str, help="mermaid, dot or json."),
    ] = "mermaid"
    depth: Annotated[
        int | None,
        About("Import levels from the path, 1-20; null: unlimited"),
        Flag(
            names=("--depth",),
            metavar="N",
            minimum=1,
            maximum=MAX_DEPTH,
            help="Number of import levels to follow from PATH (1–20; default: no limit).",
        ),
    ] = None
    max_nodes: Annotated[
        int,
        About("10-500, most central first"),
        Flag(
            names=("--max-nodes",),
            metavar="N",
            minimum=MIN_NODES,
            maximum=MAX_NODES,
            help="Maximum number of nodes (10–500); the most central are kept.",
        ),
    ] = DEFAULT_NODES
    index_name: given.IndexName = None
    member: given.Member = None


class Link(TypedDict):
    """`source` imports `target`, in so many places."""

    source: str
    target: str
    imports: Count


class Answer(TypedDict):
    """The graph as text, or as nodes, the most central first, and edges; `dropped` nodes are left out."""

    root: str
    format: Literal["mermaid", "dot", "json"]
    graph: NotRequired[str]
    nodes: NotRequired[list[str]]
    edges: NotRequired[list[Link]]
    node_count: Count
    edge_count: Count
    dropped: Count
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A picture of an index, and what is to be known of it."""

    record: IndexRecord
    picture: "Picture"
    warnings: tuple[str, ...]


def get_dependency_graph(call: Call, asked: Arguments) -> Drawn:
    """Draw the import graph of files or folders as Mermaid, DOT or JSON."""
    from cocosearch_py.model.graph import PictureRequest

    for name, value, known in (("level", asked.level, LEVELS), ("format", asked.format, FORMATS)):
        if value not in known:
            raise ValidationError(f"unknown {name} '{value[:60]}'", hint=f"known: {', '.join(known)}")
    found = call.find()
    record = found.records[0]
    bounded = Bounded()
    request = PictureRequest(
        prefix=stored_prefixes(call, record, asked.path, inside(found, asked.member))[0],
        by_folder=asked.level == "package",
        by_symbol=asked.level == "symbol",
        depth=None if asked.depth is None else bounded.value("depth", asked.depth, 1, MAX_DEPTH),
        most=bounded.value("max_nodes", asked.max_nodes, MIN_NODES, MAX_NODES),
    )
    picture = call.look(found.app, record, lambda: found.app.graphs.draw(request, record))
    warnings = [*bounded.notes, *remarks_on(call, found, [picture.stale])]
    if not picture.nodes:
        what = "types that inherit from each other" if asked.level == "symbol" else "imports between indexed files"
        warnings.append(f"no {what} were found there")
    return Drawn(record, picture, tuple(warnings))


def _answer(drawn: Drawn, asked: Arguments) -> Json:
    return cast("Json", fit(drawn.picture.nodes, lambda kept: _built(drawn, kept, asked)))


def _built(drawn: Drawn, kept: Sequence[str], asked: Arguments) -> Json:
    among = set(kept)
    edges = [edge for edge in drawn.picture.edges if among.issuperset(edge[:2])]
    answer: Json = {"root": drawn.record.root_path, "format": asked.format}
    if asked.format == "json":
        links = [{"source": source, "target": target, "imports": imports} for source, target, imports in edges]
        answer |= {"nodes": list(kept), "edges": links}
    else:
        answer["graph"] = (mermaid if asked.format == "mermaid" else dot)(kept, edges)
    dropped = drawn.picture.dropped + len(drawn.picture.nodes) - len(kept)
    answer |= {"node_count": len(kept), "edge_count": len(edges), "dropped": dropped}
    warnings = list(drawn.warnings)
    if dropped:
        warnings.append(f"{dropped} less central nodes are left out; pass a path, level=package or a higher max_nodes")
    return {**answer, "warnings": warnings} if warnings else answer


def mermaid(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]]) -> str:
    """A Mermaid flowchart."""
    number = {name: f"n{at}" for at, name in enumerate(nodes)}
    lines = [f'  {number[name]}["{_escaped(name)}"]' for name in nodes]
    lines += [f"  {number[source]} --> {number[target]}" for source, target, _ in edges]
    return "\n".join(["graph LR", *lines])


def _escaped(name: str) -> str:
    """A name as Mermaid reads it between quotes, where # begins an entity."""
    return name.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")


def dot(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]]) -> str:
    """A directed graph in Graphviz's language."""
    quoted = {name: '"' + _QUOTED.sub(r"\\\g<0>", name).replace("\n", " ") + '"' for name in nodes}
    lines = [f"  {quoted[name]};" for name in nodes]
    lines += [f"  {quoted[source]} -> {quoted[target]};" for source, target, _ in edges]
    return "\n".join(["digraph dependencies {", "  rankdir=LR;", *lines, "}"])


OPERATION = Operation(
    name="get_dependency_graph",
    title="Graph of dependencies",
    arguments=Arguments,
    run=get_dependency_graph,
    shape=_answer,
    answer=Answer,
    toolset="graph",
    order=3,
    listed=False,
    about_indexes=True,
    needs="graph",
    command=Command(
        name="graph",
        help="""Draw the import graph of files or folders as Mermaid, DOT or JSON.

        Redirect the output to save it: `cocosearch-py graph src --format dot > graph.dot`.
        """,
    ),
)
