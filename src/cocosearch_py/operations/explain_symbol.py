"""`explain_symbol`, `cocosearch-py explain`: all that one needs to use a definition, without its body."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import checked_name, instead
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.definitions import DefinitionRequest, Explained, ExplainReport

MAX_LIMIT = 10
MAX_MEMBERS = 30  # of a definition that are shown
_ASYNC = re.compile(r"\b(?:async|suspend)\b")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of explain_symbol."""

    name: Annotated[
        str,
        About("Name, Class.method, pkg::name or path#name"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name."),
    ]
    index_name: given.IndexName = None
    limit: Annotated[
        int,
        About("Definitions, 1-10"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of definitions (1–10).",
        ),
    ] = 3
    member: given.Member = None


class MemberItem(TypedDict):
    """A definition directly inside another one."""

    kind: str
    name: str
    signature: str
    start_line: Count
    visibility: str


class Relationships(TypedDict):
    """What a definition inherits from, as written, and what inherits from something of its name."""

    inherits: list[str]
    inherited_by: list[str]


class ExplainedItem(TypedDict):
    """A definition; `children_summary` counts what is directly inside it, by kind.

    `callers_count` counts calls that imports and scopes say mean it, `callers_by_name_count` further calls of
    its name, `tests_count` those calls of the first kind that are in tests. find_references lists them.
    """

    file_path: str
    start_line: Count
    end_line: Count
    body_lines: Count
    kind: str
    name: str
    qualified_name: str
    language_id: str
    signature: str
    doc_comment: str
    visibility: str
    is_async: bool
    is_test: bool
    is_deprecated: bool
    parent: str | None
    callers_count: Count
    callers_by_name_count: Count
    tests_count: Count
    relationships: Relationships
    children_summary: dict[str, Count]
    children: list[MemberItem]


class Answer(TypedDict):
    """Definitions of a name, best first; `total` counts all of them."""

    symbols: list[ExplainedItem]
    total: Count
    did_you_mean: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class Counts(NamedTuple):
    """Calls of a definition, as far as imports and scopes tell; further calls of its name; calls in tests."""

    calls: int
    by_name: int
    in_tests: int


@dataclass(frozen=True, slots=True, eq=False)
class SymbolsExplained:
    """What each index brought, in their order."""

    explained: "tuple[tuple[IndexRecord, Explained, Counts], ...]"
    total: int
    nearest: tuple[str, ...]
    warnings: tuple[str, ...]


def explain_symbol(call: Call, asked: Arguments) -> SymbolsExplained:
    """Explain how to use a function or class without reading its body: signature, doc comment, members, location."""
    from cocosearch_py.model.definitions import DefinitionRequest
    from cocosearch_py.navigation.names import read_name

    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    request = DefinitionRequest(symbol=read_name(checked_name(asked.name)), limit=limit)
    found = call.find()
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    reports = []
    for record in found.records:
        report = _look(call, found.app, request, record)
        request = replace(request, limit=request.limit - len(report.explained))
        reports.append((record, report))
    total = sum(report.total for _, report in reports)
    nearest, reason = ((), []) if total else instead(found, request, asked.name)
    explained = [
        (record, one, *_counts(call, found.app, record, one)) for record, report in reports for one in report.explained
    ]
    stale = dict.fromkeys([*(report.stale for _, report in reports), *(doubt for *_, doubt in explained)])
    told = [*bounded.notes, *reason, *remarks_on(call, found, stale)]
    return SymbolsExplained(tuple(one[:3] for one in explained), total, nearest, tuple(told))


def _look(call: Call, app: "App", request: "DefinitionRequest", record: IndexRecord) -> "ExplainReport":
    return call.look(app, record, lambda: app.navigation.explain(request, record))


def _counts(call: Call, app: "App", record: IndexRecord, explained: "Explained") -> tuple[Counts, str | None]:
    """Numbers of uses, and whether they are no longer so, in words."""
    from cocosearch_py.model.search import SearchFilters
    from cocosearch_py.model.usages import UsageRequest
    from cocosearch_py.navigation.names import read_name

    symbol = read_name(f"{explained.definition.path}#{explained.definition.qualified_name}")
    everywhere = UsageRequest(symbol=symbol, kinds=("call",), limit=0)
    in_tests = replace(everywhere, filters=SearchFilters(content=("tests",)))
    report = call.look(app, record, lambda: app.graphs.find_references(everywhere, record))
    found, tests = report.confidences, app.graphs.find_references(in_tests, record).confidences
    sure, of_tests = (sum(counts.get(level, 0) for level in ("resolved", "scoped")) for counts in (found, tests))
    return Counts(sure, found.get("name_only", 0), of_tests), report.stale


def _answer(found: SymbolsExplained, _: Arguments) -> Json:
    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {"symbols": list(kept), "total": found.total, **quoted(kept)}
        if found.nearest:
            answer["did_you_mean"] = list(found.nearest)
        warnings = list(found.warnings)
        if len(kept) < found.total:
            shown = f"{len(kept)} of {found.total} definitions shown"
            warnings.append(f"{shown}: name one by Class.method or path#name")
        if warnings:
            answer["warnings"] = warnings
        return answer

    return cast("Json", fit([_item(*one) for one in found.explained], build))


def _item(record: IndexRecord, explained: "Explained", counts: Counts) -> Json:
    one = explained.definition
    members = [
        {
            "kind": member.kind,
            "name": member.name,
            "signature": member.signature,
            "start_line": member.start_line,
            "visibility": member.visibility,
        }
        for member in sorted(explained.members, key=lambda member: member.visibility != "public")
        if not member.function_depth
    ]
    return {
        "file_path": posixpath.join(record.root_path, one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "body_lines": one.end_line - one.start_line + 1,
        "kind": one.kind,
        "name": one.name,
        "qualified_name": one.qualified_name,
        "language_id": one.language_id,
        "signature": one.signature,
        "doc_comment": one.doc,
        "visibility": one.visibility,
        "is_async": _ASYNC.search(one.signature) is not None,
        "is_test": one.is_test,
        "is_deprecated": one.is_deprecated,
        "parent": one.parent,
        "callers_count": counts.calls,
        "callers_by_name_count": counts.by_name,
        "tests_count": counts.in_tests,
        "relationships": {"inherits": list(explained.inherits), "inherited_by": list(explained.heirs)},
        "children_summary": dict(Counter(member["kind"] for member in members)),
        "children": members[:MAX_MEMBERS],
    }


OPERATION = Operation(
    name="explain_symbol",
    title="Explain a symbol",
    arguments=Arguments,
    run=explain_symbol,
    shape=_answer,
    answer=Answer,
    toolset="navigate",
    order=5,
    listed=False,
    about_indexes=True,
    needs="symbol",
    command=Command(
        name="explain",
        help="Show how to use a function or class without reading its body: signature, comment, members.",
    ),
)
