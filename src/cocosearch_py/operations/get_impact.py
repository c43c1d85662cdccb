"""`get_impact`, `cocosearch-py impact`: the files that a change of a file may reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.operations.common import parameters as given
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import Alias, Command, Operation
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.model.graph import Edge
    from cocosearch_py.operations.common.walks import Walked

DEFAULT_DEPTH = 3
DEFAULT_EDGES = 200
_MAX_FILES = 50
_HIGH, _MEDIUM = 10, 3  # files that import one directly


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_impact."""

    file: given.File = None
    files: given.Files = None
    depth: given.Imports = DEFAULT_DEPTH
    dep_type: given.ImportKind = None
    include_tests: given.Tests = True
    limit: given.ImportLimit = DEFAULT_EDGES
    index_name: given.IndexName = None
    member: given.Member = None


class Affected(TypedDict):
    """A file that a change may reach, over so many imports."""

    file: str
    distance: Count


class OfFile(TypedDict):
    """What imports a file, what imports that, and so on."""

    file: str
    impact_tree: list[Any]


class Risk(TypedDict):
    """How many files import the one that is changed directly; of several, the most."""

    level: Literal["low", "medium", "high"]
    fan_in: Count


class One(TypedDict):
    """What a change may reach; `tests` are the affected files of tests."""

    root: str
    depth: Count
    file: NotRequired[str]
    impact_tree: NotRequired[list[Any]]
    files: NotRequired[list[OfFile]]
    affected_files: list[Affected]
    tests: list[str]
    risk: Risk
    total: Count
    not_found: NotRequired[list[str]]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


def get_impact(call: Call, asked: Arguments) -> "Walked":
    """See what a change to a file may break: the files and tests that import it, directly or through others."""
    from cocosearch_py.operations.common.files import given_paths
    from cocosearch_py.operations.common.walks import Walk, walk

    paths = given_paths(asked.file, asked.files, _MAX_FILES)
    how = Walk(paths, "dependents", asked.depth, asked.dep_type, asked.limit, asked.include_tests, asked.member)
    return walk(call, how)


def _answer(walked: "Walked", _: Arguments) -> Json:
    from cocosearch_py.operations.common.fitting import fit

    return cast("Json", fit(walked.report.edges, lambda kept: _built(walked, kept)))


def _built(walked: "Walked", kept: "Sequence[Edge]") -> Json:
    from cocosearch_py.operations.common.walks import told, tree

    items = [{"file": path, "impact_tree": nodes} for path, nodes in tree(walked, kept).items()]
    distances: dict[str, int] = {}
    for edge in kept:
        distances.setdefault(edge.source, edge.distance)
    for path in walked.report.files:
        distances.pop(path, None)
    fan_in = max(walked.report.fan_in.values(), default=0)
    level = "high" if fan_in >= _HIGH else "medium" if fan_in >= _MEDIUM else "low"
    return {
        "root": walked.record.root_path,
        "depth": walked.request.depth,
        **(items[0] if len(items) == 1 and not walked.missing else {"files": items}),
        "affected_files": [{"file": path, "distance": distance} for path, distance in distances.items()],
        "tests": [path for path in distances if path in walked.report.tests],
        "risk": {"level": level, "fan_in": fan_in},
        **told(walked, len(kept)),
    }


OPERATION = Operation(
    name="get_impact",
    title="Impact of a change",
    arguments=Arguments,
    run=get_impact,
    shape=_answer,
    answer=One,
    toolset="graph",
    order=2,
    listed=False,
    about_indexes=True,
    command=Command(
        name="impact",
        help="""Show what a change to a file may reach: the files and tests that import it, directly or through others.

        Only imports are followed: what is reached by reflection, configuration or a running service is not seen.
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
            adapt=given.levels,
        ),
    ),
)
