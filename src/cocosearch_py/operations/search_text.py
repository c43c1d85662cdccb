"""`search_text`, `cocosearch-py grep`: every line that holds a text or matches a regular expression."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.emptiness import no_lines
from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS, fit, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.texts import TextCursor, TextMatch, TextReport, TextRequest

MAX_LIMIT = 200
MAX_CONTEXT = 10
MIN_TIMEOUT_MS, MAX_TIMEOUT_MS = 100, 10_000
EXIT_NO_MATCH = 1  # as grep's
_CURSOR = re.compile(r"(\d{1,4}):(\d{1,9}):(.*)", re.DOTALL)  # number of the index, line, path


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of search_text."""

    query: Annotated[
        str,
        About("Exact text within one line of code"),
        Flag(
            metavar="QUERY",
            type=given.Texts,
            default=None,
            read=given.joined,
            help="Text to search for; several words need no quotes.",
        ),
    ]
    regex: Annotated[
        bool,
        About("query is a regex in ripgrep's syntax"),
        Flag(names=("-E", "--regex"), help="Treat the text as a regular expression in ripgrep's syntax."),
    ] = False
    case_sensitive: Annotated[
        bool | None,
        About("null: only if the query has a capital letter"),
        UNLISTED,
        Flag(
            names=("-s/-i", "--case-sensitive/--ignore-case"),
            help="Match or ignore case. [default: match case if the text has a capital letter]",
        ),
    ] = None
    word: Annotated[
        bool, About("Whole words only"), UNLISTED, Flag(names=("-w", "--word"), help="Match whole words only.")
    ] = False
    multiline: Annotated[
        bool,
        About("A match may span lines"),
        UNLISTED,
        Flag(names=("-U", "--multiline"), help="Let a match span lines; (?s) lets . match line ends."),
    ] = False
    index_name: given.FirstIndexName = None
    index_names: given.IndexNames = None
    language: Annotated[given.Languages, UNLISTED] = None
    path_glob: given.PathGlob = None
    exclude: Annotated[given.Exclude, UNLISTED] = None
    scope: Annotated[bool, About("Name the definition around each match"), UNLISTED] = True
    context: Annotated[
        int,
        About("Lines around each match, 0-10"),
        Flag(
            names=("-C", "--context"),
            metavar="N",
            minimum=0,
            maximum=MAX_CONTEXT,
            help="Lines to show around each match (0–10).",
        ),
    ] = 0
    paths_only: Annotated[
        bool, About("Return only paths"), Flag(names=("--files-only",), help="Print only paths, one per line.")
    ] = False
    count_only: Annotated[
        bool,
        About("Return only counts"),
        UNLISTED,
        Flag(names=("-c", "--count"), help="Print only the number of lines and files."),
    ] = False
    limit: Annotated[
        int,
        About("1-200"),
        Flag(
            names=("-l", "--limit"),
            hidden_names=("-m",),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of matches (1–200).",
        ),
    ] = 20
    cursor: Annotated[str | None, About("next_cursor")] = None
    compact: given.Compact = False
    max_tokens: Annotated[int | None, About("Maximum tokens of the answer, 200-20000"), UNLISTED] = None
    timeout_ms: Annotated[
        int,
        About("Time limit in milliseconds, 100-10000"),
        UNLISTED,
        Flag(
            names=("--timeout",),
            metavar="MS",
            minimum=MIN_TIMEOUT_MS,
            maximum=MAX_TIMEOUT_MS,
            help="Time limit in milliseconds (100–10000).",
        ),
    ] = 3_000
    member: given.Member = None
    rev: given.Rev = None


class Scope(TypedDict):
    """The innermost definition around a line."""

    kind: str
    name: str
    start_line: Count
    end_line: Count


class Match(TypedDict):
    """A line that matches, or lines; `column` counts characters from 1, `text` is cut around it."""

    file_path: str
    line: Count
    column: Count
    text: str
    scope: NotRequired[Scope | None]
    before: NotRequired[list[str]]
    after: NotRequired[list[str]]
    end_line: NotRequired[Count]
    index_name: NotRequired[str]


