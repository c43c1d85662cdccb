"""Tools for files that import each other: dependencies, impact of changes, graphs, maps."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.model.maps import RepoMap
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool

MAX_FILES = 50
MAX_DEPTH = 20
MAX_EDGES = 1_000
MIN_NODES, MAX_NODES = 10, 500
MIN_MAP_TOKENS, MAX_MAP_TOKENS = 256, 20_000
ImportKind = Literal["import", "call", "reference", "inherit"]
GraphLevel = Literal["file", "package", "symbol"]
GraphFormat = Literal["mermaid", "dot", "json"]
File = Annotated[str | None, About("Path of a file")]
Files = Annotated[
    list[str] | None,
    About("Several files, up to 50"),
    Flag(metavar="FILE...", type=given.Texts, default=None, help="Indexed files."),
]
Depth = Annotated[
    int,
    About("Import levels to follow, 1-20"),
    given.number("Number of import levels to follow (1–20).", 1, MAX_DEPTH, "--depth"),
]
UsedAs = Annotated[
    str | None,
    About("Only imports used this way: call, reference, inherit; null: all"),
    Flag(
        names=("--type",),
        metavar="KIND",
        help="Only imports used this way: call, reference or inherit; import means all imports.",
    ),
]
Limit = Annotated[
    int, About("1-1000"), UNLISTED, given.number("Maximum number of imports (1–1000).", 1, MAX_EDGES, "-l", "--limit")
]


def depth_of_transitive(arguments: dict[str, Any]) -> dict[str, Any]:
    """`transitive`: true means the maximum `depth`, false means 1."""
    rest = {name: value for name, value in arguments.items() if name != "transitive"}
    return {"depth": MAX_DEPTH if arguments.get("transitive") in (True, "true") else 1, **rest}


class DependenciesArguments(Arguments):
    """Parameters of get_dependencies."""

    file: File = None
    files: Files = None
    depth: Depth = 1
    dep_type: UsedAs = None
    include_external: Annotated[
        bool,
        About("Also modules outside the index"),
        Flag(names=("--external",), help="Also show modules outside the index."),
    ] = False
    limit: Limit = 200
    index_name: given.IndexName = None
    member: given.Member = None


class Dependency(Part):
    """An imported file; `target_symbol` names what is imported of it."""

    target_file: str
    target_symbol: str | None
    dep_type: str
    module: str
    line: Count
    is_test: bool = False


class OutsideImport(Part):
    """An import that leads to no file of the index."""

    file: str
    module: str
    line: Count


class FileDependencies(Part):
    """Dependencies of a file: direct ones, or with more depth a tree."""

    file: str
    dependencies: tuple[Dependency, ...] | UnsetType = UNSET
    tree: tuple[Any, ...] | UnsetType = UNSET


class Dependencies(Part):
    """Dependencies of a file, or of `files`; a dependency of several files is listed with the first."""

    root: str
    depth: Count
    total: Count
    unresolved: tuple[OutsideImport, ...]
    file: str = ""
    dependencies: tuple[Dependency, ...] | UnsetType = UNSET
    tree: tuple[Any, ...] | UnsetType = UNSET
    files: tuple[FileDependencies, ...] | UnsetType = UNSET
    external: tuple[OutsideImport, ...] | UnsetType = UNSET
    not_found: tuple[str, ...] = ()
    truncated: bool = False
    warnings: tuple[str, ...] = ()


class ImpactArguments(Arguments):
    """Parameters of get_impact."""

    file: File = None
    files: Files = None
    depth: Depth = 3
    dep_type: UsedAs = None
    include_tests: given.Tests = True
    limit: Limit = 200
    index_name: given.IndexName = None
    member: given.Member = None
    symbol: Annotated[
        str | None,
        About("Or files that define this name"),
        UNLISTED,
        Flag(names=("--symbol",), metavar="NAME", help="Use the files that define this name."),
    ] = None
    since_ref: given.Since = None


class AffectedFile(Part):
    """A file that a change may reach, over so many imports."""

    file: str
    distance: Count


class FileImpact(Part):
    """A tree of the files that import a file, directly and indirectly."""

    file: str
    impact_tree: tuple[Any, ...]


class Risk(Part):
    """How many files import the one that is changed directly; of several, the most."""

    level: Literal["low", "medium", "high"]
    fan_in: Count


class Impact(Part):
    """Files that a change may affect; `tests` are the test files among them."""

    root: str
    depth: Count
    affected_files: tuple[AffectedFile, ...]
    tests: tuple[str, ...]
    risk: Risk
    total: Count
    file: str = ""
    impact_tree: tuple[Any, ...] | UnsetType = UNSET
    files: tuple[FileImpact, ...] | UnsetType = UNSET
    not_found: tuple[str, ...] = ()
    truncated: bool = False
    warnings: tuple[str, ...] = ()


class DependencyGraphArguments(Arguments):
    """Parameters of get_dependency_graph."""

    path: Annotated[
        str | None,
        About("Only files connected to this file or folder; null: all"),
        Flag(metavar="[PATH]", help="Only files connected to this file or folder."),
    ] = None
    level: Annotated[
        GraphLevel,
        About("Nodes: files, their folders, or types with edges to their bases"),
        Flag(names=("--level",), metavar="LEVEL", type=str, help="Nodes: file, package (folder) or symbol (type)."),
    ] = "file"
    format: Annotated[
        GraphFormat,
        About("Output format"),
        Flag(names=("--format",), metavar="FORMAT", type=str, help="mermaid, dot or json."),
    ] = "mermaid"
    depth: Annotated[
        int | None,
        About("Import levels from the path, 1-20; null: unlimited"),
        given.number("Number of import levels to follow from PATH (1–20; default: no limit).", 1, MAX_DEPTH, "--depth"),
    ] = None
    max_nodes: Annotated[
        int,
        About("10-500, most central first"),
        given.number(
            "Maximum number of nodes (10–500); the most central are kept.", MIN_NODES, MAX_NODES, "--max-nodes"
        ),
    ] = 80
    index_name: given.IndexName = None
    member: given.Member = None


class Link(Part):
    """`source` imports `target`, in so many places."""

    source: str
    target: str
    imports: Count


class DependencyGraph(Part):
    """The graph as text, or as nodes, the most central first, and edges; `dropped` nodes are left out."""

    root: str
    format: GraphFormat
    node_count: Count
    edge_count: Count
    dropped: Count
    graph: str = ""
    nodes: tuple[str, ...] | UnsetType = UNSET
    edges: tuple[Link, ...] | UnsetType = UNSET
    warnings: tuple[str, ...] = ()


class RepoMapArguments(Arguments):
    """Parameters of get_repo_map."""

    focus: Annotated[
        list[str] | None,
        About("Paths, names or words that matter most"),
        Flag(metavar="[FOCUS...]", type=given.Texts, default=None, help="Paths, names or words that matter most."),
    ] = None
    max_tokens: Annotated[
        int,
        About("256-20000"),
        given.number("Maximum tokens of the map (256–20000).", MIN_MAP_TOKENS, MAX_MAP_TOKENS, "--max-tokens"),
    ] = 2_000
    path: Annotated[
        str | None,
        About("Only this folder"),
        Flag(names=("--path",), metavar="FOLDER", help="Only this folder."),
    ] = None
    include_tests: Annotated[
        bool, About("Include test files"), UNLISTED, Flag(names=("--tests",), help="Include test files.")
    ] = False
    index_name: given.IndexName = None
    member: given.Member = None


TOOLS = (
    tool(
        __package__,
        "get_dependencies",
        title="Dependencies of files",
        about="List the project files that a file imports, instead of following import lines by hand.",
        arguments=DependenciesArguments,
        answer=Dependencies,
        view="show_dependencies",
        toolset="graph",
        order=1,
        listed=False,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="deps",
            help="""Show the files that a file imports; with --depth, also the files that those import.

            Imports are resolved by the rules of the language, including manifests such as go.mod and tsconfig.json.
            """,
        ),
        aliases=(
            Alias(name="get_file_dependencies", program="CocoSearch"),
            Alias(name="get_batch_dependencies", program="CocoSearch"),
            Alias(
                name="trace_deps",
                program="Lexa",
                chosen_by=("direction", "depends_on"),
                parameters={"path": "file"},
                adapt=depth_of_transitive,
            ),
        ),
    ),
    tool(
        __package__,
        "get_impact",
        title="Impact of a change",
        about="Show the files and tests that a change to a file may break: those that import it, directly or "
        "indirectly.",
        arguments=ImpactArguments,
        answer=Impact,
        view="show_impact",
        toolset="graph",
        order=2,
        listed=False,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="impact",
            help="""Show the files and tests that a change to a file may affect: its importers, directly or indirectly.

            Only imports are followed. Use by reflection, configuration or a running service is not seen.
            """,
        ),
        aliases=(
            Alias(name="get_file_impact", program="CocoSearch"),
            Alias(name="get_batch_impact", program="CocoSearch"),
            Alias(
                name="trace_deps",
                program="Lexa",
                chosen_by=("direction", "imported_by"),
                chosen_first=True,
                parameters={"path": "file"},
                adapt=depth_of_transitive,
            ),
        ),
    ),
    tool(
        __package__,
        "get_dependency_graph",
        title="Graph of dependencies",
        about="Draw the import graph of files or folders as Mermaid, DOT or JSON.",
        arguments=DependencyGraphArguments,
        answer=DependencyGraph,
        lines="graph_lines",
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
    ),
    tool(
        __package__,
        "get_repo_map",
        title="Map of the repository",
        about="Show an overview of a repository in few tokens: its central files and the signatures that other files "
        "use.",
        arguments=RepoMapArguments,
        answer=RepoMap,
        lines="map_lines",
        toolset="graph",
        order=5,
        listed=False,
        about_indexes=True,
        needs="graph",
        command=Command(
            name="map",
            help="Show the most important files of a repository and the definitions that other files use, in few "
            "tokens.\n\n"
            "Files rank by their importers (PageRank), starting from the focus if one is given.",
        ),
    ),
)
