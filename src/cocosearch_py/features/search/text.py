"""Search for exact text and regular expressions, line by line."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from msgspec import UNSET, structs

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.search.answers import Match, Matches
from cocosearch_py.features.search.arguments import (
    MAX_CONTEXT,
    MAX_MATCHES,
    MAX_TIMEOUT_MS,
    MIN_TIMEOUT_MS,
    SearchTextArguments,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.texts import TextCursor, TextMatch, TextReport, TextRequest
from cocosearch_py.search.patterns import text_pattern
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.answer import Shrinkable, plain
from cocosearch_py.tools.answers import QUOTED, Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.emptiness import no_lines
from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

_CURSOR = re.compile(r"(\d{1,4}):(\d{1,9}):(.*)", re.DOTALL)  # number of the index, line, path
_Reports = list[tuple[IndexRecord, TextReport]]


def search_text(call: Call, asked: SearchTextArguments) -> Shrinkable[Any, Matches]:
    """Find matching lines in each index of the call, in their order.

    Raises:
        ValidationError: the pattern is wrong or too costly, or the cursor is not ours.
    """
    bounded = Bounded()
    request = _request(asked, bounded)
    found = found_at(call, asked.rev)
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    first, after = _read_cursor(asked.cursor, len(found.records))
    reports, following = _page(call, found, first, replace(request, after=after))
    warnings = [*bounded.notes, *remarks_on(call, found, (report.stale for _, report in reports))]
    if after is None and not any(report.files_matched or report.incomplete for _, report in reports):
        warnings += no_lines(found, asked.query, request, regex=asked.regex, word=asked.word)
    whole = Matches(
        files_matched=sum(report.files_matched for _, report in reports),
        incomplete=next((report.incomplete for _, report in reports if report.incomplete), ""),
        warnings=tuple(warnings),
    )
    places = _Places(tuple(reports), first, following)

    def build(shown: Sequence[Any]) -> Matches:
        cursor = places.cursor_after(len(shown))
        totals = {} if asked.paths_only else _totals(reports, is_all=not (cursor or whole.incomplete))
        listed: Json = {}
        if asked.paths_only:
            listed = {"paths": tuple(shown)}
        elif not asked.count_only:
            rows = table(list(map(_flat, shown))) if asked.compact else {"matches": tuple(shown)}
            listed = {**rows, "note": QUOTED if shown else ""}
        return structs.replace(whole, **listed, **totals, next_cursor=cursor)

    if asked.count_only:
        return Shrinkable((), build)
    if asked.paths_only:
        return Shrinkable([posixpath.join(record.root_path, path) for record, path, _ in places.all()], build)
    is_several = len(found.records) > 1
    items = [_match(record, match, request, is_several) for record, report in reports for match in report.matches]
    return Shrinkable(items, build)


def _request(asked: SearchTextArguments, bounded: Bounded) -> TextRequest:
    if not is_text(asked.query):
        raise ValidationError("the query contains an invalid character", hint="leave out null bytes and broken UTF-8")
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    if asked.max_tokens is not None:
        bounded.value("max_tokens", asked.max_tokens, MIN_MAX_TOKENS, DEFAULT_MAX_TOKENS)
    return TextRequest(
        pattern=text_pattern(
            asked.query,
            regex=asked.regex,
            case_sensitive=asked.case_sensitive,
            word=asked.word,
            multiline=asked.multiline,
        ),
        filters=build_filters(language=asked.language, path_globs=globs, exclude_globs=asked.exclude or ()),
        limit=bounded.value("limit", asked.limit, 1, MAX_MATCHES),
        context=bounded.value("context", asked.context, 0, MAX_CONTEXT),
        scope=asked.scope,
        paths_only=asked.paths_only,
        count_only=asked.count_only,
        timeout_ms=bounded.value("timeout_ms", asked.timeout_ms, MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
    )


def _page(call: Call, found: Found, first: int, request: TextRequest) -> tuple[_Reports, str]:
    """Return the reports that fill a page, and the cursor of the next one; counting reads every index."""
    reports: _Reports = []
    searches = found.app.searches
    for number, record in enumerate(found.records[first:], start=first):
        report = call.look(
            found.app,
            record,
            lambda request=request, record=record: searches.search_text(request, record),  # type: ignore[misc]
        )
        reports.append((record, report))
        if report.next is not None:
            return reports, _cursor(number, report.next.path, report.next.line)
        room = request.limit - len(report.matches) - len(report.paths)
        if room <= 0 and number + 1 < len(found.records):
            return reports, _cursor(number + 1, "", 0)
        request = replace(request, limit=room, after=None)
    return reports, ""


def _cursor(number: int, path: str, line: int) -> str:
    return f"{number}:{line}:{path}"


def _read_cursor(cursor: str | None, count: int) -> tuple[int, TextCursor | None]:
    """Return the number of the index, and the last line of the page before.

    Raises:
        ValidationError: the cursor is not ours.
    """
    if cursor is None:
        return 0, None
    read = _CURSOR.fullmatch(cursor)
    if read is None or int(read[1]) >= count or "\0" in cursor:
        raise ValidationError("invalid cursor", hint="pass next_cursor of the previous answer unchanged")
    return int(read[1]), TextCursor(read[3], int(read[2])) if read[3] else None


class _Places(NamedTuple):
    """Matches or paths of a page by their places; `first` is the number of its first index."""

    reports: tuple[tuple[IndexRecord, TextReport], ...]
    first: int
    following: str

    def all(self) -> list[tuple[IndexRecord, str, int]]:
        """Return index, path and line of each match, or index and path of each file, in order."""
        return [
            (record, path, line)
            for record, report in self.reports
            for path, line in (*((one.path, one.line) for one in report.matches), *((path, 0) for path in report.paths))
        ]

    def cursor_after(self, count: int) -> str:
        """Return the cursor of a page that goes on after so many of these; "" if there is none."""
        places = self.all()
        if not places or count == len(places) or not count:
            return self.following
        record, path, line = places[count - 1]
        number = next(at for at, (one, _) in enumerate(self.reports, start=self.first) if one is record)
        return _cursor(number, path, line)


def _totals(reports: _Reports, *, is_all: bool) -> Json:
    """Return the number of lines, or a number that they exceed."""
    totals = [report.total for _, report in reports]
    if is_all and None not in totals:
        return {"total": sum(total or 0 for total in totals)}
    return {"total_at_least": sum(report.at_least for _, report in reports)}


def _match(record: IndexRecord, match: TextMatch, request: TextRequest, is_several: bool) -> Match:
    return Match(
        file_path=posixpath.join(record.root_path, match.path),
        line=match.line,
        column=match.column,
        text=match.text,
        end_line=UNSET if match.end_line is None else match.end_line,
        scope=match.scope if request.scope else UNSET,
        before=match.before if request.context else UNSET,
        after=match.after if request.context else UNSET,
        index_name=record.name if is_several else "",
    )


def _flat(match: Match) -> Json:
    """Return a match whose values are texts and numbers."""
    flat: Json = plain(match)
    for name in ("before", "after"):
        if name in flat:
            flat[name] = "\n".join(flat[name])
    if scope := flat.get("scope"):
        flat["scope"] = f"{scope['kind']} {scope['name']} {scope['start_line']}-{scope['end_line']}"
    return flat
