"""Definitions by name, signature or comment."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from msgspec import UNSET

from cocosearch_py.features.navigate.answers import Defined, Definitions
from cocosearch_py.features.navigate.arguments import MAX_DEFINITIONS, FindSymbolArguments
from cocosearch_py.model.answers import Match
from cocosearch_py.model.definitions import Definition, DefinitionReport, DefinitionRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answer import Shrinkable, tabled
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import instead
from cocosearch_py.tools.pages import Cursor, fill, following, read_cursor
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.symbols import definition_requests
from cocosearch_py.tools.warnings import remarks_on

_DOC_CHARS = 200  # that are shown of a comment


def find_symbol(call: Call, asked: FindSymbolArguments) -> Shrinkable[Defined, Definitions]:
    """Find definitions by name, signature or comment in each index of the call, in their order.

    Raises:
        ValidationError: the name cannot be one, a choice is unknown, or the cursor is not ours.
    """
    bounded = Bounded()
    requests = definition_requests(
        asked.name,
        match=asked.match,
        part=asked.field,
        kind=asked.kind,
        language=asked.language,
        path_glob=asked.path_glob,
        with_tests=asked.include_tests,
        public_only=asked.public_only,
    )
    limit = bounded.value("limit", asked.limit, 1, MAX_DEFINITIONS)
    found = found_at(call, asked.rev)
    member = inside(found, asked.member)
    requests = [replace(request, filters=member.filters(request.filters), limit=limit) for request in requests]
    cursor = read_cursor(asked.cursor, get_args(Match), len(found.records))
    if cursor is not None:
        requests = [replace(requests[0], match=cursor.mode)]  # type: ignore[arg-type]  # read_cursor knows no other
    for request in requests:
        begin = cursor or Cursor(request.match, 0, 0)
        reports = _page(call, found, request, begin)
        if any(report.total for _, report in reports):
            break
    total = sum(report.total for _, report in reports)
    nearest, reasons = ((), []) if total else instead(found, request, asked.name)
    warnings = (*bounded.notes, *reasons, *remarks_on(call, found, (report.stale for _, report in reports)))
    sizes = [(len(report.definitions), report.total) for _, report in reports]

    def build(items: Sequence[Defined]) -> Definitions:
        listed = tabled(items) if asked.compact else {"definitions": tuple(items)}
        return Definitions(
            **listed,
            match=request.match,
            total=total,
            next_cursor=following(begin, request.match, sizes, len(items)) or "",
            did_you_mean=nearest,
            note=QUOTED if items else "",
            warnings=warnings,
        )

    items = [
        _defined(record, definition, request, several=len(found.records) > 1)
        for record, report in reports
        for definition in report.definitions
    ]
    return Shrinkable(items, build)


def _page(
    call: Call, found: Found, request: DefinitionRequest, begin: Cursor
) -> list[tuple[IndexRecord, DefinitionReport]]:
    """Return a report of each index: how many definitions it has, and those that the page has room for."""

    def look(record: IndexRecord, offset: int, limit: int) -> DefinitionReport:
        page = replace(request, limit=limit, offset=offset)
        return call.look(found.app, record, lambda: found.app.navigation.find_definitions(page, record))

    return fill(found.records, begin, request.limit, look, lambda report: len(report.definitions))


def _defined(record: IndexRecord, definition: Definition, request: DefinitionRequest, *, several: bool) -> Defined:
    return Defined(
        file_path=posixpath.join(record.root_path, definition.path),
        start_line=definition.start_line,
        end_line=definition.end_line,
        kind=definition.kind,
        name=definition.name,
        qualified_name=definition.qualified_name,
        signature=definition.signature,
        visibility=definition.visibility,
        score=definition.score,
        parent=definition.parent or "",
        doc=definition.doc[:_DOC_CHARS] if request.part == "doc" else UNSET,
        index_name=record.name if several else "",
    )
