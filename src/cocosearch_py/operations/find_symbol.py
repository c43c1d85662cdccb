"""`find_symbol`, `cocosearch-py symbols`: where something is defined, by its name."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import checked_name, instead
from cocosearch_py.tools.pages import Cursor, fill, following, read_cursor
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.definitions import Definition, DefinitionReport, DefinitionRequest

MAX_LIMIT = 200
MATCHES = ("exact", "glob", "substring", "fuzzy")
AUTO = "auto"
_DOC_CHARS = 200  # that are shown of a comment
_WILDCARDS = frozenset("*?")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of find_symbol."""

    name: Annotated[
        str,
        About("Name, Class.method, pkg::name, path#name or glob"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name; quote wildcards: 'get*'."),
    ]
    match: Annotated[
        Literal["auto", "exact", "substring", "fuzzy", "glob"],
        About("auto: exact or wildcards, else substring"),
        UNLISTED,
        Flag(
            names=("-m", "--match"),
            metavar="HOW",
            type=str,
            help="exact, substring, fuzzy or glob (default: exact, then substring).",
        ),
    ] = "auto"
    kind: given.Kinds = None
    index_name: given.FirstIndexName = None
    index_names: given.IndexNames = None
    language: Annotated[given.Languages, UNLISTED] = None
    path_glob: given.PathGlob = None
    field: Annotated[
        Literal["name", "signature", "doc"],
        About("Text to match: name, signature or doc"),
        UNLISTED,
        Flag(names=("--field",), metavar="FIELD", type=str, help="Match the signature or doc instead of the name."),
    ] = "name"
    include_tests: given.Tests = True
    public_only: Annotated[
        bool,
        About("Only public definitions"),
        UNLISTED,
        Flag(names=("--public",), help="Only definitions that other code may use."),
    ] = False
    limit: Annotated[
        int,
        About("1-200"),
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum results (1–200)."),
    ] = 20
    cursor: Annotated[str | None, About("next_cursor")] = None
    compact: given.Compact = False
    member: given.Member = None
    rev: given.Rev = None


class Defined(TypedDict):
    """A definition; `score` is 1 for a name just as it was asked for."""

    file_path: str
    start_line: Count
    end_line: Count
    kind: str
    name: str
    qualified_name: str
    signature: str
    visibility: str
    score: Share
    parent: NotRequired[str]
    doc: NotRequired[str]
    index_name: NotRequired[str]


class Answer(TypedDict):
    """Definitions, best first; without a `next_cursor` there are no more. `match` says how they were found."""

    definitions: NotRequired[list[Defined]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | float | None]]]
    match: Literal["exact", "glob", "substring", "fuzzy"]
    total: Count
    next_cursor: NotRequired[str]
    did_you_mean: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolsFound:
    """What each index brought, in their order, and where the page begins."""

    request: "DefinitionRequest"
    reports: "tuple[tuple[IndexRecord, DefinitionReport], ...]"
    begin: Cursor
    is_several: bool
    nearest: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def definitions(self) -> "list[tuple[IndexRecord, Definition]]":
        return [(record, one) for record, report in self.reports for one in report.definitions]

    @property
    def total(self) -> int:
        return sum(report.total for _, report in self.reports)

    def cursor_after(self, count: int) -> str | None:
        """Where the page after the first so many definitions begins; None if there are no more."""
        sizes = ((len(report.definitions), report.total) for _, report in self.reports)
        return following(self.begin, self.request.match, sizes, count)


def find_symbol(call: Call, asked: Arguments) -> SymbolsFound:
    """Find where a function, class or other symbol is defined, by name: one lookup instead of grep and reading.

    Any style matches (get_user, getUser). Code comes before tests, public before private.
    """
    requests, remarks = requests_of(asked)
    found = found_at(call, asked.rev)
    member = inside(found, asked.member)
    requests = [replace(one, filters=member.filters(one.filters)) for one in requests]
    begin = read_cursor(asked.cursor, MATCHES, len(found.records))
    if begin is not None:
        requests = [replace(requests[0], match=begin.mode)]  # type: ignore[arg-type]  # read_cursor knows no other
    for request in requests:
        start = begin or Cursor(request.match, 0, 0)
        reports = _page(call, found, request, start)
        if any(report.total for _, report in reports):
            break
    is_empty = not any(report.total for _, report in reports)
    nearest, reason = instead(found, request, asked.name) if is_empty else ((), [])
    told = [*remarks, *reason, *remarks_on(call, found, (report.stale for _, report in reports))]
    return SymbolsFound(request, tuple(reports), start, len(found.records) > 1, nearest, tuple(told))