class Answer(TypedDict):
    """Matches, code first; without a `next_cursor` there are no more. Rows have a scope as `kind name start-end`."""

    matches: NotRequired[list[Match]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | float | None]]]
    paths: NotRequired[list[str]]
    files_matched: Count
    total: NotRequired[Count]
    total_at_least: NotRequired[Count]
    next_cursor: NotRequired[str]
    incomplete: NotRequired[str]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class TextsFound:
    """What each index brought, in their order; the page ends with the last of them."""

    request: "TextRequest"
    reports: "tuple[tuple[IndexRecord, TextReport], ...]"
    first: int  # number of the first of these indexes among those that were asked for
    is_several: bool
    next_cursor: str | None
    warnings: tuple[str, ...]

    @property
    def matches(self) -> "list[tuple[IndexRecord, TextMatch]]":
        return [(record, match) for record, report in self.reports for match in report.matches]

    @property
    def paths(self) -> list[str]:
        return [posixpath.join(record.root_path, path) for record, report in self.reports for path in report.paths]

    def cursor_after(self, count: int) -> str:
        """Where a page begins that goes on after so many of these matches or paths."""
        places = [
            (number, path, line)
            for number, (_, report) in enumerate(self.reports, start=self.first)
            for path, line in (*((one.path, one.line) for one in report.matches), *((path, 0) for path in report.paths))
        ]
        number, path, line = places[count - 1]
        return _cursor(number, path, line)

    @property
    def incomplete(self) -> str | None:
        return next((report.incomplete for _, report in self.reports if report.incomplete), None)


def search_text(call: Call, asked: Arguments) -> TextsFound:
    """Find every line that contains a text or matches a regex, with the enclosing function: grep, but indexed.

    Use it for exact strings and complete lists of uses; search_code is for questions and half-remembered names.
    """
    request, remarks = request_of(asked)
    found = found_at(call, asked.rev)
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    first, after = _read_cursor(asked.cursor, len(found.records))
    reports, following = _page(call, found, first, replace(request, after=after))
    told = [*remarks, *remarks_on(call, found, (report.stale for _, report in reports))]
    if after is None and not any(report.files_matched or report.incomplete for _, report in reports):
        told += no_lines(found, asked.query, request, regex=asked.regex, word=asked.word)
    return TextsFound(request, tuple(reports), first, len(found.records) > 1, following, tuple(told))


