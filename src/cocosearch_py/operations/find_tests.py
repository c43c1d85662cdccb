"""`find_tests`, `cocosearch-py tests`: the tests of a definition or a file, and how to run them."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.confidence import Verdict, verdict_of
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import given_paths, stored_paths
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import changed_since
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.testing import RelatedReport

MAX_LIMIT = 100
MAX_NAME_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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
        int,
        About("1-100"),
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of tests (1–100)."
        ),
    ] = 20
    index_name: given.IndexName = None
    member: given.Member = None
    since_ref: given.Since = None


class Item(TypedDict):
    """A test, or with kind `file` all tests of a file; `distance` counts calls or imports, 0 is the same file."""

    name: str
    file: str
    line: Count
    kind: str
    match_reason: Literal["same_file", "test_file", "name_convention", "calls", "imports"]
    distance: Count
    confidence: NotRequired[Literal["resolved", "scoped", "name_only"]]


class Run(TypedDict):
    """A command that runs the first tests, in this folder."""

    framework: str
    folder: str
    command: str


class Answer(TypedDict):
    """The first of `total` tests; how to run them as far as manifests in the index tell."""

    root: str
    total: Count
    tests: list[Item]
    run: list[Run]
    completeness: NotRequired[Verdict]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class RelatedFound(NamedTuple):
    """Tests of an index, and what is to be known of them."""

    record: IndexRecord
    report: "RelatedReport"
    warnings: tuple[str, ...]


def find_tests(call: Call, asked: Arguments) -> RelatedFound:
    """Find the tests of a function, class or file by calls, names and imports, and the command that runs them."""
    from cocosearch_py.model.testing import RelatedRequest
    from cocosearch_py.navigation.names import read_name

    name = (asked.symbol or "").strip()
    if sum(map(bool, (name, asked.path, asked.since_ref))) != 1:
        raise ValidationError(
            "give exactly one of symbol, path and since_ref", hint="symbol: a name; path: a file, as answers show it"
        )
    if name and (not is_text(name) or len(name) > MAX_NAME_CHARS):
        raise ValidationError(
            f"the symbol is longer than {MAX_NAME_CHARS} characters or not text", hint="give the name of a symbol"
        )
    found = call.find()
    record, member = found.records[0], inside(found, asked.member)
    bounded = Bounded()
    files = changed_since(record, asked.since_ref) if asked.since_ref else []
    files = [path for path in files if not member.folder or path.startswith(f"{member.folder}/")]
    if asked.path:
        files = stored_paths(call, record, given_paths(asked.path, None, 1)[0], member)
    request = RelatedRequest(
        symbol=replace(read_name(name), folder=member.folder) if name else None,
        files=() if name else tuple(files),
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
    )
    report = call.look(found.app, record, lambda: found.app.graphs.find_tests(request, record))
    if not report.known and name and set("./") & set(name) and "#" not in name:  # It may be a file.
        of_file = replace(request, symbol=None, files=tuple(stored_paths(call, record, name, member)))
        told_of_file = call.look(found.app, record, lambda: found.app.graphs.find_tests(of_file, record))
        report = told_of_file if told_of_file.known else report
    if not report.known and asked.path:
        raise NotFoundError(
            f"{asked.path[:200]} is not in the index",
            hint="index_status with check_files shows why; list_files shows the files",
        )
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if asked.since_ref and not files:
        told.append(f"no file changed since '{asked.since_ref[:60]}'")
    elif not report.known and name:
        told.append(f"nothing in the index defines '{name[:100]}': find_symbol finds similar names")
    elif not report.total:
        told.append("no test was found; tests that use it by reflection or over a network are not detected")
    return RelatedFound(record, report, tuple(told))


def _answer(found: RelatedFound, _: Arguments) -> Json:
    report = found.report
    items: list[Json] = []
    for one in report.tests:
        item: Json = {
            "name": one.name,
            "file": posixpath.join(found.record.root_path, one.path),
            "line": one.line,
            "kind": one.kind,
            "match_reason": one.reason,
            "distance": one.distance,
        }
        items.append(item if one.confidence is None else {**item, "confidence": one.confidence})

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "root": found.record.root_path,
            "total": report.total,
            "tests": list(kept),
            "run": [
                {**one._asdict(), "folder": posixpath.join(found.record.root_path, one.folder).rstrip("/") or "/"}
                for one in report.commands
            ],
        }
        if (verdict := report.completeness) is not None:
            answer["completeness"] = verdict_of(verdict)
        answer |= quoted(kept)  # names of tests are sentences in some languages
        warnings = list(found.warnings)
        if len(kept) < report.total:
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {report.total} tests shown, the best first: raise limit for more")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(items, build))


def _within_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """`path` beside `symbol`: the file that defines it."""
    symbol, path = arguments.get("symbol"), arguments.get("path")
    if not (isinstance(symbol, str) and isinstance(path, str)) or "#" in symbol:
        return arguments
    return {**{name: value for name, value in arguments.items() if name != "path"}, "symbol": f"{path}#{symbol}"}


OPERATION = Operation(
    name="find_tests",
    title="Find tests",
    arguments=Arguments,
    run=find_tests,
    shape=_answer,
    answer=Answer,
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
    aliases=(Alias(name="get_related_tests", program="indxr", adapt=_within_file),),
)
