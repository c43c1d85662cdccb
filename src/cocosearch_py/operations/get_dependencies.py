"""`get_dependencies`, `cocosearch-py deps`: the files that a file imports, and those that they import."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import given_paths
from cocosearch_py.tools.fitting import fit

if TYPE_CHECKING:
    from cocosearch_py.model.graph import Edge
    from cocosearch_py.tools.walks import Walked

DEFAULT_EDGES = 200
_MAX_FILES = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_dependencies."""

    file: given.File = None
    files: given.Files = None
    depth: given.Imports = 1
    dep_type: given.ImportKind = None
    include_external: Annotated[
        bool,
        About("Also modules outside the index"),
        Flag(names=("--external",), help="Also show modules outside the index."),
    ] = False
    limit: given.ImportLimit = DEFAULT_EDGES
    index_name: given.IndexName = None
    member: given.Member = None


class Dependency(TypedDict):
    """An imported file; `target_symbol` names what is imported of it."""

    target_file: str
    target_symbol: str | None
    dep_type: str
    module: str
    line: Count


class Loose(TypedDict):
    """An import that leads to no file of the index."""

    file: str
    module: str
    line: Count


class OfFile(TypedDict):
    """What a file depends on: directly, or with more depth as a tree."""

    file: str
    dependencies: NotRequired[list[Dependency]]
    tree: NotRequired[list[Any]]


class One(OfFile):
    """The same with numbers and notes."""

    root: str
    depth: Count
    total: Count
    unresolved: list[Loose]
    external: NotRequired[list[Loose]]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class Several(TypedDict):
    """The same for several files; what two of them depend on is shown at the first."""

    root: str
    depth: Count
    files: list[OfFile]
    total: Count
    unresolved: list[Loose]
    external: NotRequired[list[Loose]]
    not_found: NotRequired[list[str]]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


def get_dependencies(call: Call, asked: Arguments) -> "Walked":
    """List the project files that a file imports, instead of following import lines by hand."""
    from cocosearch_py.tools.walks import Walk, walk

    paths = given_paths(asked.file, asked.files, _MAX_FILES)
    return walk(call, Walk(paths, "dependencies", asked.depth, asked.dep_type, asked.limit, member=asked.member))


def _answer(walked: "Walked", asked: Arguments) -> Json:
    return cast("Json", fit(walked.report.edges, lambda kept: _built(walked, kept, asked)))


def _built(walked: "Walked", kept: "Sequence[Edge]", asked: Arguments) -> Json:
    from cocosearch_py.tools.walks import told, tree

    head: Json = {"root": walked.record.root_path, "depth": walked.request.depth}
    trees = tree(walked, kept)
    if walked.request.depth == 1:
        items: list[Json] = [
            {"file": path, "dependencies": [_dependency(node) for node in nodes]} for path, nodes in trees.items()
        ]
    else:
        items = [{"file": path, "tree": nodes} for path, nodes in trees.items()]
    body = items[0] if len(items) == 1 and not walked.report.missing else {"files": items}
    loose: Json = {"unresolved": [one._asdict() | {"file": one.source} for one in walked.report.unresolved]}
    if asked.include_external:
        loose["external"] = [one._asdict() | {"file": one.source} for one in walked.report.external]
    for found in loose.values():
        for one in found:
            del one["source"]
    return {**head, **body, **loose, **told(walked, len(kept))}


def _dependency(node: Json) -> Json:
    return {"target_file" if name == "file" else name: value for name, value in node.items() if name != "is_test"}


OPERATION = Operation(
    name="get_dependencies",
    title="Dependencies of files",
    arguments=Arguments,
    run=get_dependencies,
    shape=_answer,
    answer=One | Several,
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
            adapt=given.levels,
        ),
    ),
)
