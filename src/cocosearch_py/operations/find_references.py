"""`find_references`, `cocosearch-py refs`: what uses a function, a class or anything else, and what it uses."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.confidence import Verdict, verdict_of
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.pages import Cursor, fill, following, read_cursor
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.completeness import Completeness, Level
    from cocosearch_py.model.usages import Place, Usage, UsageReport, UsageRequest

MAX_LIMIT = 200
MAX_DEPTH = 5
MAX_NAME_CHARS = 1_000
KINDS = ("call", "import", "type", "inherit", "read", "definition")
_USES = KINDS[:-1]
ALL = "all"
_MODE = "uses"
_MOST_DEFINITIONS = 10  # that an answer names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of find_references."""

    symbol: Annotated[
        str,
        About("Name, Class.method, pkg::name or path#name"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name."),
    ]
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
        Literal["callers", "callees"],
        About("callees: what it uses"),
        Flag(names=("--direction",), metavar="WAY", type=str, help="callers, or callees (symbols that it uses)."),
    ] = "callers"
    depth: Annotated[
        int,
        About("Call levels, 1-5"),
        Flag(
            names=("--depth",), metavar="N", minimum=1, maximum=MAX_DEPTH, help="Number of call levels to follow (1–5)."
        ),
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
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of uses (1–200)."
        ),
    ] = 30
    cursor: given.Cursor = None
    compact: given.Compact = False
    member: given.Member = None


class Enclosing(TypedDict):
    """The definition that a use is in."""

    kind: str
    name: str
    start_line: Count
    end_line: Count


class Used(TypedDict):
    """A use; `target` is what it means, where that is not the only definition."""

    file_path: str
    line: Count
    column: Count
    kind: str
    confidence: Literal["resolved", "scoped", "name_only"]
    text: str
    enclosing: NotRequired[Enclosing]
    target: NotRequired[str]
    name: NotRequired[str]
    distance: NotRequired[Count]
    index_name: NotRequired[str]


class Answer(TypedDict):
    """Uses, the surest first: `resolved` by imports, `scoped` by file, class or package, then by name only."""

    references: NotRequired[list[Used]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | int | Enclosing | None]]]
    definitions: list[str]
    total: Count
    counts: dict[str, Count]
    confidence: dict[str, Count]
    completeness: Verdict
    next_cursor: NotRequired[str]
    hints: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class UsagesFound:
    """What each index brought, in their order, and where the page begins."""

    request: "UsageRequest"
    reports: "tuple[tuple[IndexRecord, UsageReport], ...]"
    begin: Cursor
    is_several: bool
    warnings: tuple[str, ...]

    @property
    def usages(self) -> "list[tuple[IndexRecord, Usage]]":
        return [(record, one) for record, report in self.reports for one in report.usages]

    @property
    def definitions(self) -> "list[tuple[IndexRecord, Place]]":
        return [(record, one) for record, report in self.reports for one in report.definitions]

    @property
    def total(self) -> int:
        return sum(report.total for _, report in self.reports)

    @property
    def hints(self) -> tuple[str, ...]:
        """What to do about an answer that may be wrong."""
        if self.total:
            return ()
        name = self.request.symbol.spelled
        if not self.definitions:
            return (f"no definition and no use of '{name}': find_symbol finds similar names, search_text finds text",)
        if self.request.filters_files:
            return ("no use in the files that pass the filters: ask without filters",)
        return (f"no use was found, but '{name}' may still be used: see blind_spots, and ask search_text for its name",)

    @property
    def verdict(self) -> "Completeness":
        """The least sure of the verdicts, with all blind spots."""
        from cocosearch_py.model.completeness import Completeness

        levels: tuple[Level, ...] = ("complete", "likely", "partial")
        verdicts = [report.completeness for _, report in self.reports]
        level: Level = max((one.level for one in verdicts), key=levels.index, default="partial")
        return Completeness(level, tuple(dict.fromkeys(spot for one in verdicts for spot in one.blind_spots)))

    def counts(self, name: Literal["kinds", "confidences"]) -> dict[str, int]:
        found: dict[str, int] = {}
        for _, report in self.reports:
            for key, count in getattr(report, name).items():
                found[key] = found.get(key, 0) + count
        return found

    def cursor_after(self, count: int) -> str | None:
        """Where the page after the first so many uses begins; None if there are no more."""
        sizes = ((len(report.usages), report.total) for _, report in self.reports)
        return following(self.begin, _MODE, sizes, count)


def cursor_at(offset: int) -> str:
    """Where a page begins that goes on after so many uses of the first index."""
    return str(Cursor(_MODE, 0, offset))


