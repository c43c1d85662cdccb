"""`get_impact`, `cocosearch-py impact`: the files that a change of a file may reach."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.counts import counted
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import given_paths
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import checked_name
from cocosearch_py.tools.revisions import changed_since

if TYPE_CHECKING:
    from cocosearch_py.model.graph import Edge
    from cocosearch_py.tools.walks import Walked

DEFAULT_DEPTH = 3
DEFAULT_EDGES = 200
_MAX_FILES = 50
_MAX_DEFINITIONS = 200
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
    symbol: Annotated[
        str | None,
        About("Or files that define this name"),
        UNLISTED,
        Flag(names=("--symbol",), metavar="NAME", help="Use the files that define this name."),
    ] = None
    since_ref: given.Since = None


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
    """Show the files and tests that a change to a file may break: those that import it, directly or indirectly."""
    from cocosearch_py.tools.walks import Walk, walk

    if sum(map(bool, (asked.file or asked.files, asked.symbol, asked.since_ref))) > 1:
        raise ValidationError("more than one of file, symbol and since_ref is given", hint="pass just one of them")
    paths = _defining(call, asked) if asked.symbol else _changed(call, asked) if asked.since_ref else []
    left, paths = paths[_MAX_FILES:], paths[:_MAX_FILES] or given_paths(asked.file, asked.files, _MAX_FILES)
    member = None if asked.symbol or asked.since_ref else asked.member  # these are narrowed to it already
    how = Walk(paths, "dependents", asked.depth, asked.dep_type, asked.limit, asked.include_tests, member)
    walked = walk(call, how)
    told = [f"{counted(len(left), 'more file')} not checked: pass them as files"] if left else []
    return walked._replace(warnings=(*walked.warnings, *told))


def _defining(call: Call, asked: Arguments) -> list[str]:
    """The files that define a name; raises NotFoundError where none does."""
    from cocosearch_py.model.definitions import DefinitionRequest
    from cocosearch_py.navigation.names import read_name

    found = call.find()
    record, name = found.records[0], checked_name(asked.symbol or "")
    symbol = replace(read_name(name), folder=inside(found, asked.member).folder)
    request = DefinitionRequest(symbol=symbol, limit=_MAX_DEFINITIONS)
    report = call.look(found.app, record, lambda: found.app.navigation.find_definitions(request, record))
    if not report.definitions:
        raise NotFoundError(f"nothing in the index defines '{name[:100]}'", hint="find_symbol finds similar names")
    return _absolute(record, [one.path for one in report.definitions])


def _changed(call: Call, asked: Arguments) -> list[str]:
    """The files that changed since a commit; raises NotFoundError where none did."""
    found = call.find()
    record = found.records[0]
    folder = inside(found, asked.member).folder
    changed = changed_since(record, asked.since_ref or "")
    kept = [path for path in changed if not folder or path.startswith(f"{folder}/")]
    if not kept:
        raise NotFoundError(f"no file changed since '{(asked.since_ref or '')[:60]}'", hint="pass an earlier commit")
    return _absolute(record, kept)


def _absolute(record: IndexRecord, paths: list[str]) -> list[str]:
    return [posixpath.join(record.root_path, path) for path in dict.fromkeys(paths)]


def _answer(walked: "Walked", _: Arguments) -> Json:
    return cast("Json", fit(walked.report.edges, lambda kept: _built(walked, kept)))


def _built(walked: "Walked", kept: "Sequence[Edge]") -> Json:
    from cocosearch_py.tools.walks import told, tree

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
        **(items[0] if len(items) == 1 and not walked.report.missing else {"files": items}),
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
            adapt=given.levels,
        ),
    ),
)