def request_of(asked: Arguments) -> "tuple[TextRequest, list[str]]":
    from cocosearch_py.model.texts import TextRequest
    from cocosearch_py.search.patterns import text_pattern
    from cocosearch_py.search.request import build_filters

    if not is_text(asked.query):
        raise ValidationError("the query contains an invalid character", hint="leave out null bytes and broken UTF-8")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    bounded = Bounded()
    if asked.max_tokens is not None:
        bounded.value("max_tokens", asked.max_tokens, MIN_MAX_TOKENS, DEFAULT_MAX_TOKENS)
    request = TextRequest(
        pattern=text_pattern(
            asked.query,
            regex=asked.regex,
            case_sensitive=asked.case_sensitive,
            word=asked.word,
            multiline=asked.multiline,
        ),
        filters=build_filters(language=asked.language, path_globs=globs, exclude_globs=asked.exclude or ()),
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
        context=bounded.value("context", asked.context, 0, MAX_CONTEXT),
        scope=asked.scope,
        paths_only=asked.paths_only,
        count_only=asked.count_only,
        timeout_ms=bounded.value("timeout_ms", asked.timeout_ms, MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
    )
    return request, bounded.notes


def _page(
    call: Call, found: Found, first: int, request: "TextRequest"
) -> "tuple[list[tuple[IndexRecord, TextReport]], str | None]":
    """The reports that fill a page, and where the next one begins; counting looks at every index."""
    reports = []
    for number, record in enumerate(found.records[first:], start=first):
        report = _look(call, found.app, request, record)
        reports.append((record, report))
        if report.next is not None:
            return reports, _cursor(number, report.next.path, report.next.line)
        room = request.limit - len(report.matches) - len(report.paths)
        if room <= 0 and number + 1 < len(found.records):
            return reports, _cursor(number + 1, "", 0)
        request = replace(request, limit=room, after=None)
    return reports, None


def _look(call: Call, app: "App", request: "TextRequest", record: IndexRecord) -> "TextReport":
    return call.look(app, record, lambda: app.searches.search_text(request, record))


def _cursor(number: int, path: str, line: int) -> str:
    return f"{number}:{line}:{path}"


def _read_cursor(cursor: str | None, count: int) -> "tuple[int, TextCursor | None]":
    """Number of the index, and the last line of the page before.

    Raises:
        ValidationError: it is not one of ours.
    """
    from cocosearch_py.model.texts import TextCursor

    if cursor is None:
        return 0, None
    read = _CURSOR.fullmatch(cursor)
    if read is None or int(read[1]) >= count or "\0" in cursor:
        raise ValidationError("invalid cursor", hint="pass next_cursor of the previous answer unchanged")
    return int(read[1]), TextCursor(read[3], int(read[2])) if read[3] else None


def _answer(found: TextsFound, asked: Arguments) -> Json:
    if asked.count_only:
        return _with_figures(found, asked, {}, found.next_cursor)
    items: list[Any] = found.paths if asked.paths_only else [_item(found, *pair) for pair in found.matches]

    def build(kept: Sequence[Any]) -> Json:
        following = found.next_cursor if len(kept) == len(items) else found.cursor_after(len(kept))
        if asked.paths_only:
            return _with_figures(found, asked, {"paths": list(kept)}, following)
        listed: Json = table([_flat(item) for item in kept]) if asked.compact else {"matches": list(kept)}
        return _with_figures(found, asked, listed | quoted(kept), following)

    return cast("Json", fit(items, build, asked.max_tokens))


def _flat(item: Json) -> Json:
    """A match whose values are texts and numbers."""
    flat = dict(item)
    for name in ("before", "after"):
        if name in item:
            flat[name] = "\n".join(item[name])
    if scope := item.get("scope"):
        flat["scope"] = f"{scope['kind']} {scope['name']} {scope['start_line']}-{scope['end_line']}"
    return flat


def _with_figures(found: TextsFound, asked: Arguments, listed: Json, following: str | None) -> Json:
    """What was found, how much there is, and where the next page begins."""
    reports = [report for _, report in found.reports]
    answer: Json = {"files_matched": sum(report.files_matched for report in reports), **listed}
    totals = [report.total for report in reports]
    if not asked.paths_only:
        if following is None and None not in totals and not found.incomplete:
            answer["total"] = sum(total or 0 for total in totals)
        else:
            answer["total_at_least"] = sum(report.at_least for report in reports)
    for name, value in (("next_cursor", following), ("incomplete", found.incomplete)):
        if value is not None:
            answer[name] = value
    if found.warnings:
        answer["warnings"] = list(found.warnings)
    return answer


def _item(found: TextsFound, record: IndexRecord, match: "TextMatch") -> Json:
    item: Json = {
        "file_path": posixpath.join(record.root_path, match.path),
        "line": match.line,
        "column": match.column,
        "text": match.text,
    }
    if match.end_line is not None:
        item["end_line"] = match.end_line
    if found.request.scope:
        item["scope"] = asdict(match.scope) if match.scope else None
    if found.request.context:
        item |= {"before": list(match.before), "after": list(match.after)}
    if found.is_several:
        item["index_name"] = record.name
    return item


OPERATION = Operation(
    name="search_text",
    title="Search text",
    arguments=Arguments,
    run=search_text,
    shape=_answer,
    answer=Answer,
    toolset="search",
    order=4,
    about_indexes=True,
    command=Command(
        name="grep",
        help="""Find every line that contains a text or matches a regular expression.

        Case matters only if the text has a capital letter. Files that the index leaves out are not searched.
        """,
        exit_code=lambda found, _: 0 if any(report.files_matched for _, report in found.reports) else EXIT_NO_MATCH,
        hidden_names=("text-search",),
    ),
    aliases=(Alias(name="text_search", program="Lexa"),),
)