def find_references(call: Call, asked: Arguments) -> UsagesFound:
    """Find calls, imports and other uses of a symbol, by imports and scopes: surer than grep; reports possible gaps."""
    request, remarks = request_of(asked)
    found = call.find()
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    begin = read_cursor(asked.cursor, (_MODE,), len(found.records)) or Cursor(_MODE, 0, 0)

    def look(record: IndexRecord, offset: int, limit: int) -> "UsageReport":
        page = replace(request, limit=limit, offset=offset)
        return call.look(found.app, record, lambda: found.app.graphs.find_references(page, record))

    reports = fill(found.records, begin, request.limit, look, lambda report: len(report.usages))
    told = [*remarks, *remarks_on(call, found, (report.stale for _, report in reports))]
    return UsagesFound(request, tuple(reports), begin, len(found.records) > 1, tuple(told))


def request_of(asked: Arguments) -> "tuple[UsageRequest, list[str]]":
    from cocosearch_py.model.usages import UsageRequest
    from cocosearch_py.navigation.names import read_name
    from cocosearch_py.search.request import build_filters

    name = asked.symbol.strip()
    if not name or not is_text(name) or len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            f"the symbol is empty, longer than {MAX_NAME_CHARS} characters or not text",
            hint="give the name of a symbol",
        )
    if asked.direction not in ("callers", "callees"):
        raise ValidationError(f"unknown direction '{asked.direction[:60]}'", hint="known: callers, callees")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else list(asked.path_glob or [])
    if asked.path_prefix:
        globs.append(asked.path_prefix.strip("/") + "/**")
    filters = build_filters(language=asked.language, path_globs=globs)
    if not asked.include_tests:
        filters = replace(filters, excluded_content=("tests",))
    bounded = Bounded()
    request = UsageRequest(
        symbol=read_name(name),
        kinds=_kinds(asked),  # type: ignore[arg-type]  # checked
        callees=asked.direction == "callees",
        depth=bounded.value("depth", asked.depth, 1, MAX_DEPTH),
        filters=filters,
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
    )
    return request, bounded.notes


def _kinds(asked: Arguments) -> tuple[str, ...]:
    given_kinds = [asked.kinds] if isinstance(asked.kinds, str) else asked.kinds or []
    kinds = [kind.strip() for text in given_kinds for kind in text.split(",") if kind.strip()]
    if ALL in kinds:
        return KINDS
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise ValidationError(f"unknown kind '{unknown[0][:60]}'", hint=f"known: {', '.join((*KINDS, ALL))}")
    return tuple(dict.fromkeys(kinds)) or _USES


def _answer(found: UsagesFound, asked: Arguments) -> Json:
    verdict = found.verdict
    items = [_item(found, record, one) for record, one in found.usages]
    definitions = [
        f"{posixpath.join(record.root_path, one.path)}:{one.start_line} {one.kind} {one.qualified_name}"
        for record, one in found.definitions[:_MOST_DEFINITIONS]
    ]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = table(kept) if asked.compact else {"references": list(kept)}
        answer |= {
            "definitions": definitions,
            "total": found.total,
            "counts": found.counts("kinds"),
            "confidence": found.counts("confidences"),
            "completeness": verdict_of(verdict),
            **quoted(kept),
        }
        if (following := found.cursor_after(len(kept))) is not None:
            answer["next_cursor"] = following
        if found.hints:
            answer["hints"] = list(found.hints)
        if found.warnings:
            answer["warnings"] = list(found.warnings)
        return answer

    return cast("Json", fit(items, build))


def _item(found: UsagesFound, record: IndexRecord, one: "Usage") -> Json:
    item: Json = {
        "file_path": posixpath.join(record.root_path, one.path),
        "line": one.line,
        "column": one.column,
        "kind": one.kind,
        "confidence": one.confidence,
        "text": one.text,
    }
    if (around := one.around) is not None:
        item["enclosing"] = {
            "kind": around.kind,
            "name": around.qualified_name,
            "start_line": around.start_line,
            "end_line": around.end_line,
        }
    if one.target is not None and (found.request.callees or one.distance > 1 or len(found.definitions) > 1):
        item["target"] = f"{one.target.path}#{one.target.qualified_name}"
    if found.request.callees:
        item["name"] = one.name
    if one.distance > 1:
        item["distance"] = one.distance
    if found.is_several:
        item["index_name"] = record.name
    return item


OPERATION = Operation(
    name="find_references",
    title="Find references",
    arguments=Arguments,
    run=find_references,
    shape=_answer,
    answer=Answer,
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
            dialect="word_refs.OPERATION",
        ),
    ),
)