def requests_of(asked: Arguments) -> "tuple[list[DefinitionRequest], list[str]]":
    """The request in each way that it may be matched, the first that finds something counts; and notes."""
    from cocosearch_py.model.definitions import DefinitionRequest, NamedSymbol
    from cocosearch_py.navigation.names import read_name
    from cocosearch_py.search.request import build_filters

    name = checked_name(asked.name)
    if asked.match not in (AUTO, *MATCHES):
        raise ValidationError(f"unknown match '{asked.match[:60]}'", hint=f"known: {AUTO}, {', '.join(MATCHES)}")
    if asked.field not in ("name", "signature", "doc"):
        raise ValidationError(f"unknown field '{asked.field[:60]}'", hint="known: name, signature, doc")
    if asked.match == "fuzzy" and asked.field != "name":
        raise ValidationError("fuzzy matching works only for names", hint="leave out match, or use field=name")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    filters = build_filters(language=asked.language, symbol_type=asked.kind, path_globs=globs)
    if not asked.include_tests:
        filters = replace(filters, excluded_content=("tests",))
    bounded = Bounded()
    base = DefinitionRequest(
        symbol=read_name(name) if asked.field == "name" else NamedSymbol(name, whole=name),
        part=asked.field,
        filters=filters,
        public_only=asked.public_only,
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
    )
    return [replace(base, match=match) for match in _matches(asked, name)], bounded.notes


def _matches(asked: Arguments, name: str) -> list[Any]:
    if asked.match != AUTO:
        return [asked.match]
    if _WILDCARDS & set(name):  # `operator*` is one, too
        return ["exact", "glob"]
    return {"name": ["exact", "substring"], "signature": ["substring", "glob"], "doc": ["substring"]}[asked.field]


def _page(
    call: Call, found: Found, request: "DefinitionRequest", begin: Cursor
) -> "list[tuple[IndexRecord, DefinitionReport]]":
    """A report of each index, which tells how many definitions it has, and those of them that the page has room for."""

    def look(record: IndexRecord, offset: int, limit: int) -> "DefinitionReport":
        page = replace(request, limit=limit, offset=offset)
        return call.look(found.app, record, lambda: found.app.navigation.find_definitions(page, record))

    return fill(found.records, begin, request.limit, look, lambda report: len(report.definitions))


def _answer(found: SymbolsFound, asked: Arguments) -> Json:
    items = [_item(found, record, one) for record, one in found.definitions]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = table(kept) if asked.compact else {"definitions": list(kept)}
        answer |= {"match": found.request.match, "total": found.total, **quoted(kept)}
        if (following := found.cursor_after(len(kept))) is not None:
            answer["next_cursor"] = following
        if found.nearest:
            answer["did_you_mean"] = list(found.nearest)
        if found.warnings:
            answer["warnings"] = list(found.warnings)
        return answer

    return cast("Json", fit(items, build))


def _item(found: SymbolsFound, record: IndexRecord, one: "Definition") -> Json:
    item: Json = {
        "file_path": posixpath.join(record.root_path, one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "kind": one.kind,
        "name": one.name,
        "qualified_name": one.qualified_name,
        "signature": one.signature,
        "visibility": one.visibility,
        "score": one.score,
    }
    if one.parent is not None:
        item["parent"] = one.parent
    if found.request.part == "doc":
        item["doc"] = one.doc[:_DOC_CHARS]
    if found.is_several:
        item["index_name"] = record.name
    return item


_LOOKUP = {"match": "substring", "limit": 50}
_SIGNATURES = {"field": "signature", "limit": 20}
OPERATION = Operation(
    name="find_symbol",
    title="Find a symbol",
    arguments=Arguments,
    run=find_symbol,
    shape=_answer,
    answer=Answer,
    toolset="navigate",
    order=1,
    about_indexes=True,
    needs="symbol",
    command=Command(
        name="symbols",
        help="""Find where a function, class or other symbol is defined, by its name.

        Names match in any style (get_user, getUser); wildcards and parts of names work too.
        """,
        hidden_names=("symbol", "symbol-defs"),
    ),
    aliases=(
        Alias(name="find", program="indxr", chosen_by=("mode", "symbol"), parameters={"query": "name"}, means=_LOOKUP),
        Alias(
            name="find",
            program="indxr",
            chosen_by=("mode", "signature"),
            parameters={"query": "name"},
            means=_SIGNATURES,
        ),
        Alias(name="lookup_symbol", program="indxr", means=_LOOKUP),
        Alias(name="search_signatures", program="indxr", parameters={"query": "name"}, means=_SIGNATURES),
        Alias(name="symbol_defs", program="Lexa", means={"match": "exact"}),
        Alias(name="symbol_search", program="Lexa", parameters={"query": "name"}, means={"match": "fuzzy"}),
    ),
)
